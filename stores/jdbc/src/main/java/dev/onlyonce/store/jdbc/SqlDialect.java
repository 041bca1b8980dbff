package dev.onlyonce.store.jdbc;

/** The kinds of database that {@link JdbcStore} speaks to. */
public enum SqlDialect {
  /** PostgreSQL 14 and newer, tested on 18; before 14 a purge would read the whole table. */
  POSTGRESQL,
  /** MariaDB 10.6 and newer, through its own driver or that of MySQL. */
  MARIADB,
  /**
   * MySQL 8. Its statements and its driver are tested against MariaDB; the server itself is not.
   */
  MYSQL,
  /** H2 2.2 and newer, in this process. */
  H2
}
