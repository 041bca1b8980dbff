package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link KnownFailureRules} on each server. */
@ExtendWith(Servers.class)
class KnownFailureTest {

  @Nested
  class PostgreSql extends KnownFailureRules {
    private final String url;

    PostgreSql(Database<PostgreSqlServer> database) {
      super(database.url());
      url = database.url();
    }

    @Override
    String inZone(String offset) {
      return url; // its driver gives a session the zone of the JVM
    }
  }

  @Nested
  class MariaDb extends KnownFailureRules {
    private final String url;

    MariaDb(Database<MariaDbServer> database) {
      super(database.url());
      url = database.url();
    }

    @Override
    String inZone(String offset) {
      return url + "&sessionVariables=time_zone='" + offset + "'";
    }
  }
}
