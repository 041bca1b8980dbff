package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link FaultRules} on each server. */
@ExtendWith(Servers.class)
class FaultTest {

  @Nested
  class PostgreSql extends FaultRules {
    PostgreSql(PostgreSqlServer server) {
      super(server, server.url());
    }
  }

  @Nested
  class MariaDb extends FaultRules {
    MariaDb(MariaDbServer server) {
      super(server, server.url());
    }
  }

  @Nested
  class MariaDbByMySqlsDriver extends FaultRules {
    MariaDbByMySqlsDriver(MariaDbServer server) {
      super(server, Pools.connectorJ(server.url()));
    }
  }
}
