package dev.onlyonce.store.redis.internal;

import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.redis.RedisCompactTier;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a store is opened; its builder has checked all of it. */
public final class RedisSettings {

  /**
   * The shards of a store that is made in a cluster without another number. A single server, which
   * does one thing after the other, has one: each more costs a call.
   */
  static final int SHARDS_OF_CLUSTER = 16;

  public String prefix = "onlyonce";
  public int shards; // 0: as it is
  public @Nullable RedisCompactTier compactTier; // null: as it is
  public String owner = "redis";
  public Duration purgeGrace = Limits.PURGE_GRACE;
  public @Nullable Duration clockTolerance; // null: by what the server is
  public Duration timeout = Duration.ofSeconds(2);
  public Duration patience = Duration.ofSeconds(10);
  public int connections = 8;
  public boolean remakesLostShards;
  public boolean isTier;
  public boolean warns = true;
  public int replicas;
  public Duration replicaTimeout = Duration.ofMillis(500);
  public int maxResultBytes = Limits.RESULT_BYTES;
  public Time time = Time.system();

  /**
   * How long after a request was made first the server may get it again and be believed: it is sent
   * again until the patience is over, and its answer waited for a time-out, or two where the server
   * halts within a batch.
   */
  public Duration repeats() {
    return patience.isZero() ? Duration.ZERO : patience.plus(timeout).plus(timeout);
  }
}
