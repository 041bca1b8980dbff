package dev.onlyonce.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

/**
 * Inserts a row of one's own table unless it is there: the row is the claim, where a message is
 * known by a key of the business and all that it does is done with that row. No table of the store
 * is needed for it, and the row is remembered as long as it is kept.
 *
 * <p><b>Guarantee.</b> Of all transactions that insert one key and commit, one has it applied. Its
 * other effects belong into the same transaction.
 *
 * <p><b>Thread-safety.</b> Immutable; a connection belongs to one thread at a time.
 *
 * <p><b>Failure.</b> What the driver throws, and an {@link SQLException} where the column of the
 * key takes two for one: the caller rolls back. A row that another transaction has inserted and not
 * committed is waited for. A row that is there is no error, and the transaction goes on, also on
 * PostgreSQL; one with another value that must be unique is.
 */
public final class InsertOnce {

  private static final int TRIES = 5;

  /** What became of an insert. The list is complete. */
  public enum Answer {
    /** The row was inserted now. */
    APPLIED,
    /** There is a row of this key: nothing was changed, and its other values were not compared. */
    ALREADY_THERE
  }

  private final OwnTable table;
  private final String insert;
  private final String look;
  private final int columns;

  private InsertOnce(OwnTable table, List<String> columns) {
    this.table = table;
    this.columns = columns.size();
    this.insert = table.insertOf(columns);
    this.look = "SELECT %s FROM %s WHERE %s = ?".formatted(table.key(), table.name(), table.key());
  }

  /**
   * Describes the table.
   *
   * @param table its name, possibly with its schema
   * @param key the column that a row is known by; it must have a unique index
   * @param columns the other columns that are written
   * @throws IllegalArgumentException if one of them is not a plain name
   */
  public static InsertOnce into(String table, String key, String... columns) {
    return new InsertOnce(
        new OwnTable(table, key), Arrays.stream(columns).map(OwnTable::plain).toList());
  }

  /**
   * Inserts the row if there is none of this key.
   *
   * @param values of the other columns, in their order
   * @throws SQLException if the database refuses
   */
  public Answer apply(Connection transaction, Object key, Object... values) throws SQLException {
    if (values.length != columns) {
      throw new IllegalArgumentException(
          "values must be as many as columns, which are " + columns + ", were " + values.length);
    }
    Object[] row = Arrays.copyOf(values, columns + 1);
    row[columns] = key;
    for (int i = 0; i < TRIES; i++) {
      // Insert first: to lock a row that is not there would lock a gap.
      if (table.insert(transaction, insert, i == TRIES - 1, row)) {
        return Answer.APPLIED;
      }
      if (isThere(transaction, key)) {
        return Answer.ALREADY_THERE;
      }
    }
    throw table.restless(transaction, key);
  }

  /** Shared, as the server has locked the row that was in the way: so nobody waits for another. */
  private boolean isThere(Connection transaction, Object key) throws SQLException {
    String question = OwnTable.isMySql(transaction) ? look + " LOCK IN SHARE MODE" : look;
    try (PreparedStatement select = transaction.prepareStatement(question)) {
      select.setObject(1, key);
      try (ResultSet rows = select.executeQuery()) {
        if (!rows.next()) {
          return false;
        }
        table.requireSame(rows, 1, key);
        return true;
      }
    }
  }
}
