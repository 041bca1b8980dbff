package dev.onlyonce.internal;

import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Time;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What all views of one engine share: the store, the renewals, the background work and the orderly
 * end. Safe for use by several threads.
 */
public final class Engine {

  private static final System.Logger LOG = System.getLogger(Engine.class.getName());
  private static final int PURGE_BATCH = 500;
  private static final int PURGE_STEPS = 100;

  /** How many messages may be under way on other threads than their callers'. */
  private static final int ASYNC_LIMIT = 100_000;

  final ClaimStore store;
  final Time time;
  final Events events;
  final Renewals renewals;
  private final long purgeEveryNanos;
  private final DutyThread renewalDuty;
  private final DutyThread purgeDuty;
  private final ThreadPoolExecutor renewer;
  private final Queue<Runnable> closing = new ConcurrentLinkedQueue<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();
  private volatile long purgeAtNanos;
  private volatile boolean purges;
  private volatile boolean closed;
  private @Nullable Executor executor;

  /** Makes an engine over a store, which stays the caller's to close. */
  public Engine(ClaimStore store, Time time, Events events, Duration purgeEvery) {
    this.store = store;
    this.time = time;
    this.events = events;
    this.purgeEveryNanos = Nanos.of(purgeEvery);
    this.renewer =
        new ThreadPoolExecutor(
            Renewals.MOST_CALLS,
            Renewals.MOST_CALLS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Engine::daemon);
    renewer.allowCoreThreadTimeOut(true);
    this.renewals = new Renewals(store, time, events, renewer, this::wakeRenewals);
    this.renewalDuty =
        new DutyThread("onlyonce-renewals", renewals::runOnce, renewals::nanosToNextRun);
    this.purgeDuty =
        new DutyThread("onlyonce-purge", this::purge, () -> purgeAtNanos - time.nanoTime());
  }

  /** Returns the time, as far as it is for events: without anybody who listens, not a time. */
  long eventNanos() {
    return events.on() ? time.nanoTime() : 0;
  }

  /** Returns where asynchronous messages are handled. */
  Executor executor() {
    lock.lock();
    try {
      if (executor == null) {
        executor = Threads.forBlockingTasks();
      }
      return executor;
    } finally {
      lock.unlock();
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "onlyonce-renewer");
    thread.setDaemon(true);
    return thread;
  }

  boolean isClosed() {
    return closed;
  }

  private void wakeRenewals() {
    renewalDuty.wake();
  }

  /**
   * Counts a message in.
   *
   * @throws IllegalStateException if the engine has been closed
   */
  void enter() {
    inFlight.incrementAndGet();
    if (closed) {
      leave();
      throw new IllegalStateException("the engine has been closed and takes no more messages");
    }
    if (!purges && purgeEveryNanos > 0) {
      startPurging();
    }
  }

  /** Has something called when the engine is closed, before it waits. */
  void whenClosed(Runnable task) {
    closing.add(task);
  }

  /**
   * Counts a message in that does not keep its caller waiting.
   *
   * @throws IllegalStateException if the engine has been closed
   * @throws RejectedExecutionException if there are too many
   */
  void enterAsync() {
    if (inFlight.get() >= ASYNC_LIMIT) {
      throw new RejectedExecutionException(
          "%,d messages are under way already, which is the limit: wait for some of them"
              .formatted(ASYNC_LIMIT));
    }
    enter();
  }

  /** Counts a message out. */
  void leave() {
    if (inFlight.decrementAndGet() == 0 && closed) {
      lock.lock();
      try {
        idle.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void startPurging() {
    lock.lock();
    try {
      if (!purges) {
        purges = true;
        purgeAtNanos = time.nanoTime() + purgeEveryNanos;
        purgeDuty.wake();
      }
    } finally {
      lock.unlock();
    }
  }

  private void purge() {
    if (purgeAtNanos - time.nanoTime() > 0) {
      return;
    }
    boolean more = false;
    try {
      for (int i = 0; i < PURGE_STEPS && !closed; i++) {
        more = store.purge(PURGE_BATCH) > 0;
        if (!more) {
          break;
        }
      }
    } catch (RuntimeException e) {
      more = false;
      LOG.log(Level.WARNING, "expired records could not be purged, this is tried again", e);
    } finally {
      purgeAtNanos = time.nanoTime() + (more ? 0 : purgeEveryNanos);
    }
  }

  /**
   * Takes no more messages and waits for those that are being handled; after the grace interrupts
   * their handlers and waits as long again. Claims that are held even then are left to their
   * leases.
   */
  public void close(Duration grace) {
    closed = true;
    closing.forEach(Runnable::run);
    if (!awaitIdle(grace)) {
      renewals.leave();
      int left = awaitIdle(grace) ? 0 : inFlight.get();
      if (left > 0) {
        LOG.log(
            Level.WARNING,
            "messages whose handlers do not end: "
                + left
                + "; their claims are left to their leases, and may be run again by others once"
                + " those are over");
      }
    }
    renewalDuty.close();
    purgeDuty.close();
    renewer.shutdown();
  }

  /** Waits, also on a thread that is interrupted: the handlers are given their time. */
  private boolean awaitIdle(Duration grace) {
    long endNanos = time.nanoTime() + Nanos.of(grace);
    boolean interrupted = false;
    lock.lock();
    try {
      while (inFlight.get() > 0 && endNanos - time.nanoTime() > 0) {
        try {
          idle.awaitNanos(endNanos - time.nanoTime());
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      lock.unlock();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return inFlight.get() == 0;
  }
}
