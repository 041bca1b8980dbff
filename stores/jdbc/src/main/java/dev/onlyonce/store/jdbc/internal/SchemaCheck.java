package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.Key;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Looks whether tables are such that keys are told apart to their last byte: somebody may have made
 * them by hand, or changed them.
 */
abstract class SchemaCheck {

  private static final Set<String> BYTES = Set.of("bytea", "varbinary", "binary varying");

  private final Tables tables;

  private SchemaCheck(Tables tables) {
    this.tables = tables;
  }

  final Tables tables() {
    return tables;
  }

  static SchemaCheck postgreSql(Tables tables) {
    return new PostgreSqlCheck(tables);
  }

  static SchemaCheck mySql(Tables tables) {
    return new MySqlCheck(tables);
  }

  static SchemaCheck h2(Tables tables) {
    return new H2Check(tables);
  }

  /**
   * @throws StoreException that says what is wrong, where, and what to do about it
   */
  final void check(Connection connection) throws SQLException {
    checkVersion(connection);
    checkKey(connection);
    checkIndex(connection);
    checkEvents(connection);
    checkMore(connection);
  }

  private void checkVersion(Connection connection) throws SQLException {
    List<List<String>> version = ask(connection, "select version from {meta} where id = 1");
    if (version.isEmpty()) {
      throw refused(
          "table " + tables.meta() + " is empty", "run the script of JdbcSchema once more");
    }
    int found = Integer.parseInt(version.get(0).get(0));
    if (found > Schema.VERSION) {
      throw refused(
          "table %s says schema version %d, this library knows %d"
              .formatted(tables.meta(), found, Schema.VERSION),
          "use a newer version of the library");
    }
    if (found < Schema.VERSION) {
      throw refused(
          "table %s says schema version %d, this library needs %d"
              .formatted(tables.meta(), found, Schema.VERSION),
          "run the script of JdbcSchema.upgrade, or open the store with createTables()");
    }
  }

  /** The table of events is there, with all its columns. */
  private void checkEvents(Connection connection) throws SQLException {
    ask(connection, "select " + Row.EVENT_COLUMNS + " from {event} where 1 = 0");
  }

  private void checkKey(Connection connection) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement(
                tables.in(
                    "select k, " + Row.COLUMNS + ", expected, key_text from {claim} where 1 = 0"));
        ResultSet rows = statement.executeQuery()) {
      ResultSetMetaData columns = rows.getMetaData();
      String type = columns.getColumnTypeName(1).toLowerCase(Locale.ROOT);
      if (!BYTES.contains(type)) {
        throw refused(
            "column k of table %s is %s, which may fold case, accents or trailing blanks"
                .formatted(tables.claim(), type),
            "make it the bytes that the script of JdbcSchema makes it");
      }
      int length = columns.getPrecision(1);
      if (length > 0 && length < Key.MAX_BYTES) {
        throw refused(
            "column k of table %s has room for %d bytes".formatted(tables.claim(), length),
            "give it 1,024, as the script of JdbcSchema does");
      }
    }
  }

  private void checkIndex(Connection connection) throws SQLException {
    Map<String, List<String>> indexes = new LinkedHashMap<>();
    for (List<String> row : ask(connection, uniqueIndexes())) {
      indexes
          .computeIfAbsent(row.get(0), it -> new ArrayList<>())
          .add(row.get(1).toLowerCase(Locale.ROOT));
    }
    if (!indexes.containsValue(List.of("scope", "k"))) {
      throw refused(
          "table %s has no unique index of the whole of scope and k".formatted(tables.claim()),
          "add the primary key that the script of JdbcSchema has");
    }
  }

  /** Asks for the columns of unique indexes: index and column, in order. */
  abstract String uniqueIndexes();

  void checkMore(Connection connection) throws SQLException {}

  final List<List<String>> ask(Connection connection, String question) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(tables.in(question));
        ResultSet rows = statement.executeQuery()) {
      List<List<String>> answer = new ArrayList<>();
      while (rows.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.add(String.valueOf(rows.getString(i)));
        }
        answer.add(row);
      }
      return answer;
    }
  }

  final StoreException refused(String what, String remedy) {
    return new StoreException(Kind.REJECTED, what + ": " + remedy);
  }

  private static final class PostgreSqlCheck extends SchemaCheck {
    PostgreSqlCheck(Tables tables) {
      super(tables);
    }

    @Override
    String uniqueIndexes() {
      return """
          select i.indexrelid::text, a.attname from pg_index i
          join pg_attribute a on a.attrelid = i.indexrelid
          where i.indrelid = '{claim}'::regclass and i.indisunique and i.indisvalid
            and i.indimmediate and i.indpred is null
          order by 1, a.attnum
          """;
    }

    @Override
    void checkMore(Connection connection) throws SQLException {
      String collation =
          ask(
                  connection,
                  "select c.collname from pg_attribute a join pg_collation c on c.oid ="
                      + " a.attcollation where a.attrelid = '{claim}'::regclass and a.attname ="
                      + " 'scope'")
              .get(0)
              .get(0);
      if (!collation.equals("C") && !collation.equals("POSIX")) {
        throw refused(
            "column scope of table " + tables().claim() + " has collation " + collation,
            "give it COLLATE \"C\", as the script of JdbcSchema does");
      }
    }
  }

  private static final class MySqlCheck extends SchemaCheck {
    MySqlCheck(Tables tables) {
      super(tables);
    }

    @Override
    String uniqueIndexes() {
      return """
          select index_name,
            case when sub_part is null then column_name else concat(column_name, sub_part) end
          from information_schema.statistics
          where table_schema = database() and table_name = '{claim}' and non_unique = 0
          order by index_name, seq_in_index
          """;
    }

    @Override
    void checkMore(Connection connection) throws SQLException {
      String engine =
          ask(
                  connection,
                  "select engine from information_schema.tables where table_schema = database()"
                      + " and table_name = '{claim}'")
              .get(0)
              .get(0);
      if (!engine.equalsIgnoreCase("InnoDB")) {
        throw refused(
            tables().claim() + " is kept by the engine " + engine,
            "alter it to ENGINE = InnoDB, as the script of JdbcSchema has it");
      }
      String mode = ask(connection, "select @@sql_mode").get(0).get(0);
      if (mode.contains("EMPTY_STRING_IS_NULL")) {
        throw refused(
            "sql_mode of the connections has EMPTY_STRING_IS_NULL, which loses what is empty",
            "take it out of their settings");
      }
    }
  }

  private static final class H2Check extends SchemaCheck {
    H2Check(Tables tables) {
      super(tables);
    }

    @Override
    String uniqueIndexes() {
      return """
          select index_name, column_name from information_schema.index_columns
          where table_schema = current_schema and lower(table_name) = '{claim}' and is_unique
          order by index_name, ordinal_position
          """;
    }
  }
}
