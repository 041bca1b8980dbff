package dev.onlyonce.internal;

import java.time.Duration;

/**
 * The pauses between tries of one thing: each twice as long as the one before, up to {@value
 * #LAST_MILLIS} milliseconds, and none when the bound is over. Not safe for use by several threads
 * at once.
 */
final class Polling {

  private static final long FIRST_MILLIS = 10;
  private static final long LAST_MILLIS = 250;

  private final long endNanos;
  private long pauseNanos = FIRST_MILLIS * 1_000_000;

  /** Begins now. */
  Polling(Duration bound, long nowNanos) {
    this.endNanos = nowNanos + Nanos.of(bound);
  }

  /** Returns how long to wait before the next try; zero if there is to be none. */
  Duration next(long nowNanos) {
    long leftNanos = endNanos - nowNanos;
    if (leftNanos <= 0) {
      return Duration.ZERO;
    }
    long nanos = Math.min(pauseNanos, leftNanos);
    pauseNanos = Math.min(2 * pauseNanos, LAST_MILLIS * 1_000_000);
    return Duration.ofNanos(nanos);
  }
}
