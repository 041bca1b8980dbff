package dev.onlyonce.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table of the user's, whose rows are found by one column. Many collations take keys for the same
 * that are not, so the key of a row that was found is compared once more, exactly.
 *
 * @param name possibly with its schema
 * @param key the column, which has a unique index
 */
record OwnTable(String name, String key) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_]\\w*)?");
  private static final String UNIQUE_ON_H2_AND_POSTGRESQL = "23505";
  private static final int UNIQUE_ON_MYSQL = 1062;
  private static final String DATA_EXCEPTION = "22000";

  /**
   * @throws IllegalArgumentException if one of them is not a plain name
   */
  OwnTable {
    plain(name);
    plain(key);
  }

  static String plain(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a table or column must be a plain name, was '" + name + "'");
    }
    return name;
  }

  /** The statement that inserts a row: these columns, then the key. */
  String insertOf(List<String> columns) {
    return Stream.concat(columns.stream(), Stream.of(key))
        .collect(
            Collectors.joining(
                ", ",
                "INSERT INTO " + name + " (",
                ") VALUES (" + "?, ".repeat(columns.size()) + "?)"));
  }

  /**
   * Inserts a row, unless one is in the way: on PostgreSQL never by an error, which would end the
   * transaction, until it is the last try. Copies that race may meet each other at any unique
   * index.
   *
   * @param statement of {@link #insertOf}
   * @param isLast whether a row in the way is an error: there is none of this key, so it is one
   *     with another value that must be unique
   */
  boolean insert(Connection transaction, String statement, boolean isLast, Object... values)
      throws SQLException {
    boolean isPostgreSql = isPostgreSql(transaction);
    String sql = isPostgreSql ? statement + unlessInTheWay(isLast) : statement;
    try (PreparedStatement insert = transaction.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        insert.setObject(i + 1, values[i]);
      }
      return insert.executeUpdate() == 1;
    } catch (SQLException e) {
      if (isTaken(e) && !isPostgreSql && !isLast) {
        return false;
      }
      throw e;
    }
  }

  private String unlessInTheWay(boolean isLast) {
    return " ON CONFLICT " + (isLast ? "(" + key + ") " : "") + "DO NOTHING";
  }

  private static boolean isTaken(SQLException e) {
    return e.getErrorCode() == UNIQUE_ON_MYSQL
        || UNIQUE_ON_H2_AND_POSTGRESQL.equals(e.getSQLState());
  }

  /** What is thrown when a row was in the way and was not found, again and again. */
  SQLException restless(Connection transaction, Object sought) throws SQLException {
    if (isPostgreSql(transaction)) {
      return new SQLException(
          "a row is in the way of key '%s' and is not found by it: column %s of table %s takes another"
                  .formatted(shown(sought), key, name)
              + " key for it, as citext does, make it text with COLLATE \"C\"",
          DATA_EXCEPTION);
    }
    return new SQLException(
        "the row " + shown(sought) + " comes and goes, roll back and try again", "40001");
  }

  /**
   * Requires that the row has this key. Where the column is text, the key must be text or bytes:
   * for a number the database may make a number of the text, so that 4711 finds '04711'. MariaDB
   * and MySQL do that with bytes, too.
   *
   * @param index of the column in the row
   */
  void requireSame(ResultSet row, int index, Object sought) throws SQLException {
    Object found = row.getObject(index);
    boolean isText = found instanceof String;
    if (isText && !(sought instanceof String) && !(sought instanceof byte[])) {
      throw unlike("text", sought);
    }
    if (found instanceof byte[] && sought instanceof Number) {
      throw unlike("bytes", sought);
    }
    boolean isSame =
        sought instanceof byte[] bytes
            ? Arrays.equals(bytes, row.getBytes(index))
            : !isText || sought.equals(found);
    if (!isSame) {
      throw new SQLException(
          "column %s of table %s takes key '%s' for '%s', which another row has: make it VARBINARY"
                  .formatted(key, name, shown(sought), row.getString(index))
              + " or text whose collation tells apart case, accents and trailing blanks"
              + " (utf8mb4_nopad_bin on MariaDB, utf8mb4_0900_bin on MySQL, C on PostgreSQL)",
          DATA_EXCEPTION);
    }
  }

  private SQLException unlike(String column, Object sought) {
    return new SQLException(
        "column %s of table %s is %s and key %s is not: hand over the key as a String"
            .formatted(key, name, column, sought),
        DATA_EXCEPTION);
  }

  private static Object shown(Object key) {
    return key instanceof byte[] bytes ? Arrays.toString(bytes) : key;
  }

  static boolean isPostgreSql(Connection connection) throws SQLException {
    return product(connection).equals("PostgreSQL");
  }

  static boolean isMySql(Connection connection) throws SQLException {
    return List.of("MySQL", "MariaDB").contains(product(connection));
  }

  private static String product(Connection connection) throws SQLException {
    return connection.getMetaData().getDatabaseProductName();
  }
}
