package dev.onlyonce.testkit.sim;

import dev.onlyonce.testkit.ManualTime;
import java.time.Duration;
import java.util.PriorityQueue;

/** Time, and what is going to happen in it. */
final class Schedule {

  private record Entry(long atMicros, long number, Runnable action) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(atMicros, other.atMicros);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final ManualTime time = new ManualTime();
  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private long nowMicros;
  private long number;

  ManualTime time() {
    return time;
  }

  /** Returns how much time has passed since the world began. */
  long nowMicros() {
    return nowMicros;
  }

  void after(long micros, Runnable action) {
    entries.add(new Entry(nowMicros + Math.max(0, micros), number++, action));
  }

  /** Lets the next thing happen; returns false if there is none. */
  boolean next() {
    Entry entry = entries.poll();
    if (entry == null) {
      return false;
    }
    time.advance(Duration.ofNanos((entry.atMicros - nowMicros) * 1_000));
    nowMicros = entry.atMicros;
    entry.action.run();
    return true;
  }
}
