package dev.onlyonce.store.redis.internal;

import dev.onlyonce.store.redis.RedisCompactTier;
import java.time.Duration;

/**
 * How a store keeps what has been done for long enough: as entries of 20 bytes, many in a bucket,
 * beside its records. docs/formats/redis.md and compact.lua are about the same bytes.
 *
 * @param buckets how many there are in a shard, 1 to 16,777,216
 * @param after how long after its completion a record moves
 */
record CompactTier(int buckets, Duration after) {

  static final int BUCKET_FIELD_BYTES = 4;

  private static final int MOST_BUCKETS = 1 << 24;

  /**
   * How many entries a bucket has when there are as many keys as were expected: more make look-ups
   * slower, fewer make keys larger.
   */
  private static final int ENTRIES = 48;

  /** Returns the tier for so many keys in so many shards. */
  static CompactTier of(RedisCompactTier wanted, int shards) {
    long buckets = Math.min((wanted.keys() - 1) / ((long) ENTRIES * shards) + 1, MOST_BUCKETS);
    return new CompactTier((int) buckets, wanted.after());
  }

  /** Returns how it is told to others. */
  RedisCompactTier told(int shards) {
    return new RedisCompactTier(after, (long) ENTRIES * buckets * shards);
  }
}
