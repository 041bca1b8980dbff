package dev.onlyonce.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.process.RenewalRules;
import dev.onlyonce.testkit.process.TcpFaultProxy;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link RenewalRules} on each server, without a time-out of the connections. */
@ExtendWith(Servers.class)
class RenewalTest {

  private abstract static class OnDatabase extends RenewalRules {
    private final Database<?> database;

    OnDatabase(Database<?> database) {
      this.database = database;
    }

    @Override
    protected Workers open() {
      TcpFaultProxy proxy = closing(TcpFaultProxy.to(database.address()));
      HikariDataSource direct = pool(database);
      JdbcStore second = closing(JdbcStore.on(direct).createTables().open());
      Pools.run(direct, "DELETE FROM onlyonce_claim");
      JdbcStore holder = closing(JdbcStore.open(pool(database.through(proxy.port()))));
      return new Workers(List.of(proxy), holder, second);
    }

    private HikariDataSource pool(Database<?> way) {
      return closing(Pools.pool(way.url(), "READ_COMMITTED", 4));
    }
  }

  @Nested
  class PostgreSql extends OnDatabase {
    PostgreSql(Database<PostgreSqlServer> database) {
      super(database);
    }
  }

  @Nested
  class MariaDb extends OnDatabase {
    MariaDb(Database<MariaDbServer> database) {
      super(database);
    }
  }
}
