package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@link ProcessRules} on each database. */
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

  @Nested
  class H2 extends ProcessRules {
    H2(@TempDir Path folder) {
      super("jdbc:h2:" + folder.resolve("shared") + ";AUTO_SERVER=TRUE");
    }
  }
}
