package dev.onlyonce;

import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.time.Instant;

/**
 * Clocks that a test moves, for core, which cannot see the test kit. The monotonic one soon
 * overflows. Safe for use by several threads.
 */
public final class SteppedTime implements Time {

  private Instant wall = Instant.parse("2026-01-01T00:00:00Z");
  private long nanos = Long.MAX_VALUE - 1_000_000;

  public synchronized void step(Duration duration) {
    wall = wall.plus(duration);
    nanos += duration.toNanos();
  }

  @Override
  public synchronized Instant instant() {
    return wall;
  }

  @Override
  public synchronized long nanoTime() {
    return nanos;
  }
}
