package dev.onlyonce.internal.messaging;

import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.PriorityQueue;

/** What is to be done later, by the thread of the loop. */
final class Timers {

  private final Time time;
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private final long originNanos;
  private long count;

  Timers(Time time) {
    this.time = time;
    this.originNanos = time.nanoTime();
  }

  private record Timer(long dueNanos, long count, Runnable task) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      int byDue = Long.compare(dueNanos, other.dueNanos);
      return byDue != 0 ? byDue : Long.compare(count, other.count);
    }
  }

  private long nowNanos() {
    return time.nanoTime() - originNanos;
  }

  /** Has something done when the time is over. */
  void after(Duration duration, Runnable task) {
    long nanos;
    try {
      nanos = Math.addExact(nowNanos(), duration.toNanos());
    } catch (ArithmeticException e) {
      nanos = Long.MAX_VALUE;
    }
    timers.add(new Timer(nanos, count++, task));
  }

  /** Does what is due. */
  void run() {
    long nowNanos = nowNanos();
    for (Timer next = timers.peek();
        next != null && next.dueNanos <= nowNanos;
        next = timers.peek()) {
      timers.remove();
      next.task.run();
    }
  }

  /** Returns how long until something is due; at most as long as is given. */
  long nanosToNext(long mostNanos) {
    Timer next = timers.peek();
    return next == null ? mostNanos : Math.max(0, Math.min(mostNanos, next.dueNanos - nowNanos()));
  }
}
