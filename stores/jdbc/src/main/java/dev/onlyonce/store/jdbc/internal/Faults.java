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

  private Faults() {}

  /** Tells whether the user lacks a permission. */
  static boolean isDenied(SQLException e) {
    return DENIED_STATES.contains(String.valueOf(e.getSQLState()))
        || DENIED_CODES.contains(e.getErrorCode());
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
