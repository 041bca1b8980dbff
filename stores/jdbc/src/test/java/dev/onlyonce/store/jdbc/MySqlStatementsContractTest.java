package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.extension.ExtendWith;

/** The statements for MySQL, through its own driver, on a MariaDB server. */
@ExtendWith(Servers.class)
class MySqlStatementsContractTest extends JdbcContract {
  MySqlStatementsContractTest(Database<MariaDbServer> database) {
    super(Pools.of(Pools.connectorJ(database.url()), "READ_COMMITTED"), SqlDialect.MYSQL);
  }
}
