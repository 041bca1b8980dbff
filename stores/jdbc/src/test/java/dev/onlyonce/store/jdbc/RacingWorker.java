package dev.onlyonce.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.testkit.process.ProcessRace;

/** Races for the keys of a store; the argument is its URL. */
final class RacingWorker {

  private RacingWorker() {}

  public static void main(String[] args) {
    try (HikariDataSource pool = Pools.pool(args[0], "READ_COMMITTED", 4);
        JdbcStore store = JdbcStore.open(pool)) {
      ProcessRace.run(store);
    }
  }
}
