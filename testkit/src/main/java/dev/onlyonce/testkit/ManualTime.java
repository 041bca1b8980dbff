package dev.onlyonce.testkit;

import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.time.Instant;

/**
 * The two clocks of a process, moved by hand: time stands still until a test moves it on.
 *
 * <p>The monotonic clock starts a minute before its number overflows, as the real one may do at any
 * time: two moments must be compared by their difference, never by themselves.
 *
 * <p>Safe for use by several threads; both clocks move in one step.
 */
public final class ManualTime implements Time {

  private static final long START_NANOS = Long.MAX_VALUE - Duration.ofMinutes(1).toNanos();

  private Instant wall;
  private long nanos = START_NANOS;

  /** Makes clocks that start at the beginning of 2026, UTC. */
  public ManualTime() {
    this(Instant.parse("2026-01-01T00:00:00Z"));
  }

  /** Makes clocks of which the wall clock starts at this time. */
  public ManualTime(Instant start) {
    this.wall = start;
  }

  @Override
  public synchronized Instant instant() {
    return wall;
  }

  @Override
  public synchronized long nanoTime() {
    return nanos;
  }

  /**
   * Lets time pass: moves both clocks on.
   *
   * @throws IllegalArgumentException if the duration is negative: see {@link #jump}
   */
  public synchronized void advance(Duration duration) {
    Limits.requireNotNegative("duration", duration);
    wall = wall.plus(duration);
    nanos += duration.toNanos();
  }

  /**
   * Sets the wall clock on or back and leaves the monotonic one alone, as an operator or a time
   * server does.
   */
  public synchronized void jump(Duration by) {
    wall = wall.plus(by);
  }

  @Override
  public synchronized String toString() {
    return "ManualTime[" + wall + "]";
  }
}
