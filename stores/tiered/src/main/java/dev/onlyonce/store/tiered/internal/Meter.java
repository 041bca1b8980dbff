package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.store.tiered.TieredStatistics;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts what a tier does. Safe for use by several threads; a snapshot is of a moment ago. */
final class Meter {

  /** Times that differ by less than an eighth may share a bucket. */
  private static final int PARTS_BITS = 3;

  private static final int PARTS = 1 << PARTS_BITS;
  private static final int BUCKETS = (Long.SIZE - PARTS_BITS) * PARTS;

  private final LongAdder keys = new LongAdder();
  private final LongAdder answered = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  /** By how long a call took. */
  private final AtomicLongArray calls = new AtomicLongArray(BUCKETS);

  void call(int asked, int hits, long tookNanos) {
    keys.add(asked);
    answered.add(hits);
    nanos.add(tookNanos);
    calls.incrementAndGet(bucket(tookNanos));
  }

  /**
   * Nanoseconds below eight are told apart; of more, the first four bits and how many there are.
   */
  private static int bucket(long nanos) {
    long positive = Math.max(0, nanos);
    int cut = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(positive) - PARTS_BITS - 1);
    return cut * PARTS + (int) (positive >>> cut);
  }

  /** Returns the longest time of a bucket, nanoseconds. */
  private static long longest(int bucket) {
    int cut = Math.max(0, bucket / PARTS - 1);
    return ((bucket - cut * PARTS + 1L) << cut) - 1;
  }

  void failure(int asked, long tookNanos) {
    failures.increment();
    call(asked, 0, tookNanos);
  }

  TieredStatistics.Tier snapshot(String name, @Nullable String trouble) {
    long[] counts = new long[BUCKETS];
    long all = 0;
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] = calls.get(i);
      all += counts[i];
    }
    return new TieredStatistics.Tier(
        name,
        trouble,
        all,
        keys.sum(),
        answered.sum(),
        failures.sum(),
        Duration.ofNanos(all == 0 ? 0 : nanos.sum() / all),
        p99(counts, all));
  }

  private static Duration p99(long[] counts, long all) {
    long left = all - all / 100;
    int bucket = 0;
    while (left > counts[bucket]) {
      left -= counts[bucket++];
    }
    return Duration.ofNanos(longest(bucket));
  }
}
