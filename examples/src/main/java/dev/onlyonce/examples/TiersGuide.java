package dev.onlyonce.examples;

import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.store.jdbc.JdbcStore;
import dev.onlyonce.store.redis.RedisStore;
import dev.onlyonce.store.tiered.Authority;
import dev.onlyonce.store.tiered.TieredStore;
import java.time.Duration;
import javax.sql.DataSource;

/** The pieces of docs/guides/tiers.md; a test compares and runs them. */
final class TiersGuide {

  // region open
  TieredStore open(DataSource database, String redis) {
    return TieredStore.with(Authority.DATABASE)
        .database(JdbcStore.open(database))
        .fast(
            () ->
                RedisStore.at(redis)
                    .prefix("payments-copies")
                    .timeout(Duration.ofMillis(250))
                    .patience(Duration.ZERO)
                    .remakeLostShards()
                    .withoutWarnings()
                    .asTier()
                    .open())
        .near(64 << 20, Duration.ofSeconds(10))
        .filter(KeyFilter.forKeys(1_000_000).scalable())
        .open();
  }

  // endregion

  // region behind
  TieredStore openBehind(DataSource database, String redis) {
    return TieredStore.with(Authority.REDIS)
        .database(JdbcStore.on(database).asTier().open())
        .fast(() -> RedisStore.at(redis).prefix("payments").asTier().open())
        .open();
  }

  // endregion
}
