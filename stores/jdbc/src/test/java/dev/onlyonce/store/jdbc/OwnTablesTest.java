package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link OwnTablesRules} on each database; the pools commit by themselves, or do not. */
@ExtendWith(Servers.class)
class OwnTablesTest {

  @Nested
  class PostgreSql extends OwnTablesRules {
    PostgreSql(Database<PostgreSqlServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }
  }

  @Nested
  class MariaDb extends OwnTablesRules {
    MariaDb(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }
  }

  @Nested
  class MariaDbByMySqlsDriver extends OwnTablesRules {
    MariaDbByMySqlsDriver(Database<MariaDbServer> database) {
      super(Pools.of(Pools.connectorJ(database.url()), "REPEATABLE_READ"));
    }
  }

  @Nested
  class H2 extends OwnTablesRules {
    H2() {
      super(Pools.of("jdbc:h2:mem:own;DB_CLOSE_DELAY=-1", "READ_COMMITTED"));
    }
  }
}
