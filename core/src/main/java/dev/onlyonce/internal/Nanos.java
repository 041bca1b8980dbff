package dev.onlyonce.internal;

import java.time.Duration;

/** Durations as nanoseconds that may be added to a moment of a monotonic clock. */
final class Nanos {

  private static final Duration FOR_EVER = Duration.ofDays(36_500);

  private Nanos() {}

  /** Returns the nanoseconds; more than a hundred years count as that. */
  static long of(Duration duration) {
    return duration.compareTo(FOR_EVER) < 0 ? duration.toNanos() : FOR_EVER.toNanos();
  }
}
