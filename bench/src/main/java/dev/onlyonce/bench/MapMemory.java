package dev.onlyonce.bench;

import com.github.benmanes.caffeine.cache.Caffeine;
import dev.onlyonce.spi.Limits;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one would write oneself: text keys to records with state, token, request id and the end of
 * the lease or the retention, claimed and completed atomically and without a lock of one's own.
 *
 * <p>It does less than the store: no bound, no purge (Caffeine has both), no fingerprints, results,
 * attempts or checkpoints, and its tokens are the time alone.
 */
final class MapMemory implements Memory {

  private static final long LEASE = Limits.LEASE.toNanos();
  private static final long RETENTION = Limits.RETENTION.toNanos();

  private final ConcurrentMap<String, Entry> entries;

  private enum State {
    CLAIMED,
    DONE
  }

  private static final class Entry {
    final State state;
    final long token;
    final long requestId;
    final long endNanos;

    Entry(State state, long token, long requestId, long endNanos) {
      this.state = state;
      this.token = token;
      this.requestId = requestId;
      this.endNanos = endNanos;
    }
  }

  private MapMemory(ConcurrentMap<String, Entry> entries) {
    this.entries = entries;
  }

  static Memory concurrentHashMap() {
    return new MapMemory(new ConcurrentHashMap<>());
  }

  /** A cache that forgets at the end of the retention, which is all that it is asked to do. */
  static Memory caffeine() {
    return new MapMemory(
        Caffeine.newBuilder()
            .expireAfterWrite(RETENTION, TimeUnit.NANOSECONDS)
            .<String, Entry>build()
            .asMap());
  }

  @Override
  public boolean handle(byte[] bytes) {
    String key = MessageKeys.text(bytes);
    Entry claim = claim(key, ThreadLocalRandom.current().nextLong(), System.nanoTime());
    return claim != null && complete(key, claim, System.nanoTime());
  }

  /** Returns the claim, null if the key is done or claimed by another. */
  private @Nullable Entry claim(String key, long requestId, long now) {
    Entry found = entries.get(key);
    if (found != null && now - found.endNanos < 0) {
      return found.requestId == requestId && found.state == State.CLAIMED ? found : null;
    }
    Entry claim = new Entry(State.CLAIMED, now, requestId, now + LEASE);
    boolean mine =
        found == null
            ? entries.putIfAbsent(key, claim) == null
            : entries.replace(key, found, claim);
    return mine ? claim : null;
  }

  private boolean complete(String key, Entry claim, long now) {
    Entry done = new Entry(State.DONE, claim.token, claim.requestId, now + RETENTION);
    return entries.replace(key, claim, done);
  }
}
