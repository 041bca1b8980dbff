package dev.onlyonce.store.tiered.internal;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A bounded queue whose items are worked off in batches by threads of its own. Safe for use by
 * several threads.
 */
final class Line<T> {

  private static final System.Logger LOG = System.getLogger(Line.class.getName());
  private static final int BATCH = 500;
  private static final long LOOK_MILLIS = 50;

  private final BlockingQueue<T> queue;
  private final Consumer<List<T>> work;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean ends;

  /**
   * @param work one batch; what it throws is logged and the batch is over
   */
  Line(String name, int capacity, int workers, Consumer<List<T>> work) {
    this.queue = new LinkedBlockingQueue<>(capacity);
    this.work = work;
    for (int i = 0; i < workers; i++) {
      Thread thread = new Thread(this::run, name + "-" + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
  }

  /** Adds an item; returns false if there is no room. */
  boolean offer(T item) {
    return queue.offer(item);
  }

  /** Adds an item to a line that has room for all. */
  void add(T item) {
    queue.add(item);
  }

  /** Takes away what waits; returns how much that was. */
  int clear() {
    List<T> left = new ArrayList<>();
    return queue.drainTo(left);
  }

  int waiting() {
    return queue.size();
  }

  private void run() {
    List<T> batch = new ArrayList<>(BATCH);
    while (take(batch)) {
      try {
        work.accept(batch);
      } catch (RuntimeException | Error e) { // an Error must not end the thread: others wait for it
        LOG.log(Level.WARNING, Thread.currentThread().getName() + " goes on after: " + e, e);
      }
      batch.clear();
    }
  }

  /** Takes what is there; returns false when the line has ended and is empty. */
  private boolean take(List<T> batch) {
    while (queue.drainTo(batch, BATCH) == 0) {
      if (ends) {
        return false;
      }
      try {
        T first = queue.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        if (first != null) {
          batch.add(first);
          queue.drainTo(batch, BATCH - 1);
          return true;
        }
      } catch (InterruptedException e) {
        // Nobody else has this thread: it was an accident, and the line goes on.
      }
    }
    return true;
  }

  /** Works off what is there, at most for so long. */
  void end(long millis) {
    ends = true;
    boolean interrupted = false;
    for (Thread each : threads) {
      try {
        each.join(Math.max(1, millis));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
