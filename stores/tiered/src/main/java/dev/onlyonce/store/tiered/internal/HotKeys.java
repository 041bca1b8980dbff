package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.spi.RecordId;
import dev.onlyonce.store.tiered.TieredStatistics.HotKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Finds the keys that are claimed most, out of any number, with a fixed number of counters.
 *
 * <p>A key without a counter takes over the smallest one, with its count as its error: a key with
 * more than the n-th part of all claims has one of the n counters for sure. Each claim counts with
 * odds of one in {@value #SAMPLE}, and does not when another thread is counting; {@link #age} makes
 * what is past count for less. Safe for use by several threads.
 *
 * <p>Source: Metwally, Agrawal and El Abbadi, "Efficient Computation of Frequent and Top-k Elements
 * in Data Streams" (2005), Space-Saving.
 */
final class HotKeys {

  static final int SAMPLE = 16;
  private static final int COUNTERS = 64;
  private static final int SHOWN = 10;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final Map<RecordId, Counter> counters = new HashMap<>();

  private static final class Counter {
    long count;
    long error;

    long atLeast() {
      return count - error;
    }
  }

  /** Tells whether the next claim is one that counts. */
  static boolean isSampled() {
    return (ThreadLocalRandom.current().nextInt() & SAMPLE - 1) == 0;
  }

  void add(RecordId id) {
    if (!lock.tryLock()) {
      return;
    }
    try {
      Counter counter = counters.get(id);
      if (counter == null) {
        counter = counters.size() < COUNTERS ? new Counter() : takeOver();
        counters.put(id, counter);
      }
      counter.count++;
    } finally {
      lock.unlock();
    }
  }

  private Counter takeOver() {
    Map.Entry<RecordId, Counter> least = null;
    for (Map.Entry<RecordId, Counter> each : counters.entrySet()) {
      if (least == null || each.getValue().count < least.getValue().count) {
        least = each;
      }
    }
    if (least == null) {
      throw new IllegalStateException("all counters are taken and there is none");
    }
    Counter counter = least.getValue();
    counters.remove(least.getKey());
    counter.error = counter.count;
    return counter;
  }

  /** Halves all counts. */
  void age() {
    lock.lock();
    try {
      for (Counter each : counters.values()) {
        each.count /= 2;
        each.error /= 2;
      }
      counters.values().removeIf(it -> it.count == 0);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the keys that are surely claimed more than once, the hottest first. */
  List<HotKey> top() {
    List<HotKey> all = new ArrayList<>();
    lock.lock();
    try {
      counters.forEach(
          (id, it) -> {
            if (it.atLeast() > 1) {
              all.add(new HotKey(id.scope(), id.key(), it.atLeast() * SAMPLE, it.count * SAMPLE));
            }
          });
    } finally {
      lock.unlock();
    }
    all.sort(Comparator.comparingLong(HotKey::atLeast).reversed());
    return all.subList(0, Math.min(SHOWN, all.size()));
  }
}
