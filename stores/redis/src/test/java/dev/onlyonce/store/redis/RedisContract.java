package dev.onlyonce.store.redis;

import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.testkit.ClaimReaderContract;
import dev.onlyonce.testkit.ClaimStoreContract;
import dev.onlyonce.testkit.DurableStoreContract;
import dev.onlyonce.testkit.ServerClock;
import dev.onlyonce.testkit.SharedStoreContract;
import dev.onlyonce.testkit.StoreSettings;
import java.util.concurrent.atomic.AtomicInteger;

/** The contracts, wherever the servers are. Each store has a prefix of its own. */
abstract class RedisContract extends ClaimStoreContract
    implements ServerClock, ClaimReaderContract, SharedStoreContract, DurableStoreContract {

  private static final AtomicInteger STORES = new AtomicInteger();

  private String prefix;

  abstract String[] urls();

  /** Returns a builder of the store under a prefix. */
  RedisStore.Builder builder(String prefix) {
    return RedisStore.at(urls()).prefix(prefix);
  }

  @Override
  public ClaimStore open(StoreSettings settings) {
    prefix = "store-" + STORES.incrementAndGet();
    return reopen(settings);
  }

  @Override
  public ClaimStore openBeside(StoreSettings settings) {
    return reopen(settings);
  }

  @Override
  public ClaimStore reopen(StoreSettings settings) {
    return builder(prefix)
        .purgeGrace(settings.purgeGrace())
        .clockTolerance(settings.clockTolerance())
        .owner(settings.owner())
        .open();
  }
}
