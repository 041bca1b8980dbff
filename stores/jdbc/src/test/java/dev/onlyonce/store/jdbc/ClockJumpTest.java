package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link ClockJumpRules} on each database. */
@ExtendWith(Servers.class)
class ClockJumpTest {

  @Nested
  class PostgreSql extends ClockJumpRules {
    PostgreSql(Database<PostgreSqlServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }
  }

  @Nested
  class MariaDb extends ClockJumpRules {
    MariaDb(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }
  }

  @Nested
  class H2 extends ClockJumpRules {
    H2() {
      super(Pools.of("jdbc:h2:mem:clock;DB_CLOSE_DELAY=-1", "READ_COMMITTED"));
    }
  }
}
