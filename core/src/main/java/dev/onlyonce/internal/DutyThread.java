package dev.onlyonce.internal;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * A daemon thread that runs a duty cycle whenever there is something to do. It starts at the first
 * {@link #wake()}, so that an engine which is not used costs nothing.
 */
final class DutyThread {

  private static final System.Logger LOG = System.getLogger(DutyThread.class.getName());

  private final String name;
  private final Runnable duty;
  private final LongSupplier nanosToNextRun;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean started;
  private boolean woken;
  private boolean closed;

  /**
   * @param duty one bounded piece of work
   * @param nanosToNextRun how long until there is more
   */
  DutyThread(String name, Runnable duty, LongSupplier nanosToNextRun) {
    this.name = name;
    this.duty = duty;
    this.nanosToNextRun = nanosToNextRun;
  }

  /** Has the duty looked at now. */
  void wake() {
    lock.lock();
    try {
      woken = true;
      changed.signal();
      if (!started && !closed) {
        Thread thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
        started = true;
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (await()) {
      try {
        duty.run();
      } catch (Throwable e) {
        // An Error too: without renewals, every handler would lose its claim unnoticed.
        LOG.log(Level.ERROR, name + " has failed and goes on", e);
      }
    }
  }

  /** Waits until there is something to do; returns false when closed. */
  private boolean await() {
    lock.lock();
    try {
      while (!closed && !woken) {
        long nanos = nanosToNextRun.getAsLong();
        if (nanos <= 0) {
          break;
        }
        changed.awaitNanos(Math.min(nanos, TimeUnit.HOURS.toNanos(1)));
      }
      woken = false;
      return !closed;
    } catch (InterruptedException e) {
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the thread after the work at hand. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }
}
