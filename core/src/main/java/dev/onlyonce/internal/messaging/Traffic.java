package dev.onlyonce.internal.messaging;

import dev.onlyonce.Key;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All deliveries under way: by key, since copies follow the first of their key, and in the lines of
 * their ordering keys. Only the thread of the loop has it.
 */
final class Traffic<R extends @Nullable Object> {

  private final Set<Work<R>> works = new LinkedHashSet<>();
  private final Map<Key, Work<R>> byKey = new HashMap<>();
  private final Map<String, Line<R>> lines = new HashMap<>();
  private final Map<String, Integer> byLane = new HashMap<>();

  /** How many there are, for threads that ask. */
  private volatile int size;

  int size() {
    return size;
  }

  boolean isEmpty() {
    return works.isEmpty();
  }

  void add(Work<R> work) {
    works.add(work);
    byLane.merge(work.arrival.lane(), 1, Integer::sum);
    size = works.size();
  }

  /** Returns the lanes of which so many are under way. */
  Set<String> lanesWith(int least) {
    Set<String> lanes = new HashSet<>();
    byLane.forEach(
        (lane, count) -> {
          if (count >= least) {
            lanes.add(lane);
          }
        });
    return lanes;
  }

  /**
   * Takes the key for a delivery, or makes it the copy of the one that has it.
   *
   * @return whether it has the key now
   */
  boolean takeKey(Work<R> work, Key key) {
    Work<R> first = byKey.putIfAbsent(key, work);
    if (first == null || first == work) {
      work.original = null;
      return true;
    }
    first.copies.add(work);
    work.original = first;
    return false;
  }

  /** Puts a delivery at the end of its line, and returns that. */
  Line<R> enqueue(Work<R> work) {
    String orderingKey = work.orderingKey;
    Line<R> line =
        orderingKey == null ? new Line<>(null) : lines.computeIfAbsent(orderingKey, Line::new);
    line.add(work);
    return line;
  }

  /** The handler of a delivery has returned; returns its line if there are others behind it. */
  @Nullable Line<R> returned(Work<R> work) {
    Line<R> line = work.line;
    if (line == null) {
      return null;
    }
    line.returned(work);
    return othersIn(line);
  }

  /** Takes a delivery out of its line, and returns that if there are others behind it. */
  @Nullable Line<R> dequeue(Work<R> work) {
    Line<R> line = work.line;
    if (line == null) {
      return null;
    }
    line.remove(work);
    return othersIn(line);
  }

  private @Nullable Line<R> othersIn(Line<R> line) {
    forgetIfOver(line);
    return line.isEmpty() ? null : line;
  }

  private void forgetIfOver(Line<R> line) {
    if (line.orderingKey != null && line.isOver()) {
      lines.remove(line.orderingKey, line);
    }
  }

  /** Knows a delivery no more, and its key is free; its line must have been left. */
  void remove(Work<R> work) {
    work.before = null;
    if (work.returnedFrom != null) {
      forgetIfOver(work.returnedFrom);
    }
    works.remove(work);
    byLane.computeIfPresent(work.arrival.lane(), (lane, count) -> count == 1 ? null : count - 1);
    if (work.original != null) {
      work.original.copies.remove(work);
    } else if (work.key != null) {
      byKey.remove(work.key, work);
    }
    size = works.size();
  }

  /** Returns those that this is true of, in order of arrival. */
  List<Work<R>> those(Predicate<Work<R>> condition) {
    List<Work<R>> those = new ArrayList<>();
    for (Work<R> work : works) {
      if (condition.test(work)) {
        those.add(work);
      }
    }
    return those;
  }

  /** Tells whether this is true of any. */
  boolean any(Predicate<Work<R>> condition) {
    return works.stream().anyMatch(condition);
  }
}
