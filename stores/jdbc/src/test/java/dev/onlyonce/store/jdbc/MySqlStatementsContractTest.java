package dev.onlyonce.store.jdbc;

/** The statements for MySQL, through its own driver, on a MariaDB server. */
class MySqlStatementsContractTest extends JdbcContract {
  MySqlStatementsContractTest() {
    super(
        Pools.of(
            Pools.connectorJ(QuickMariaDb.url(MySqlStatementsContractTest.class)),
            "READ_COMMITTED"),
        SqlDialect.MYSQL);
  }
}
