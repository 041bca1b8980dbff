package dev.onlyonce.app.demo;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.OptionalInt;
import java.util.PriorityQueue;

/**
 * What the platform still has to deliver: copies that were not sent yet, that are to be sent again
 * since their connection broke, or that are to be sent again later since the worker said so. A copy
 * leaves it for good when it is acknowledged. Not safe for use by several threads.
 */
final class Backlog {

  private final int copies;
  private final Deque<Integer> again = new ArrayDeque<>();
  private final PriorityQueue<Later> later = new PriorityQueue<>();
  private int next;
  private int acknowledged;
  private long deliveries;

  /** A copy that is due at some moment of the monotonic clock. */
  private record Later(int copy, long dueNanos) implements Comparable<Later> {
    @Override
    public int compareTo(Later other) {
      return Long.compare(dueNanos - other.dueNanos, 0);
    }
  }

  Backlog(int copies) {
    this.copies = copies;
  }

  /** Takes the copy that is to be delivered next, if one is due. */
  OptionalInt take(long nowNanos) {
    Integer copy = null;
    Later due = later.peek();
    if (due != null && due.dueNanos - nowNanos <= 0) {
      copy = later.remove().copy;
    } else if (!again.isEmpty()) {
      copy = again.remove();
    } else if (next < copies) {
      copy = next++;
    }
    if (copy == null) {
      return OptionalInt.empty();
    }
    deliveries++;
    return OptionalInt.of(copy);
  }

  /** The worker has acknowledged this copy. */
  void acknowledge() {
    acknowledged++;
  }

  /** The worker wants this copy again, at this moment or after it. */
  void returnLater(int copy, long dueNanos) {
    later.add(new Later(copy, dueNanos));
  }

  /** The connection of these copies broke, and nobody knows what has become of them. */
  void returnAll(Collection<Integer> unanswered) {
    again.addAll(unanswered);
  }

  /** Returns how long it is until a copy is due that is not yet; zero if there is none. */
  long nanosToNext(long nowNanos) {
    Later due = later.peek();
    return due == null ? 0 : Math.max(1, due.dueNanos - nowNanos);
  }

  boolean isDone() {
    return acknowledged == copies;
  }

  /** Returns how many copies are acknowledged. */
  int acknowledged() {
    return acknowledged;
  }

  /** Returns how often copies were taken to be delivered. */
  long deliveries() {
    return deliveries;
  }
}
