package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * Runs statements on connections that are borrowed for each, one at a time: a pool of one is
 * enough. They commit by themselves at READ COMMITTED; what the connection was set to is restored.
 *
 * <p>Conflicts are tried again after a short, random while. A connection that was lost is replaced;
 * all work can be repeated, so it does not matter whether it had taken effect.
 */
final class Leased implements Runner {

  private static final int CONFLICTS = 30;
  private static final int LOCKS = 1;
  private static final int LOSSES = 2;
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long SHORTEST_PAUSE = TimeUnit.MICROSECONDS.toNanos(500);

  private final DataSource source;
  private final Dialect dialect;
  private final boolean isReadCommitted;
  private volatile boolean isClosed;

  /**
   * @param isReadCommitted whether the source's connections are at READ COMMITTED, so that none is
   *     asked, which on PostgreSQL is a question to the server. One that is not all the same only
   *     meets more conflicts.
   */
  Leased(DataSource source, Dialect dialect, boolean isReadCommitted) {
    this.source = source;
    this.dialect = dialect;
    this.isReadCommitted = isReadCommitted;
  }

  void close() {
    isClosed = true;
  }

  @Override
  public boolean isInside() {
    return false;
  }

  @Override
  public <A> A run(Work<A> work) {
    int conflicts = 0;
    int locks = 0;
    int losses = 0;
    while (true) {
      requireOpen();
      Connection connection = borrow();
      try {
        return once(connection, work);
      } catch (SQLException e) {
        Fault fault = dialect.fault(e);
        boolean again =
            switch (fault) {
              case CONFLICT -> ++conflicts <= CONFLICTS;
              case LOCKED -> ++locks <= LOCKS;
              case CONNECTION_LOST -> ++losses <= LOSSES;
              default -> false;
            };
        if (!again) {
          throw exception(fault, e);
        }
        pause(conflicts + locks + losses);
      }
    }
  }

  private void requireOpen() {
    if (isClosed) {
      throw new StoreException(Kind.CLOSED, "the JDBC store has been closed, open another one");
    }
  }

  private Connection borrow() {
    try {
      return source.getConnection();
    } catch (SQLException e) {
      throw new StoreException(
          Kind.UNAVAILABLE,
          "no connection could be had from the pool or the driver, see whether the database is up"
              + " and the pool large enough: "
              + e.getMessage(),
          e);
    }
  }

  private <A> A once(Connection borrowed, Work<A> work) throws SQLException {
    try (Connection connection = borrowed) {
      boolean autoCommit = connection.getAutoCommit();
      if (!autoCommit) {
        connection.setAutoCommit(true);
      }
      int isolation =
          isReadCommitted
              ? Connection.TRANSACTION_READ_COMMITTED
              : connection.getTransactionIsolation();
      if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      }
      try {
        return work.on(connection);
      } finally {
        restore(connection, autoCommit, isolation);
      }
    }
  }

  private static void restore(Connection connection, boolean autoCommit, int isolation) {
    try {
      if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
        connection.setTransactionIsolation(isolation);
      }
      if (!autoCommit) {
        connection.setAutoCommit(false);
      }
    } catch (SQLException e) {
      // The connection is gone; what it was asked has its own answer.
    }
  }

  private static void pause(int times) {
    long most = Math.min(LONGEST_PAUSE, SHORTEST_PAUSE << Math.min(times, 10));
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE, most));
  }

  static StoreException exception(Fault fault, SQLException e) {
    String said = Faults.said(e) + " (SQLSTATE " + e.getSQLState() + ", " + e.getErrorCode() + ")";
    return switch (fault) {
      case FULL ->
          new StoreException(
              Kind.FULL, "the database has no room, free or add some of what it names: " + said, e);
      case REJECTED ->
          new StoreException(
              Kind.REJECTED,
              "the database refuses the statement, see whether tables and permissions are as the"
                  + " schema says: "
                  + said,
              e);
      case TOO_LARGE ->
          new StoreException(
              Kind.REJECTED,
              "the statement is larger than the server takes, raise its max_allowed_packet or lower"
                  + " the limit of results: "
                  + said,
              e);
      case LOCKED ->
          new StoreException(
              Kind.UNAVAILABLE,
              "another transaction has a record locked for longer than is waited for, keep those"
                  + " that call holds or settle short, and ask again: "
                  + said,
              e);
      case CONFLICT ->
          new StoreException(
              Kind.UNAVAILABLE,
              "others were in the way every time it was tried, ask again later: " + said,
              e);
      case CONNECTION_LOST ->
          new StoreException(
              Kind.UNAVAILABLE,
              "the connection to the database is gone, or none could be made, see whether it is up,"
                  + " and ask again: "
                  + said,
              e);
      case UNAVAILABLE ->
          new StoreException(
              Kind.UNAVAILABLE,
              "the database did not answer, see whether it is up, and ask again: " + said,
              e);
    };
  }
}
