package dev.onlyonce.store.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;

/** Brings statements to a connection, and says what their faults mean. */
interface Runner {

  /** What is done with a connection; it may be done again from the start. */
  interface Work<A> {
    A on(Connection connection) throws SQLException;
  }

  /** Whether the connection is in a transaction of the caller's, and stays in it. */
  boolean isInside();

  /**
   * Does it.
   *
   * @throws dev.onlyonce.spi.StoreException if the database does not
   */
  <A> A run(Work<A> work);
}
