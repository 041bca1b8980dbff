package dev.onlyonce.examples;

import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.CombiningStore;
import dev.onlyonce.store.redis.RedisStore;
import java.time.Duration;
import java.util.Optional;

/** The pieces of docs/guides/redis.md; a test compares them and runs them. */
final class RedisGuide {

  // region open
  ClaimStore open(String uri) {
    return CombiningStore.over(RedisStore.open(uri));
  }

  // endregion

  // region cluster
  ClaimStore openCluster(String... nodes) {
    return RedisStore.at(nodes)
        .prefix("payments")
        .owner("payments-7")
        .waitForReplicas(1, Duration.ofMillis(500))
        .open();
  }

  // endregion

  // region window
  Optional<Duration> window(RedisStore store, double newKeysPerSecond) {
    return store.findings().window(newKeysPerSecond, 96);
  }

  // endregion

  // region compact
  ClaimStore openCompact(String uri) {
    return RedisStore.at(uri).compactTier(Duration.ofHours(1), 50_000_000).open();
  }

  // endregion
}
