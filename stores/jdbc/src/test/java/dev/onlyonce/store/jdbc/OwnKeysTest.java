package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link OwnKeysRules} on each database. */
@ExtendWith(Servers.class)
class OwnKeysTest {

  @Nested
  class PostgreSql extends OwnKeysRules {
    PostgreSql(Database<PostgreSqlServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }
  }

  @Nested
  class MariaDb extends OwnKeysRules {
    MariaDb(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }
  }

  @Nested
  class MariaDbRepeatableRead extends OwnKeysRules {
    MariaDbRepeatableRead(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "REPEATABLE_READ"));
    }
  }

  @Nested
  class MariaDbByMySqlsDriver extends OwnKeysRules {
    MariaDbByMySqlsDriver(Database<MariaDbServer> database) {
      super(Pools.of(Pools.connectorJ(database.url()), "REPEATABLE_READ"));
    }
  }

  @Nested
  class H2 extends OwnKeysRules {
    H2() {
      super(Pools.of("jdbc:h2:mem:keys;DB_CLOSE_DELAY=-1", "READ_COMMITTED"));
    }
  }
}
