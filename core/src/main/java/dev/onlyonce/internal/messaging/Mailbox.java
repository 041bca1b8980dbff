package dev.onlyonce.internal.messaging;

import java.lang.System.Logger.Level;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What other threads have for the thread of the loop: tasks, which it does one after the other. Any
 * thread may post; only the loop's thread does the rest.
 */
final class Mailbox {

  private static final System.Logger LOG = System.getLogger("dev.onlyonce.messaging");

  private enum Owner {
    AWAKE,
    POLLING,
    PARKED
  }

  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicReference<Owner> owner = new AtomicReference<>(Owner.AWAKE);
  private final Runnable wakePoll;
  private volatile boolean isClosed;
  private volatile @Nullable Thread thread;

  /**
   * @param wakePoll ends a poll of the loop's thread
   */
  Mailbox(Runnable wakePoll) {
    this.wakePoll = wakePoll;
  }

  /** Has a task done by the loop; returns false if that has ended and will not do it. */
  boolean post(Runnable task) {
    tasks.add(task);
    if (isClosed) {
      return !tasks.remove(task);
    }
    Owner was = owner.getAndSet(Owner.AWAKE);
    if (was == Owner.POLLING) {
      wakePoll.run();
    } else if (was == Owner.PARKED) {
      LockSupport.unpark(thread);
    }
    return true;
  }

  /**
   * Does some work on this thread, then has the loop go on; what the work throws is thrown there.
   * Returns false if the loop has ended.
   */
  boolean after(Runnable work, Runnable then) {
    try {
      work.run();
    } catch (Throwable e) {
      return post(
          () -> {
            throw new IllegalStateException("a step of a consumer has failed", e);
          });
    }
    return post(then);
  }

  /** Does what is there. */
  void run() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  /** The loop's thread is about to poll; returns whether there is something to be done before. */
  boolean polls() {
    owner.set(Owner.POLLING);
    return !tasks.isEmpty();
  }

  /** It has polled. */
  void polled() {
    owner.set(Owner.AWAKE);
  }

  /** Waits for a task, no longer than this. */
  void await(long nanos) {
    thread = Thread.currentThread();
    owner.set(Owner.PARKED);
    if (tasks.isEmpty() && nanos > 0) {
      LockSupport.parkNanos(this, nanos);
    }
    owner.set(Owner.AWAKE);
  }

  /** Takes no more tasks, and does those that are there, also when one of them fails. */
  void close() {
    isClosed = true;
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        LOG.log(Level.WARNING, "a consumer that ends could not take note of something", e);
      }
    }
  }
}
