package dev.onlyonce.store.jdbc;

class H2ContractTest extends JdbcContract {
  H2ContractTest() {
    super(Pools.of("jdbc:h2:mem:contract;DB_CLOSE_DELAY=-1", "READ_COMMITTED"), SqlDialect.H2);
  }
}
