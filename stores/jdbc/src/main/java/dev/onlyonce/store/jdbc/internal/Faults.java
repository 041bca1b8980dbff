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

  private Faults() {}

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
