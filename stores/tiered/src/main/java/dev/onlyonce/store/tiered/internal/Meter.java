package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.store.tiered.TieredStatistics;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts what a tier does. Safe for use by several threads; a snapshot is of a moment ago. */
final class Meter {

  private static final int BUCKETS = 64;

  private final LongAdder keys = new LongAdder();
  private final LongAdder answered = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  /** By how many bits the nanoseconds of a call have. */
  private final AtomicLongArray calls = new AtomicLongArray(BUCKETS + 1);

  void call(int asked, int hits, long tookNanos) {
    keys.add(asked);
    answered.add(hits);
    nanos.add(tookNanos);
    calls.incrementAndGet(BUCKETS - Long.numberOfLeadingZeros(tookNanos));
  }

  void failure(int asked, long tookNanos) {
    failures.increment();
    call(asked, 0, tookNanos);
  }

  TieredStatistics.Tier snapshot(String name, @Nullable String trouble) {
    long[] counts = new long[BUCKETS + 1];
    long all = 0;
    for (int i = 0; i <= BUCKETS; i++) {
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
    for (int bits = 0; bits < BUCKETS - 1; bits++) {
      left -= counts[bits];
      if (left <= 0) {
        return Duration.ofNanos(all == 0 ? 0 : 1L << bits);
      }
    }
    return Duration.ofNanos(Long.MAX_VALUE);
  }
}
