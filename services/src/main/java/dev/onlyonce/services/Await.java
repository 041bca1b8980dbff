package dev.onlyonce.services;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another process brings about. */
final class Await {
  private static final long FIRST_PAUSE_NANOS = 500_000;
  private static final long LONGEST_PAUSE_NANOS = 50_000_000;

  private Await() {}

  /** Whether the condition came true before the limit; ends early on an interrupt, and keeps it. */
  static boolean until(Duration limit, BooleanSupplier condition) {
    long end = System.nanoTime() + limit.toNanos();
    long pause = FIRST_PAUSE_NANOS;
    while (!condition.getAsBoolean()) {
      if (Thread.currentThread().isInterrupted() || System.nanoTime() - end >= 0) {
        return condition.getAsBoolean();
      }
      LockSupport.parkNanos(pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
    }
    return true;
  }
}
