package dev.onlyonce.store.redis.internal;

import dev.onlyonce.Result;
import dev.onlyonce.spi.Limits;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What all verbs work with. Immutable, and safe for use by several threads.
 *
 * @param id of the store, by which its shards know it
 * @param tier for what has been done for long; null if the store has none
 */
record Shop(
    RedisSettings settings,
    Dispatcher dispatcher,
    Names names,
    byte[] id,
    Places places,
    ScopeNames scopes,
    @Nullable CompactTier tier) {

  private static final byte[] NONE = {};

  /** A step looks at so many fewer fields where each may be a bucket. */
  private static final int FEWER = 8;

  int shards() {
    return names.shards().size();
  }

  Call call(Script script, int shard, boolean writes, List<byte[]> arguments) {
    Names.Name name = names.shards().get(shard);
    return new Call(script, name.key(), name.slot(), writes, arguments);
  }

  /** Returns how many buckets a shard has, nothing without a compact tier. */
  byte[] buckets() {
    return tier == null ? NONE : Part.ascii(tier.buckets());
  }

  /** Returns how many fields of a shard a step looks at that would look at so many records. */
  byte[] step(int records) {
    return Part.ascii(tier == null ? records : records / FEWER);
  }

  /**
   * Returns whether a script is to write although nothing changes, so that the replicas' word
   * covers what was written before.
   */
  byte[] force() {
    return Part.ascii(settings.replicas > 0 ? 1 : 0);
  }

  /** Returns a result, or that it was not kept where it is larger than the store takes. */
  Result fitting(Result result) {
    boolean fits =
        !(result instanceof Result.Value value) || value.bytes().length <= settings.maxResultBytes;
    return fits ? result : Result.NOT_KEPT;
  }

  /** Returns a duration in milliseconds, as scripts are told them. */
  static byte[] millis(Duration duration) {
    return Part.ascii(Math.min(Limits.millis(duration), Packed.NEVER));
  }
}
