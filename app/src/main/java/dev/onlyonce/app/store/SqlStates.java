package dev.onlyonce.app.store;

import java.sql.SQLException;
import java.util.Set;

/** What the databases say in their own codes. */
final class SqlStates {

  /** PostgreSQL; H2. */
  private static final Set<String> DENIED_STATES = Set.of("42501", "90096");

  /** MariaDB and MySQL: to a database, of a table, of a column. */
  private static final Set<Integer> DENIED_CODES = Set.of(1044, 1142, 1143);

  /** PostgreSQL; MariaDB and MySQL, and H2 in three ways. */
  private static final Set<String> TABLE_MISSING = Set.of("42P01", "42S02", "42S03", "42S04");

  /** PostgreSQL. */
  private static final String DATABASE_MISSING = "3D000";

  /** MariaDB and MySQL. */
  private static final int DATABASE_UNKNOWN = 1049;

  private static final String LOGIN_REFUSED = "28";

  /** What PostgreSQL's driver says when it has not what the server asks for. */
  private static final String CONNECTION_REJECTED = "08004";

  private SqlStates() {}

  /** Tells whether the user lacks a permission. */
  static boolean isDenied(SQLException e) {
    return DENIED_STATES.contains(state(e)) || DENIED_CODES.contains(e.getErrorCode());
  }

  static boolean isTableMissing(SQLException e) {
    return TABLE_MISSING.contains(state(e));
  }

  static boolean isDatabaseMissing(SQLException e) {
    return state(e).equals(DATABASE_MISSING) || e.getErrorCode() == DATABASE_UNKNOWN;
  }

  /** Tells whether the user is not let in as what he says he is. */
  static boolean isLoginRefused(SQLException e) {
    return state(e).startsWith(LOGIN_REFUSED);
  }

  static boolean isRejected(SQLException e) {
    return state(e).equals(CONNECTION_REJECTED);
  }

  private static String state(SQLException e) {
    return String.valueOf(e.getSQLState());
  }
}
