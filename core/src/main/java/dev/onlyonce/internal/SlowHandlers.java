package dev.onlyonce.internal;

import java.time.Duration;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * Tells whether more than one in a hundred handlers of a scope took longer than half their lease,
 * which is whether their 99th percentile is above it. From there it is not far to handlers that
 * outlast their lease whenever the process or the store stalls.
 *
 * <p>Safe for use by several threads; what ends while it is judged may count for either period.
 */
final class SlowHandlers {

  /** With fewer, one handler alone would be more than one in a hundred. */
  static final int FEWEST = 100;

  private static final int IN = 100;

  private final LongAdder all = new LongAdder();
  private final LongAdder slow = new LongAdder();
  private final LongAccumulator slowestNanos = new LongAccumulator(Math::max, 0);
  private volatile Duration lease = Duration.ZERO;

  void add(Duration handling, Duration claimedFor) {
    all.increment();
    if (handling.compareTo(claimedFor.dividedBy(2)) > 0) {
      slow.increment();
      slowestNanos.accumulate(Nanos.of(handling));
      lease = claimedFor;
    }
  }

  /** Judges those since the last time, if they are enough; returns whether they were too slow. */
  boolean judge(LogLine line) {
    if (all.sum() < FEWEST) {
      return false;
    }
    long of = all.sumThenReset();
    long over = slow.sumThenReset();
    Duration slowest = Duration.ofNanos(slowestNanos.getThenReset());
    line.with("lease", lease).with("over_half_of_it", over).with("of", of).with("slowest", slowest);
    return over * IN > of;
  }
}
