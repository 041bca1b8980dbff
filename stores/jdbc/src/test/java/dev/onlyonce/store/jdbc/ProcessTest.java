package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link ProcessRules} on each server. */
@ExtendWith(Servers.class)
class ProcessTest {

  @Nested
  class PostgreSql extends ProcessRules {
    PostgreSql(Database<PostgreSqlServer> database) {
      super(database.url());
    }
  }

  @Nested
  class MariaDb extends ProcessRules {
    MariaDb(Database<MariaDbServer> database) {
      super(database.url());
    }
  }
}
