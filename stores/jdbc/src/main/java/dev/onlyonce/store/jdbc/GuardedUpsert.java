package dev.onlyonce.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
 * <p><b>Failure.</b> What the driver throws, and an {@link SQLException} where the column of the
 * key takes two for one: the caller rolls back. A row that another transaction has inserted and not
 * committed is waited for. On MariaDB and MySQL, first writes of one row that race may end in a
 * deadlock, which rolls back a transaction that is then to be begun anew.
 */
public final class GuardedUpsert {

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

  private final OwnTable table;
  private final String update;
  private final String insert;
  private final String look;
  private final int columns;

  private GuardedUpsert(OwnTable table, String guard, List<String> columns) {
    this.table = table;
    this.columns = columns.size();
    List<String> written = Stream.concat(columns.stream(), Stream.of(guard)).toList();
    this.insert = table.insertOf(written);
    this.update =
        written.stream()
            .map(it -> it + " = ?")
            .collect(
                Collectors.joining(
                    ", ",
                    "UPDATE " + table.name() + " SET ",
                    " WHERE " + table.key() + " = ? AND " + guard + " < ?"));
    this.look =
        "SELECT %s, %s FROM %s WHERE %s = ?"
            .formatted(guard, table.key(), table.name(), table.key());
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
        new OwnTable(table, key),
        OwnTable.plain(guard),
        Arrays.stream(columns).map(OwnTable::plain).toList());
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
    Object[] row = Arrays.copyOf(values, columns + 2);
    row[columns] = number;
    row[columns + 1] = key;
    for (int i = 0; i < TRIES; i++) {
      // The first look takes no lock: one of a row that is not there would lock a gap.
      Long found = find(transaction, i == 0 ? look : look + " FOR UPDATE", key);
      if (found == null) {
        if (table.insert(transaction, insert, i == TRIES - 1, row)) {
          return Answer.APPLIED;
        }
      } else if (found >= number) {
        return found == number ? Answer.ALREADY_THERE : Answer.STALE;
      } else if (update(transaction, row, number)) {
        return Answer.APPLIED;
      }
    }
    throw table.restless(transaction, key);
  }

  private @Nullable Long find(Connection transaction, String question, Object key)
      throws SQLException {
    try (PreparedStatement select = transaction.prepareStatement(question)) {
      select.setObject(1, key);
      try (ResultSet rows = select.executeQuery()) {
        if (!rows.next()) {
          return null;
        }
        table.requireSame(rows, 2, key);
        long found = rows.getLong(1);
        if (rows.wasNull()) {
          throw new SQLException(
              "the row " + key + " has no number in its guard, which must not be null", "22004");
        }
        return found;
      }
    }
  }

  private boolean update(Connection transaction, Object[] row, long number) throws SQLException {
    try (PreparedStatement statement = transaction.prepareStatement(update)) {
      for (int i = 0; i < row.length; i++) {
        statement.setObject(i + 1, row[i]);
      }
      statement.setLong(row.length + 1, number);
      return statement.executeUpdate() > 0;
    }
  }
}
