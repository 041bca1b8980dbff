package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** Consumers whose deliveries are handled in transactions, on each database. */
@ExtendWith(Servers.class)
class InboxDeliveriesTest {

  @Nested
  class OnPostgreSql extends InboxDeliveriesRules {
    OnPostgreSql(Database<PostgreSqlServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }
  }

  @Nested
  class OnPostgreSqlSerializable extends InboxDeliveriesRules {
    OnPostgreSqlSerializable(Database<PostgreSqlServer> database) {
      super(Pools.of(database.url(), "SERIALIZABLE"));
    }
  }

  @Nested
  class OnMariaDb extends InboxDeliveriesRules {
    OnMariaDb(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }
  }

  @Nested
  class OnH2 extends InboxDeliveriesRules {
    OnH2() {
      super(Pools.of("jdbc:h2:mem:deliveries;DB_CLOSE_DELAY=-1", "READ_COMMITTED"));
    }
  }
}
