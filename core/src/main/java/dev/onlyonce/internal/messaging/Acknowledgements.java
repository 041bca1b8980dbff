package dev.onlyonce.internal.messaging;

import dev.onlyonce.messaging.Acknowledge;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.spi.Progress;
import dev.onlyonce.spi.Source;
import dev.onlyonce.spi.Source.Arrival;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is finished, when the broker is told so, and how far each lane is. Only the thread of the
 * loop has it.
 */
final class Acknowledgements {

  private final Acknowledge mode;
  private final int mostAhead;
  private final Map<String, Progress> lanes = new HashMap<>();
  private final Map<Long, Poll> polls = new HashMap<>();
  private final IdentityHashMap<Delivery, Manual> manuals = new IdentityHashMap<>();
  private List<Arrival> due = new ArrayList<>();

  /** A poll of which not everything is finished, in mode batch. */
  private static final class Poll {
    private final List<Arrival> finished = new ArrayList<>();
    private int left;
  }

  /** A delivery in mode manual. */
  private static final class Manual {
    private final Arrival arrival;
    private boolean isFinished;
    private boolean isAcknowledged;

    Manual(Arrival arrival) {
      this.arrival = arrival;
    }
  }

  /**
   * @param mostAhead how many finished deliveries of a lane may wait for an earlier one
   */
  Acknowledgements(Acknowledge mode, int mostAhead) {
    this.mode = mode;
    this.mostAhead = mostAhead;
  }

  /** A delivery has arrived. */
  void arrived(Arrival arrival, long poll) {
    lanes
        .computeIfAbsent(arrival.lane(), lane -> new Progress(arrival.number()))
        .arrived(arrival.number());
    switch (mode) {
      case EACH -> {}
      case BATCH -> polls.computeIfAbsent(poll, number -> new Poll()).left++;
      case MANUAL -> manuals.put(arrival.delivery(), new Manual(arrival));
    }
  }

  /**
   * A delivery is finished.
   *
   * @param byHandler whether its handler has run for it, just now
   */
  void finished(Arrival arrival, long poll, boolean byHandler) {
    switch (mode) {
      case EACH -> due(arrival);
      case BATCH -> leave(poll, arrival);
      case MANUAL -> {
        Manual manual = manuals.get(arrival.delivery());
        if (manual != null && byHandler && !manual.isAcknowledged) {
          manual.isFinished = true;
        } else {
          manuals.remove(arrival.delivery());
          due(arrival);
        }
      }
    }
  }

  /** A delivery is given up without being finished: the broker will deliver it again. */
  void dropped(Arrival arrival, long poll) {
    if (mode == Acknowledge.BATCH) {
      leave(poll, null);
    }
    manuals.remove(arrival.delivery());
  }

  private void leave(long number, @Nullable Arrival finished) {
    Poll poll = polls.get(number);
    if (poll == null) {
      return;
    }
    if (finished != null) {
      poll.finished.add(finished);
    }
    poll.left--;
    if (poll.left == 0) {
      polls.remove(number);
      poll.finished.forEach(this::due);
    }
  }

  private void due(Arrival arrival) {
    Progress lane = lanes.get(arrival.lane());
    if (lane != null) {
      lane.finished(arrival.number());
      due.add(arrival);
    }
  }

  /** A delivery has come to its end, and its lane belongs to others. */
  void abandoned(long poll) {
    if (mode == Acknowledge.BATCH) {
      leave(poll, null);
    }
  }

  /** Returns how many are finished and wait for the user. */
  int withheld() {
    return (int) manuals.values().stream().filter(it -> it.isFinished).count();
  }

  /** The user acknowledges a delivery, in mode manual. */
  void acknowledged(Delivery delivery) {
    Manual manual = manuals.get(delivery);
    if (manual == null) {
      return;
    }
    manual.isAcknowledged = true;
    if (manual.isFinished) {
      manuals.remove(delivery);
      due(manual.arrival);
    }
  }

  /** Tells the broker what is due. */
  void send(Source source) {
    if (due.isEmpty()) {
      return;
    }
    List<Arrival> batch = due;
    due = new ArrayList<>();
    source.acknowledge(batch);
  }

  /** Returns how far lanes will be when these deliveries are finished, too. */
  <R extends @Nullable Object> Map<String, Position> positionsWith(List<Work<R>> works) {
    Map<String, Set<Long>> numbers = new HashMap<>();
    for (Work<R> work : works) {
      numbers
          .computeIfAbsent(work.arrival.lane(), lane -> new HashSet<>())
          .add(work.arrival.number());
    }
    Map<String, Position> positions = new HashMap<>();
    numbers.forEach(
        (lane, finished) -> {
          Progress progress = lanes.get(lane);
          if (progress != null) {
            positions.put(lane, new Position(0, progress.positionWith(finished)));
          }
        });
    return positions;
  }

  /** Returns how far lanes are finished. */
  Map<String, Position> positions() {
    Map<String, Position> positions = new HashMap<>();
    lanes.forEach((lane, progress) -> positions.put(lane, new Position(0, progress.position())));
    return positions;
  }

  /** Returns the lanes of which too much is finished that waits for an earlier delivery. */
  Set<String> full() {
    Set<String> full = new HashSet<>();
    lanes.forEach(
        (lane, progress) -> {
          if (progress.ahead() >= mostAhead) {
            full.add(lane);
          }
        });
    return full;
  }

  /** Returns all lanes that anything has arrived from. */
  Set<String> lanes() {
    return new HashSet<>(lanes.keySet());
  }

  /** Knows nothing more of these lanes, and acknowledges nothing of them. */
  void forget(Set<String> gone) {
    lanes.keySet().removeAll(gone);
    due.removeIf(it -> gone.contains(it.lane()));
    polls.values().forEach(it -> it.finished.removeIf(arrival -> gone.contains(arrival.lane())));
    manuals.values().removeIf(it -> gone.contains(it.arrival.lane()));
  }
}
