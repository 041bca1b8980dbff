package dev.onlyonce.store.tiered.internal;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A daemon thread that does a duty again and again, until it is closed. */
final class Duties {

  private static final System.Logger LOG = System.getLogger(Duties.class.getName());

  private final Duration pause;
  private final Runnable duty;
  private final ScheduledExecutorService thread;

  Duties(String name, Duration pause, Runnable duty) {
    this.pause = pause;
    this.duty = duty;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread made = new Thread(work, name);
              made.setDaemon(true);
              return made;
            });
  }

  void start() {
    long nanos = pause.toNanos();
    var unused = thread.scheduleWithFixedDelay(this::run, 0, nanos, TimeUnit.NANOSECONDS);
  }

  private void run() {
    try {
      duty.run();
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "a duty of the tiered store is done again later: " + e);
    }
  }

  /** Ends the thread; a duty at hand may still be under way. */
  void close() {
    thread.shutdown();
    try {
      var unused = thread.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
