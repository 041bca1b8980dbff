package dev.onlyonce.store.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * The history of keys: a row for each claim that is made and each that ends, written in the
 * transaction that makes it, if the tables say that they are kept.
 *
 * @param keptMillis how long they are kept, 0 not to write any
 */
record Events(Dialect dialect, long keptMillis) {

  /** Runs a statement that may change rows of these items, and writes down what it has changed. */
  <A> A of(Connection connection, List<? extends Item> items, long stamp, Atomic.Work<A> statement)
      throws SQLException {
    if (keptMillis == 0) {
      return statement.run();
    }
    return Atomic.on(
        connection,
        () -> {
          A answer = statement.run();
          dialect.record(connection, items, stamp);
          return answer;
        });
  }

  /** Forgets some that are older than they are kept. */
  void purge(Connection connection, int limit) throws SQLException {
    if (keptMillis > 0) {
      dialect.purgeEvents(connection, limit, keptMillis);
    }
  }
}
