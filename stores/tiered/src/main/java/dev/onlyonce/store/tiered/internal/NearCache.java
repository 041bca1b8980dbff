package dev.onlyonce.store.tiered.internal;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.onlyonce.Result;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Copies of records that are done, in this process. Safe for use by several threads.
 *
 * <p>An entry is good for a while from the moment <em>before</em> its record was asked for. A key
 * that was opened leaves a mark with a token, and no copy with a smaller one is taken over it. The
 * mark is there for as long as any copy of before can be good, so a slow thread cannot bring back
 * what an operator has changed.
 */
final class NearCache {

  /** What an entry takes beside its key and result: objects, table, the cache's own nodes. */
  private static final int OVERHEAD_BYTES = 360;

  private final Cache<RecordId, Entry> cache;
  private final Time time;
  private final long keepNanos;

  /** A copy, or a mark if there is none. */
  private record Entry(long token, @Nullable ClaimRecord copy, long untilNanos) {}

  NearCache(long maxBytes, Duration keep, Time time) {
    this.time = time;
    this.keepNanos = keep.toNanos();
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher(NearCache::weight)
            .expireAfterWrite(keep)
            .ticker(time::nanoTime)
            .build();
  }

  /** A mark weighs nothing, so that it is there for its time and is not evicted before. */
  private static int weight(RecordId id, Entry entry) {
    if (entry.copy == null) {
      return 0;
    }
    int bytes = OVERHEAD_BYTES + id.key().length();
    return entry.copy.result() instanceof Result.Value value ? bytes + value.bytes().length : bytes;
  }

  @Nullable ClaimRecord get(RecordId id) {
    Entry entry = cache.getIfPresent(id);
    return entry == null || time.nanoTime() - entry.untilNanos >= 0 ? null : entry.copy;
  }

  /**
   * Takes a copy, unless it knows of a larger token.
   *
   * @param askedNanos a moment before the record was asked for
   */
  void offer(RecordId id, ClaimRecord copy, long askedNanos) {
    long until = askedNanos + keepNanos;
    if (time.nanoTime() - until < 0) {
      cache.asMap().merge(id, new Entry(copy.token(), copy, until), NearCache::larger);
    }
  }

  /** From now on takes no copy whose token is smaller than this one. */
  void mark(RecordId id, long token) {
    Entry mark = new Entry(token, null, time.nanoTime() + keepNanos);
    cache.asMap().merge(id, mark, NearCache::larger);
  }

  private static Entry larger(Entry old, Entry fresh) {
    return fresh.token >= old.token ? fresh : old;
  }
}
