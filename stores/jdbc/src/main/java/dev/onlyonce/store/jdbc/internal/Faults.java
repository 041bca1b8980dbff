package dev.onlyonce.store.jdbc.internal;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/** What the classes of SQLSTATE say that are the same everywhere. */
final class Faults {

  private static final Set<String> REJECTED =
      Set.of("0A", "21", "22", "23", "26", "28", "3D", "3F", "42");

  /** PostgreSQL; H2. */
  private static final Set<String> DENIED_STATES = Set.of("42501", "90096");

  /** MariaDB and MySQL: of a database, of a table, of a column. */
  private static final Set<Integer> DENIED_CODES = Set.of(1044, 1142, 1143);

  /** PostgreSQL; MariaDB and MySQL, and H2 in three ways. */
  private static final Set<String> TABLE_MISSING = Set.of("42P01", "42S02", "42S03", "42S04");

  private Faults() {}

  /** Tells whether the user lacks a permission. */
  static boolean isDenied(SQLException e) {
    return DENIED_STATES.contains(String.valueOf(e.getSQLState()))
        || DENIED_CODES.contains(e.getErrorCode());
  }

  static boolean isTableMissing(SQLException e) {
    return TABLE_MISSING.contains(String.valueOf(e.getSQLState()));
  }

  /** Returns what the database said, in one line. */
  static String said(SQLException e) {
    return String.valueOf(e.getMessage()).replaceAll("\\s*\\R\\s*", "; ");
  }

  static Fault byClass(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    String family = state.length() < 2 ? state : state.substring(0, 2);
    if (family.equals("08")
        || e instanceof SQLNonTransientConnectionException
        || e instanceof SQLTransientConnectionException
        || e instanceof SQLRecoverableException) {
      return Fault.CONNECTION_LOST;
    }
    if (family.equals("40")) {
      return Fault.CONFLICT;
    }
    return REJECTED.contains(family) ? Fault.REJECTED : Fault.UNAVAILABLE;
  }
}
