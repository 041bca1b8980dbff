package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class MariaDbContractTest extends JdbcContract {
  MariaDbContractTest(Database<MariaDbServer> database) {
    super(Pools.of(database.url(), "READ_COMMITTED"), SqlDialect.MARIADB);
  }
}
