package dev.onlyonce.app.dedup;

import dev.onlyonce.app.Failure;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Lets a run that a signal ends settle what it holds: the process waits until it has, for some
 * seconds at the most.
 *
 * <p>For one run, which is one thread, beside the one that ends the process.
 */
final class OrderlyEnd implements AutoCloseable {

  /** A run that waits for whoever reads its output may never get there. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private static final Time TIME = Time.system();

  private final Thread hook = new Thread(this::awaitNothingHeld, "onlyonce-settle");
  private boolean isEnding;
  private boolean isHolding;

  private OrderlyEnd() {}

  /** From here on the end of the process waits. */
  static OrderlyEnd begin() {
    OrderlyEnd end = new OrderlyEnd();
    Runtime.getRuntime().addShutdownHook(end.hook);
    return end;
  }

  /**
   * The run is about to hold something.
   *
   * @throws Failure if the process ends
   */
  synchronized void hold() {
    if (isEnding) {
      throw Failure.files(
          "ended by a signal; the records that were written are known to the store");
    }
    isHolding = true;
  }

  /** The run holds nothing, or can do no more about it. */
  synchronized void holdNothing() {
    isHolding = false;
    notifyAll();
  }

  private synchronized void awaitNothingHeld() {
    isEnding = true;
    long end = TIME.nanoTime() + LONGEST_WAIT.toNanos();
    try {
      long left = LONGEST_WAIT.toNanos();
      while (isHolding && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
        left = end - TIME.nanoTime();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    holdNothing();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process ends already.
    }
  }
}
