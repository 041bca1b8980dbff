package dev.onlyonce.store.tiered;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.testkit.StoreSettings;
import dev.onlyonce.testkit.process.ProcessRace;
import java.util.List;

/**
 * Races for the keys of a store; the arguments are the authority, the database, a prefix and the
 * nodes of Redis.
 */
final class RacingWorker {

  private RacingWorker() {}

  public static void main(String[] args) {
    List<String> redis = List.of(args).subList(3, args.length);
    try (HikariDataSource pool = Stores.pool(args[1]);
        TieredStore store = open(Authority.valueOf(args[0]), pool, args[2], redis)) {
      ProcessRace.run(store);
    }
  }

  private static TieredStore open(
      Authority authority, HikariDataSource pool, String prefix, List<String> redis) {
    TieredStore.Builder builder =
        TieredStore.with(authority).database(Stores.database(pool)).near(1 << 20);
    return authority == Authority.REDIS
        ? builder.fast(() -> Stores.front(redis, prefix, StoreSettings.defaults())).open()
        : builder
            .fast(() -> Stores.copies(redis, prefix))
            .filter(KeyFilter.forKeys(ProcessRace.KEYS).scalable())
            .open();
  }
}
