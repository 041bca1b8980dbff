package dev.onlyonce.spi;

import java.time.Duration;

/** The defaults and limits that hold for every door and every store. */
public final class Limits {

  /** How long a claim lasts unless it is renewed. */
  public static final Duration LEASE = Duration.ofSeconds(30);

  /** The longest lease that an engine, a lock or a handler may ask for. */
  public static final Duration LONGEST_LEASE = Duration.ofHours(24);

  /** How long a settled record is kept. */
  public static final Duration RETENTION = Duration.ofDays(7);

  /**
   * How much longer than its retention a record is kept before it is purged, so that a claim
   * statement that stalled cannot come back with an older token.
   */
  public static final Duration PURGE_GRACE = Duration.ofMinutes(10);

  /** How many times a key is attempted before it fails for good. */
  public static final int ATTEMPTS = 7;

  /** The largest result that is kept, in bytes. */
  public static final int RESULT_BYTES = 64 * 1024;

  /** The largest checkpoint, in bytes. */
  public static final int CHECKPOINT_BYTES = 64 * 1024;

  /** How many items a batch has at the most unless a store says otherwise. */
  public static final int BATCH = 500;

  private Limits() {}

  /**
   * Returns the duration in milliseconds, rounded up, so that a lease of a few microseconds is not
   * over at once; the largest number where it is longer than that.
   */
  public static long millis(Duration duration) {
    if (duration.getSeconds() > Long.MAX_VALUE / 1_000 - 1) {
      return Long.MAX_VALUE;
    }
    long millis = duration.toMillis();
    return duration.getNano() % 1_000_000 == 0 ? millis : millis + 1;
  }

  /**
   * Returns the duration if it is positive.
   *
   * @throws IllegalArgumentException if it is not, with its name and value
   */
  public static Duration requirePositive(String name, Duration duration) {
    if (duration.isZero() || duration.isNegative()) {
      throw new IllegalArgumentException(name + " must be positive, was " + duration);
    }
    return duration;
  }

  /**
   * Returns the count if it is at least one and at most this.
   *
   * @throws IllegalArgumentException if it is not, with its name and value
   */
  public static int requirePositive(String name, int count, int most) {
    if (requirePositive(name, count) > most) {
      throw new IllegalArgumentException(
          "%s must be at most %,d, was %,d".formatted(name, most, count));
    }
    return count;
  }

  /**
   * Returns the lease if it is positive and not longer than {@link #LONGEST_LEASE}.
   *
   * @throws IllegalArgumentException if it is not, with its value
   */
  public static Duration requireLease(Duration lease) {
    requirePositive("lease", lease);
    if (lease.compareTo(LONGEST_LEASE) > 0) {
      throw new IllegalArgumentException("lease must be at most 24 hours, was " + lease);
    }
    return lease;
  }

  /**
   * Returns the duration if it is zero or positive.
   *
   * @throws IllegalArgumentException if it is not, with its name and value
   */
  public static Duration requireNotNegative(String name, Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException(name + " must not be negative, was " + duration);
    }
    return duration;
  }

  /**
   * Returns the count if it is at least one.
   *
   * @throws IllegalArgumentException if it is not, with its name and value
   */
  public static int requirePositive(String name, int count) {
    if (count < 1) {
      throw new IllegalArgumentException(name + " must be at least 1, was " + count);
    }
    return count;
  }
}
