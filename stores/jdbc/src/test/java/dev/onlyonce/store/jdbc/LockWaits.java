package dev.onlyonce.store.jdbc;

import javax.sql.DataSource;

/** What a server says of sessions that wait for one another. */
final class LockWaits {

  private LockWaits() {}

  /** Tells whether a session waits for what another one has locked. */
  static boolean areThere(DataSource source, SqlDialect dialect) {
    String waiting =
        switch (dialect) {
          case POSTGRESQL -> "SELECT count(*) FROM pg_locks WHERE NOT granted";
          case MARIADB, MYSQL ->
              "SELECT variable_value FROM information_schema.global_status"
                  + " WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'";
          case H2 ->
              "SELECT count(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL";
        };
    return Pools.number(source, waiting) > 0;
  }
}
