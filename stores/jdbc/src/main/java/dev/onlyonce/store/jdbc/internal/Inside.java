package dev.onlyonce.store.jdbc.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Claim;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.spi.Time;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What is done inside the caller's transaction, on the caller's connection alone. Nothing is tried
 * again here: a conflict has undone what the caller did before.
 */
final class Inside {

  /** The longest name of a source. */
  static final int SOURCE_BYTES = 512;

  private static final String ABORTED = "25P02"; // PostgreSQL: it does nothing more but roll back
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(3);

  private final Dialect dialect;
  private final Verbs verbs;
  private final Tables tables;
  private final long lockWaitNanos;
  private final boolean isUndoneByTimeout;

  /**
   * @param lockWait how long a record that is locked is waited for
   * @param isUndoneByTimeout whether the server rolls back a transaction for a wait that was too
   *     long
   */
  Inside(
      Dialect dialect, Verbs verbs, Tables tables, Duration lockWait, boolean isUndoneByTimeout) {
    this.dialect = dialect;
    this.verbs = verbs;
    this.tables = tables;
    this.lockWaitNanos = TimeUnit.MILLISECONDS.toNanos(Limits.millis(lockWait));
    this.isUndoneByTimeout = isUndoneByTimeout;
  }

  List<Answer> claim(Connection transaction, List<ClaimRequest> batch, Duration maxWait) {
    requireThatTimeoutsUndoNothing();
    return verbs.claimInside(runner(transaction), batch, maxWait, Time.system());
  }

  private void requireThatTimeoutsUndoNothing() {
    if (isUndoneByTimeout) {
      throw new StoreException(
          Kind.REJECTED,
          "the server has innodb_rollback_on_timeout=ON, by which a busy key would undo the"
              + " caller's transaction: switch it off");
    }
  }

  List<Held> settle(Connection transaction, List<? extends Settlement> batch) {
    return verbs.settle(runner(transaction), batch);
  }

  /** Locks the record, or gives up after the lock wait, without harm to the transaction. */
  boolean holds(Connection transaction, Claim claim) {
    requireThatTimeoutsUndoNothing();
    Time time = Time.system();
    long start = time.nanoTime();
    while (true) {
      Optional<Boolean> holds = runner(transaction).run(connection -> tryHold(connection, claim));
      if (holds.isPresent()) {
        return holds.get();
      }
      if (time.nanoTime() - start >= lockWaitNanos) {
        throw new StoreException(
            Kind.UNAVAILABLE,
            "another transaction has the record of key "
                + claim.key()
                + " locked for longer than is waited for, keep those that call holds or settle"
                + " short, and ask again");
      }
      LockSupport.parkNanos(PAUSE);
    }
  }

  /** Nothing if another transaction has the record locked. */
  private Optional<Boolean> tryHold(Connection connection, Claim claim) throws SQLException {
    String sql = "select token, state from {claim} where scope = ? and k = ?";
    if (dialect.survivesLocks()) {
      try {
        return Optional.of(holds(connection, claim, sql + " for update nowait").contains(true));
      } catch (SQLException e) {
        if (dialect.fault(e) == Fault.LOCKED) {
          return Optional.empty();
        }
        throw e;
      }
    }
    List<Boolean> locked = holds(connection, claim, sql + " for update skip locked");
    return !locked.isEmpty() || holds(connection, claim, sql).isEmpty()
        ? Optional.of(locked.contains(true))
        : Optional.empty();
  }

  /** Whether the record is held by this claim; nothing if there is none. */
  private List<Boolean> holds(Connection connection, Claim claim, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(tables.in(sql))) {
      Params params = new Params(statement);
      dialect.setScope(params, claim.scope());
      params.bytes(claim.key().toBytes());
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next()
            ? List.of(
                rows.getLong(1) == claim.token() && rows.getInt(2) == ClaimState.CLAIMED.code())
            : List.of();
      }
    }
  }

  /**
   * Tells whether the transaction has this claim still, which was made in it before all else: a
   * deadlock rolls back all of a transaction on MariaDB, MySQL and H2, and who swallows it goes on
   * in a new one. What was claimed with it shares its fate.
   */
  boolean hasStill(Connection transaction, ClaimRequest request) {
    RecordId id = new RecordId(request.scope(), request.key());
    return runner(transaction)
        .run(
            connection -> {
              try {
                Row row = dialect.find(connection, List.of(id)).get(0).row();
                return row != null && row.record().requestId() == request.requestId();
              } catch (SQLException e) {
                if (ABORTED.equals(e.getSQLState())) {
                  return false;
                }
                throw e;
              }
            });
  }

  /** Gives results to keys that the transaction has made done. */
  void keep(Connection transaction, Map<Claim, Result> results) {
    if (results.isEmpty()) {
      return;
    }
    String sql =
        tables.in(
            "update {claim} set result_kind = ?, result_type = ?, result = ?"
                + " where scope = ? and k = ? and token = ?");
    runner(transaction)
        .run(
            connection -> {
              try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (Map.Entry<Claim, Result> entry : results.entrySet()) {
                  Claim claim = entry.getKey();
                  Result result = entry.getValue();
                  Params params =
                      new Params(statement)
                          .number(Row.Results.kind(result))
                          .bytes(Row.Results.type(result))
                          .bytes(Row.Results.bytes(result));
                  dialect.setScope(params, claim.scope());
                  params.bytes(claim.key().toBytes()).number(claim.token());
                  statement.addBatch();
                }
                return statement.executeBatch();
              }
            });
  }

  void save(Connection transaction, Scope consumer, Map<String, Position> bySource) {
    Map<String, Position> sorted = new TreeMap<>(bySource);
    runner(transaction)
        .run(
            connection -> {
              for (Map.Entry<String, Position> entry : sorted.entrySet()) {
                byte[] source = entry.getKey().getBytes(UTF_8);
                if (source.length > SOURCE_BYTES) {
                  throw new StoreException(
                      Kind.REJECTED,
                      "the name of a source must be at most 512 bytes, was " + source.length);
                }
                dialect.savePosition(connection, consumer, source, entry.getValue());
              }
              return sorted;
            });
  }

  Map<String, Position> load(Connection transaction, Scope consumer) {
    String sql = tables.in("select source, epoch, next from {position} where consumer = ?");
    return runner(transaction)
        .run(
            connection -> {
              Map<String, Position> positions = new HashMap<>();
              try (PreparedStatement statement = connection.prepareStatement(sql)) {
                dialect.setScope(new Params(statement), consumer);
                try (ResultSet rows = statement.executeQuery()) {
                  while (rows.next()) {
                    positions.put(
                        new String(rows.getBytes(1), UTF_8),
                        new Position(rows.getLong(2), rows.getLong(3)));
                  }
                }
              }
              return positions;
            });
  }

  private Runner runner(Connection transaction) {
    return new Runner() {
      @Override
      public boolean isInside() {
        return true;
      }

      @Override
      public <A> A run(Work<A> work) {
        try {
          if (transaction.getAutoCommit()) {
            throw new StoreException(
                Kind.REJECTED,
                "the connection commits every statement by itself, so nothing can commit together:"
                    + " call setAutoCommit(false) first, and commit() at the end");
          }
          return work.on(transaction);
        } catch (SQLException e) {
          throw Leased.exception(dialect.fault(e), e);
        }
      }
    };
  }
}
