package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * How many keys may wait to be written. Who is about to begin something waits for room, in the
 * order of coming; what has happened takes it, whether it is there or not. Safe for use by several
 * threads.
 */
final class Room {

  private final int size;
  private final Time time;
  private final Permits permits;

  /** A semaphore that may owe permits. */
  private static final class Permits extends Semaphore {
    private static final long serialVersionUID = 1L;

    Permits(int size) {
      super(size, true);
    }

    void reduce(int keys) {
      reducePermits(keys);
    }
  }

  Room(int size, Time time) {
    this.size = size;
    this.time = time;
    this.permits = new Permits(size);
  }

  /**
   * Waits until there is room for so many keys, and takes it. For more keys than there may be it
   * waits until nothing else has any.
   *
   * @return false if there was none in time
   */
  boolean take(int keys, Duration longest) {
    int needed = Math.min(keys, size);
    long end = time.nanoTime() + longest.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          boolean taken = permits.tryAcquire(needed, end - time.nanoTime(), TimeUnit.NANOSECONDS);
          if (taken) {
            permits.reduce(keys - needed);
          }
          return taken;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Takes room for keys that have it coming, at once. */
  void takeAnyway(int keys) {
    permits.reduce(keys);
  }

  void giveBack(int keys) {
    permits.release(keys);
  }

  int taken() {
    return size - permits.availablePermits();
  }
}
