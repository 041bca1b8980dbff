package dev.onlyonce.broker.rabbitmq;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Wakes the thread that polls. Any thread rings, one waits. */
final class Bell {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition rings = lock.newCondition();
  private boolean hasRung;

  void ring() {
    lock.lock();
    try {
      hasRung = true;
      rings.signal();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until it rings, or has rung since the last call.
   *
   * @return how much of the time is left; nothing if it was over, or the thread was interrupted
   */
  long await(long nanos) {
    lock.lock();
    try {
      long left = nanos;
      while (!hasRung && left > 0) {
        left = rings.awaitNanos(left);
      }
      hasRung = false;
      return Math.max(0, left);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    } finally {
      lock.unlock();
    }
  }
}
