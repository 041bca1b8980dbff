package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.testkit.ClaimReaderContract;
import dev.onlyonce.testkit.ServerClock;
import dev.onlyonce.testkit.SharedStoreContract;
import dev.onlyonce.testkit.StoreSettings;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** Processes that share a database, whose pools hand out connections of higher isolation. */
@ExtendWith(Servers.class)
class IsolationTest {

  /** The contracts in which processes race and look. */
  abstract static class Rules implements ServerClock, SharedStoreContract, ClaimReaderContract {
    private final DataSource source;

    Rules(DataSource source) {
      this.source = source;
    }

    @Override
    public ClaimStore open(StoreSettings settings) {
      JdbcStore store = JdbcStore.on(source).owner(settings.owner()).createTables().open();
      Pools.run(source, "DELETE FROM onlyonce_claim");
      return store;
    }

    @Override
    public ClaimStore openBeside(StoreSettings settings) {
      return JdbcStore.on(source).owner(settings.owner()).open();
    }

    @AfterAll
    static void close() {
      Pools.close();
    }
  }

  @Nested
  class PostgreSqlRepeatableRead extends Rules {
    PostgreSqlRepeatableRead(Database<PostgreSqlServer> database) {
      super(Pools.of(Pools.quick(database.url()), "REPEATABLE_READ"));
    }
  }

  @Nested
  class PostgreSqlSerializable extends Rules {
    PostgreSqlSerializable(Database<PostgreSqlServer> database) {
      super(Pools.of(Pools.quick(database.url()), "SERIALIZABLE"));
    }
  }

  @Nested
  class MariaDbRepeatableRead extends Rules {
    MariaDbRepeatableRead(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "REPEATABLE_READ"));
    }
  }

  @Nested
  class MariaDbSerializable extends Rules {
    MariaDbSerializable(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "SERIALIZABLE"));
    }
  }

  // Assignments that do not see one another: MySql says why that matters.
  @Nested
  class MariaDbWithSimultaneousAssignment extends Rules {
    MariaDbWithSimultaneousAssignment(Database<MariaDbServer> database) {
      super(
          Pools.of(
              database.url() + "&sessionVariables=sql_mode='SIMULTANEOUS_ASSIGNMENT'",
              "READ_COMMITTED"));
    }
  }
}
