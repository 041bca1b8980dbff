package dev.onlyonce.testkit.process;

import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits for a condition that something else brings about, without a sleep of a guessed length.
 *
 * <p>Looks at once, then again after pauses that grow from {@value #FIRST_PAUSE_NANOS} to {@value
 * #LONGEST_PAUSE_NANOS} nanoseconds. The condition is looked at once more after the deadline, so
 * that a machine that stood still does not fail a wait that is over.
 *
 * <p>Stateless and thread-safe. The condition is called on the waiting thread.
 *
 * <p>Throws {@link AssertionError}, naming what was waited for, at the deadline or when interrupted
 * (the thread stays interrupted). The deadline is monotonic and a guard against hanging; it is no
 * means to measure.
 */
public final class Await {
  private static final long FIRST_PAUSE_NANOS = 50_000;
  private static final long LONGEST_PAUSE_NANOS = 10_000_000;

  private Await() {}

  /**
   * Returns when the condition is true.
   *
   * @param what completes the sentence "waited 30 s for ..."
   */
  public static void until(String what, Duration deadline, BooleanSupplier condition) {
    if (!reached(deadline, condition)) {
      String why = Thread.currentThread().isInterrupted() ? "interrupted while it " : "";
      throw new AssertionError(why + "waited " + deadline + " for " + what);
    }
  }

  /** Whether the condition came true before the deadline and an interrupt. */
  static boolean reached(Duration deadline, BooleanSupplier condition) {
    Time time = Time.system();
    long end = time.nanoTime() + deadline.toNanos();
    long pause = FIRST_PAUSE_NANOS;
    while (!condition.getAsBoolean()) {
      if (Thread.currentThread().isInterrupted() || time.nanoTime() - end >= 0) {
        return condition.getAsBoolean();
      }
      LockSupport.parkNanos(pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
    }
    return true;
  }
}
