package dev.onlyonce.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * For stores whose clock is out of a test's hands, as a database server's is: the test really
 * waits. There is no test in it.
 */
public interface ServerClock extends StoreFixture {

  /** How much longer than asked for the wait is, for clocks that count in milliseconds. */
  Duration MARGIN = Duration.ofMillis(5);

  /** Waits that long, and a margin. */
  @Override
  default void pass(Duration duration) {
    long start = System.nanoTime();
    long nanos = duration.plus(MARGIN).toNanos();
    while (System.nanoTime() - start < nanos) {
      LockSupport.parkNanos(nanos - (System.nanoTime() - start));
      if (Thread.interrupted()) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while a test waits");
      }
    }
  }

  /** 100 milliseconds. */
  @Override
  default Duration unit() {
    return Duration.ofMillis(100);
  }
}
