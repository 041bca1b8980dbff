package dev.onlyonce.store.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;

/** Several statements in one transaction: the caller's if there is one, else one of their own. */
final class Atomic {

  /** Statements with an answer. */
  interface Work<A> {
    A run() throws SQLException;
  }

  private Atomic() {}

  static <A> A on(Connection connection, Work<A> work) throws SQLException {
    if (!connection.getAutoCommit()) {
      return work.run();
    }
    connection.setAutoCommit(false);
    boolean done = false;
    try {
      A answer = work.run();
      connection.commit();
      done = true;
      return answer;
    } finally {
      // Switching auto-commit on would commit what could not be rolled back.
      if (done || isRolledBack(connection)) {
        connection.setAutoCommit(true);
      }
    }
  }

  /** A connection that cannot roll back is gone, and its transaction with it. */
  private static boolean isRolledBack(Connection connection) {
    try {
      connection.rollback();
      return true;
    } catch (SQLException e) {
      return false;
    }
  }
}
