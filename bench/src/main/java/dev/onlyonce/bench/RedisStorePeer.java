package dev.onlyonce.bench;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.CombiningStore;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.store.redis.RedisStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Our store. */
class RedisStorePeer implements RedisPeer {

  static final Scope SCOPE = Scope.of("bench");

  private static final int MOVED_TOGETHER = 50_000;

  private final ClaimStore store;
  private final boolean compares;

  private RedisStorePeer(ClaimStore store, boolean compares) {
    this.store = store;
    this.compares = compares;
  }

  static RedisPeer of(List<String> uris) {
    return new RedisStorePeer(open(uris), false);
  }

  /** A store with a compact tier for so many keys, to which all move now and then. */
  static RedisPeer compact(List<String> uris, int keys) {
    RedisStore store =
        RedisStore.at(uris.toArray(String[]::new))
            .patience(Duration.ZERO)
            .compactTier(Duration.ZERO, keys)
            .open();
    return new RedisStorePeer(store, false) {
      private int handled;

      @Override
      public int handle(byte[][] batch) {
        int fresh = super.handle(batch);
        handled += batch.length;
        if (handled >= MOVED_TOGETHER) {
          handled = 0;
          while (store.purge(MOVED_TOGETHER) > 0) {
            // until all have moved
          }
        }
        return fresh;
      }
    };
  }

  static RedisPeer withFingerprints(List<String> uris) {
    return new RedisStorePeer(open(uris), true);
  }

  static RedisPeer combined(List<String> uris) {
    return new RedisStorePeer(CombiningStore.over(open(uris)), false);
  }

  static RedisPeer at(String prefix, List<String> uris) {
    return new RedisStorePeer(
        RedisStore.at(uris.toArray(String[]::new)).prefix(prefix).open(), false);
  }

  private static RedisStore open(List<String> uris) {
    return RedisStore.at(uris.toArray(String[]::new)).open();
  }

  @Override
  public boolean claim(byte[] key) {
    return store.claim(List.of(request(key))).get(0) instanceof Answer.Claimed;
  }

  @Override
  public int claim(byte[][] keys) {
    int fresh = 0;
    for (Answer answer : store.claim(requests(keys))) {
      fresh += answer instanceof Answer.Claimed ? 1 : 0;
    }
    return fresh;
  }

  @Override
  public boolean handle(byte[] key) {
    return handle(List.of(request(key))) == 1;
  }

  @Override
  public int handle(byte[][] keys) {
    return handle(requests(keys));
  }

  private int handle(List<ClaimRequest> requests) {
    List<Settlement> completions = new ArrayList<>(requests.size());
    for (Answer answer : store.claim(requests)) {
      if (answer instanceof Answer.Claimed claimed) {
        completions.add(new Settlement.Complete(claimed.claim(), Result.NONE, Limits.RETENTION));
      }
    }
    if (!completions.isEmpty()) {
      store.settle(completions);
    }
    return completions.size();
  }

  private List<ClaimRequest> requests(byte[][] keys) {
    List<ClaimRequest> requests = new ArrayList<>(keys.length);
    for (byte[] key : keys) {
      requests.add(request(key));
    }
    return requests;
  }

  private ClaimRequest request(byte[] key) {
    long requestId = ThreadLocalRandom.current().nextLong();
    return ClaimRequest.of(SCOPE, Key.ofBytes(key), requestId, Limits.LEASE, Lapse.TAKE)
        .withFingerprint(fingerprint(requestId));
  }

  private @Nullable Fingerprint fingerprint(long bits) {
    return compares
        ? Fingerprint.ofBytes(ByteBuffer.allocate(16).putLong(bits).putLong(~bits).array())
        : null;
  }

  @Override
  public void close() {
    store.close();
  }
}
