package dev.onlyonce.store.tiered;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.testkit.ClaimReaderContract;
import dev.onlyonce.testkit.ClaimStoreContract;
import dev.onlyonce.testkit.DurableStoreContract;
import dev.onlyonce.testkit.ServerClock;
import dev.onlyonce.testkit.SharedStoreContract;
import dev.onlyonce.testkit.StoreSettings;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;

/** All contracts, with the database as the authority and with all tiers above it. */
abstract class TieredContract extends ClaimStoreContract
    implements ServerClock, ClaimReaderContract, SharedStoreContract, DurableStoreContract {

  private static final Map<String, HikariDataSource> POOLS = new ConcurrentHashMap<>();
  private static final AtomicInteger STORES = new AtomicInteger();

  private final Authority authority;
  private final HikariDataSource source;
  private String prefix = "";

  TieredContract(Authority authority, String databaseUrl) {
    this.authority = authority;
    this.source = POOLS.computeIfAbsent(databaseUrl, Stores::quickPool);
  }

  abstract List<String> redis();

  @Override
  public ClaimStore open(StoreSettings settings) {
    prefix = "store-" + STORES.incrementAndGet();
    Stores.database(source).close();
    Stores.empty(source);
    return reopen(settings);
  }

  @Override
  public ClaimStore openBeside(StoreSettings settings) {
    return reopen(settings);
  }

  @Override
  public ClaimStore reopen(StoreSettings settings) {
    TieredStore.Builder builder =
        TieredStore.with(authority).near(1 << 20).database(Stores.database(source, settings));
    if (authority == Authority.REDIS) {
      return builder.fast(() -> Stores.front(redis(), prefix, settings)).open();
    }
    return builder
        .fast(() -> Stores.copies(redis(), prefix))
        .filter(KeyFilter.forKeys(10_000).scalable())
        .open();
  }

  @AfterAll
  static void close() {
    POOLS.values().forEach(HikariDataSource::close);
    POOLS.clear();
  }
}
