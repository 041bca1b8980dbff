package dev.onlyonce.internal;

import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.time.Instant;

/**
 * Clocks that a test moves by hand. (The test kit has a finer one, but core cannot depend on it.)
 */
final class HandTime implements Time {

  private long nanos = Long.MAX_VALUE - Duration.ofSeconds(5).toNanos();

  @Override
  public synchronized long nanoTime() {
    return nanos;
  }

  @Override
  public Instant instant() {
    return Instant.EPOCH;
  }

  synchronized void pass(Duration duration) {
    nanos += duration.toNanos();
  }
}
