package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class PostgreSqlContractTest extends JdbcContract {
  PostgreSqlContractTest(Database<PostgreSqlServer> database) {
    super(Pools.of(Pools.quick(database.url()), "READ_COMMITTED"), SqlDialect.POSTGRESQL);
  }
}
