package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link InboxEffectRules} on each database. */
@ExtendWith(Servers.class)
class InboxEffectTest {

  @Nested
  class PostgreSql extends InboxEffectRules {
    PostgreSql(Database<PostgreSqlServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }
  }

  @Nested
  class MariaDb extends InboxEffectRules {
    MariaDb(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }
  }

  @Nested
  class MariaDbByMySqlsDriver extends InboxEffectRules {
    MariaDbByMySqlsDriver(Database<MariaDbServer> database) {
      super(Pools.of(Pools.connectorJ(database.url()), "REPEATABLE_READ"));
    }
  }

  @Nested
  class H2 extends InboxEffectRules {
    H2() {
      super(Pools.of("jdbc:h2:mem:effects;DB_CLOSE_DELAY=-1", "READ_COMMITTED"));
    }
  }
}
