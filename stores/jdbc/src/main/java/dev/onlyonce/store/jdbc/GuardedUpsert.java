package dev.onlyonce.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes a row of one's own table unless what is there is as new or newer: the row carries a
 * version of its source, or the token of the claim under which it was written.
 *
 * <p><b>Guarantee.</b> Whatever order the writes come in, and however often, the row ends as the
 * one with the largest number. A row that was written stays locked until the transaction ends.
 *
 * <p><b>Thread-safety.</b> Immutable; a connection belongs to one thread at a time.
 *
 * <p><b>Failure.</b> What the driver throws: the caller rolls back. A row that another transaction
 * has inserted and not committed is waited for. On MariaDB and MySQL, first writes of one row that
 * race may end in a deadlock, which rolls back a transaction that is then to be begun anew.
 */
public final class GuardedUpsert {

  private static final String UNIQUE_ON_H2_AND_POSTGRESQL = "23505";
  private static final int UNIQUE_ON_MYSQL = 1062;
  private static final int TRIES = 5;

  /** What became of a write. The list is complete. */
  public enum Answer {
    /** The row is as it was given. */
    APPLIED,
    /** The row has this very number already: nothing was changed. */
    ALREADY_THERE,
    /** The row has a larger number: nothing was changed. */
    STALE
  }

  private final String update;
  private final String insert;
  private final String look;
  private final String keyColumn;
  private final int columns;

  private GuardedUpsert(String table, String key, String guard, List<String> columns) {
    this.columns = columns.size();
    this.keyColumn = key;
    this.update =
        columns.stream()
            .map(it -> it + " = ?")
            .collect(
                Collectors.joining(
                    ", ",
                    "UPDATE " + table + " SET ",
                    ", " + guard + " = ? WHERE " + key + " = ? AND " + guard + " < ?"));
    this.insert =
        "INSERT INTO "
            + table
            + " ("
            + String.join(", ", columns)
            + ", "
            + guard
            + ", "
            + key
            + ") VALUES ("
            + "?, ".repeat(columns.size() + 1)
            + "?)";
    this.look = "SELECT " + guard + " FROM " + table + " WHERE " + key + " = ?";
  }

  /**
   * Describes the table.
   *
   * @param table its name, possibly with its schema
   * @param key the column that a row is found by; it must have a unique index
   * @param guard the column of the number
   * @param columns the other columns that are written, at least one
   * @throws IllegalArgumentException if one of them is not a plain name
   */
  public static GuardedUpsert into(String table, String key, String guard, String... columns) {
    if (columns.length == 0) {
      throw new IllegalArgumentException("a guarded upsert must write a column beside the guard");
    }
    return new GuardedUpsert(
        Transitions.plain(table),
        Transitions.plain(key),
        Transitions.plain(guard),
        Arrays.stream(columns).map(Transitions::plain).toList());
  }

  /**
   * Writes the row if its number is larger than that of the one that is there.
   *
   * @param values of the columns, in their order
   * @throws SQLException if the database refuses
   */
  public Answer apply(Connection transaction, Object key, long number, Object... values)
      throws SQLException {
    if (values.length != columns) {
      throw new IllegalArgumentException(
          "values must be as many as columns, which are " + columns + ", were " + values.length);
    }
    boolean isPostgreSql = transaction.getMetaData().getDatabaseProductName().equals("PostgreSQL");
    String locking = look + " FOR UPDATE";
    for (int i = 0; i < TRIES; i++) {
      if (run(transaction, update, key, number, values, true) > 0) {
        return Answer.APPLIED;
      }
      // The first look takes no lock: one of a row that is not there would lock a gap.
      Answer answer = compare(transaction, i == 0 ? look : locking, key, number);
      if (answer != null) {
        return answer;
      }
      boolean isLast = i == TRIES - 1;
      if (insert(transaction, key, number, values, isPostgreSql, isLast)) {
        return Answer.APPLIED;
      }
    }
    throw new SQLException("the row " + key + " comes and goes, roll back and try again", "40001");
  }

  private static @Nullable Answer compare(
      Connection transaction, String question, Object key, long number) throws SQLException {
    try (PreparedStatement select = transaction.prepareStatement(question)) {
      select.setObject(1, key);
      try (ResultSet rows = select.executeQuery()) {
        if (!rows.next()) {
          return null;
        }
        long found = rows.getLong(1);
        if (rows.wasNull()) {
          throw new SQLException(
              "the row " + key + " has no number in its guard, which must not be null", "22004");
        }
        if (found == number) {
          return Answer.ALREADY_THERE;
        }
        return found > number ? Answer.STALE : null;
      }
    }
  }

  /**
   * Never by an error of this key on PostgreSQL, which would end the transaction.
   *
   * @param isLast whether a row in the way is an error: there is none of this key, so it is one
   *     with another value that must be unique
   */
  private boolean insert(
      Connection transaction,
      Object key,
      long number,
      Object[] values,
      boolean isPostgreSql,
      boolean isLast)
      throws SQLException {
    try {
      String sql = isPostgreSql ? insert + " ON CONFLICT (" + keyColumn + ") DO NOTHING" : insert;
      return run(transaction, sql, key, number, values, false) == 1;
    } catch (SQLException e) {
      boolean isInTheWay =
          e.getErrorCode() == UNIQUE_ON_MYSQL
              || UNIQUE_ON_H2_AND_POSTGRESQL.equals(e.getSQLState());
      if (isInTheWay && !isPostgreSql && !isLast) {
        return false;
      }
      throw e;
    }
  }

  private int run(
      Connection transaction,
      String sql,
      Object key,
      long number,
      Object[] values,
      boolean isGuarded)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.setLong(values.length + 1, number);
      statement.setObject(values.length + 2, key);
      if (isGuarded) {
        statement.setLong(values.length + 3, number);
      }
      return statement.executeUpdate();
    }
  }
}
