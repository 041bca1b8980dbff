package dev.onlyonce.store.jdbc;

class MariaDbContractTest extends JdbcContract {
  MariaDbContractTest() {
    super(
        Pools.of(QuickMariaDb.url(MariaDbContractTest.class), "READ_COMMITTED"),
        SqlDialect.MARIADB);
  }
}
