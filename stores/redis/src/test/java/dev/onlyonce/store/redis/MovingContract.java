package dev.onlyonce.store.redis;

import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.testkit.StoreSettings;
import java.time.Duration;

/** The contracts, of a store whose keys move to its compact tier as soon as they are done. */
abstract class MovingContract extends RedisContract {

  @Override
  RedisStore.Builder builder(String prefix) {
    return super.builder(prefix).patience(Duration.ZERO).compactTier(Duration.ZERO, 1_000);
  }

  @Override
  public ClaimStore reopen(StoreSettings settings) {
    return new MovingStore((RedisStore) super.reopen(settings));
  }

  @Override
  public ClaimReader reader(ClaimStore store) {
    return ((MovingStore) store).store();
  }
}
