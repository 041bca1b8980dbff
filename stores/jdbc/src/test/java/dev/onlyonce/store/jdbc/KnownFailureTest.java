package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@link KnownFailureRules} on each database. */
@ExtendWith(Servers.class)
class KnownFailureTest {

  @Nested
  class PostgreSql extends KnownFailureRules {
    PostgreSql(Database<PostgreSqlServer> database) {
      super(database.url());
    }

    @Override
    String inZone(String offset) {
      return url; // its driver gives a session the zone of the JVM
    }
  }

  @Nested
  class MariaDb extends KnownFailureRules {
    MariaDb(Database<MariaDbServer> database) {
      super(database.url());
    }

    @Override
    String inZone(String offset) {
      return url + "&sessionVariables=time_zone='" + offset + "'";
    }
  }

  @Nested
  class H2 extends KnownFailureRules {
    H2(@TempDir Path folder) {
      super("jdbc:h2:" + folder.resolve("zones") + ";AUTO_SERVER=TRUE");
    }

    @Override
    String inZone(String offset) {
      return url + ";TIME ZONE=" + offset;
    }
  }
}
