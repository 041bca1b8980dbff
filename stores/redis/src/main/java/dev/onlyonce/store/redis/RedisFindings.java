package dev.onlyonce.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a store has found out about its servers when it was opened: settings, and what is to be said
 * about them. Immutable.
 *
 * @param cluster whether it is a Redis Cluster
 * @param servers the one server, or the masters of the cluster
 * @param warnings sentences for a human, each about something that makes the store forget, with all
 *     servers of which it is true; also about replicas, which may become masters
 */
public record RedisFindings(boolean cluster, List<Server> servers, List<String> warnings) {

  /** Makes findings. */
  public RedisFindings {
    servers = List.copyOf(servers);
    warnings = List.copyOf(warnings);
  }

  /**
   * A server. A setting is null where the server does not tell it.
   *
   * @param address host and port
   * @param version such as {@code 7.0.15}
   * @param replicas how many replicas it has
   * @param usedBytes the memory in use when the store was opened
   * @param maxmemoryBytes the limit of its memory; 0 for none
   * @param maxmemoryPolicy what it does at that limit
   * @param appendonly whether it writes a log: {@code yes} or {@code no}
   * @param appendfsync when that is synced: {@code always}, {@code everysec} or {@code no}
   * @param noAppendfsyncOnRewrite whether the log is not synced while it, or a snapshot, is written
   *     in the background: {@code yes} or {@code no}
   * @param minReplicasToWrite how many replicas must be there for it to take writes
   * @param minReplicasMaxLag for how many seconds one that is silent counts as being there; 0 that
   *     none need be there
   * @param records how many records of the store it has; a bucket of a compact tier counts as one
   */
  public record Server(
      String address,
      String version,
      int replicas,
      long usedBytes,
      @Nullable Long maxmemoryBytes,
      @Nullable String maxmemoryPolicy,
      @Nullable String appendonly,
      @Nullable String appendfsync,
      @Nullable String noAppendfsyncOnRewrite,
      @Nullable Integer minReplicasToWrite,
      @Nullable Integer minReplicasMaxLag,
      @Nullable Long records) {

    /** Returns what is in use for anything but the store's records. */
    private long bytesOfOthers(int bytesPerKey) {
      return Math.max(0, usedBytes - (records == null ? 0 : records * bytesPerKey));
    }
  }

  /**
   * Returns how long keys can be remembered in the memory that there is: a retention that is longer
   * is a wish. What is in use counts as room for keys as far as the store's records take it; where
   * a server does not tell how many these are, none of it does. Nothing if a server has no limit or
   * does not tell it.
   *
   * @param keysPerSecond how many new keys come, over all servers
   * @param bytesPerKey 96 for a key that is done without a result, 128 with a fingerprint of 16
   *     bytes; a result comes on top
   * @throws IllegalArgumentException if one is not positive
   */
  public Optional<Duration> window(double keysPerSecond, int bytesPerKey) {
    if (!(keysPerSecond > 0) || bytesPerKey < 1) {
      throw new IllegalArgumentException(
          "rate and size must be positive, were " + keysPerSecond + " and " + bytesPerKey);
    }
    long least = Long.MAX_VALUE;
    for (Server each : servers) {
      Long most = each.maxmemoryBytes;
      if (most == null || most == 0) {
        return Optional.empty();
      }
      least = Math.min(least, Math.max(0, most - each.bytesOfOthers(bytesPerKey)));
    }
    double seconds = (double) least * servers.size() / (keysPerSecond * bytesPerKey);
    return Optional.of(Duration.ofSeconds((long) seconds));
  }
}
