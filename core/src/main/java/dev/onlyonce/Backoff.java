package dev.onlyonce;

import dev.onlyonce.spi.Limits;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * How long to wait before each further attempt: exponential, capped, and by default spread with
 * full jitter.
 *
 * <p><b>Guarantee.</b> For every attempt number a delay that is positive and at most the cap;
 * without jitter the delays do not decrease. The arithmetic saturates.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * <p>Source: "Exponential Backoff And Jitter", AWS Architecture Blog, 2015 (full jitter).
 */
public final class Backoff {

  private static final Backoff STANDARD =
      exponential(Duration.ofSeconds(1), 2, Duration.ofSeconds(32));

  private final long firstNanos;
  private final double factor;
  private final long capNanos;
  private final boolean jitter;

  private Backoff(long firstNanos, double factor, long capNanos, boolean jitter) {
    this.firstNanos = firstNanos;
    this.factor = factor;
    this.capNanos = capNanos;
    this.jitter = jitter;
  }

  /** Returns the default: 1, 2, 4, 8, 16, then 32 seconds, with full jitter. */
  public static Backoff standard() {
    return STANDARD;
  }

  /**
   * Returns delays of {@code first}, {@code first * factor}, {@code first * factor^2} and so on up
   * to the cap, with full jitter. Durations above 292 years count as that.
   *
   * @throws IllegalArgumentException if {@code first} is not positive, {@code cap} is smaller, or
   *     {@code factor} is not a number from 1
   */
  public static Backoff exponential(Duration first, double factor, Duration cap) {
    Limits.requirePositive("first delay", first);
    if (cap.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "cap must be at least the first delay of " + first + ", was " + cap);
    }
    if (!(factor >= 1 && factor < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("factor must be at least 1, was " + factor);
    }
    return new Backoff(nanos(first), factor, nanos(cap), true);
  }

  /** Returns the same delay each time, without jitter. */
  public static Backoff fixed(Duration delay) {
    return exponential(delay, 1, delay).withoutJitter();
  }

  /** Returns the same delays without jitter. */
  public Backoff withoutJitter() {
    return new Backoff(firstNanos, factor, capNanos, false);
  }

  /** Returns how long to wait after this attempt has failed, counted from 1. */
  public Duration delay(int attempt) {
    return delay(attempt, ThreadLocalRandom.current());
  }

  /** Returns the same, with the jitter taken from this generator. */
  public Duration delay(int attempt, RandomGenerator random) {
    Limits.requirePositive("attempt", attempt);
    double nanos = firstNanos * Math.pow(factor, attempt - 1);
    long delay = nanos >= capNanos ? capNanos : Math.max(firstNanos, (long) nanos);
    return Duration.ofNanos(jitter ? 1 + random.nextLong(delay) : delay);
  }

  private static long nanos(Duration duration) {
    return duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0
        ? Long.MAX_VALUE
        : duration.toNanos();
  }
}
