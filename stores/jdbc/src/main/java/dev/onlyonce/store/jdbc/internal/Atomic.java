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
      if (!done) {
        rollBack(connection);
      }
      connection.setAutoCommit(true);
    }
  }

  /** What made it fail matters more than that it cannot be undone: the server does that. */
  private static void rollBack(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      // A connection that cannot roll back is gone, and its transaction with it.
    }
  }
}
