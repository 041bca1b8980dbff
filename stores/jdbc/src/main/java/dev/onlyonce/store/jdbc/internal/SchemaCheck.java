package dev.onlyonce.store.jdbc.internal;

import static java.util.stream.Collectors.joining;

import dev.onlyonce.Key;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Looks whether tables are such that keys are told apart to their last byte: somebody may have made
 * them by hand, or changed them.
 */
abstract class SchemaCheck {

  private static final Set<String> BYTES = Set.of("bytea", "varbinary", "binary varying");
  private static final int SCOPE_BYTES = 128;

  /**
   * What rows of a table are told apart by.
   *
   * @param scope the first column of the key, a scope
   * @param bytes the second one
   * @param room how many bytes the second one must have room for
   * @param more columns of numbers behind them
   */
  private record KeyOf(String table, String scope, String bytes, int room, List<String> more) {
    List<String> columns() {
      return Stream.concat(Stream.of(scope, bytes), more.stream()).toList();
    }
  }

  final Tables tables;

  private SchemaCheck(Tables tables) {
    this.tables = tables;
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
    checkColumns(connection);
    List<KeyOf> keys =
        List.of(
            new KeyOf(tables.claim(), "scope", "k", Key.MAX_BYTES, List.of()),
            new KeyOf(tables.event(), "scope", "k", Key.MAX_BYTES, List.of("token", "state")),
            new KeyOf(tables.position(), "consumer", "source", Inside.SOURCE_BYTES, List.of()));
    checkMore(connection); // a column that folds has no index that does not
    Map<String, Set<List<String>>> indexes = indexes(connection);
    for (KeyOf key : keys) {
      checkKey(connection, key);
      checkIndex(indexes, key.table(), key.columns());
    }
    checkIndex(indexes, tables.meta(), List.of("id"));
  }

  private void checkVersion(Connection connection) throws SQLException {
    List<List<String>> version = ask(connection, "select version from {meta} where id = 1");
    if (version.isEmpty()) {
      throw refused(
          "table " + tables.meta() + " is empty", "run " + tables.script() + ", once more");
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
          "run " + tables.upgrade(found) + ", or open the store with createTables()");
    }
  }

  /** The tables are there, with all their columns. */
  private void checkColumns(Connection connection) throws SQLException {
    ask(connection, "select " + Row.COLUMNS + ", expected, key_text from {claim} where 1 = 0");
    ask(connection, "select " + Row.EVENT_COLUMNS + " from {event} where 1 = 0");
    ask(connection, "select consumer, source, epoch, next from {position} where 1 = 0");
  }

  private void checkKey(Connection connection, KeyOf key) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement(
                "select %s, %s from %s where 1 = 0".formatted(key.scope, key.bytes, key.table));
        ResultSet rows = statement.executeQuery()) {
      ResultSetMetaData columns = rows.getMetaData();
      checkColumn(key.table, columns, 1, scopeTypes(), SCOPE_BYTES);
      checkColumn(key.table, columns, 2, BYTES, key.room);
    }
  }

  private void checkColumn(
      String table, ResultSetMetaData columns, int index, Set<String> types, int room)
      throws SQLException {
    String column = columns.getColumnName(index).toLowerCase(Locale.ROOT);
    String type = columns.getColumnTypeName(index).toLowerCase(Locale.ROOT);
    if (!types.contains(type)) {
      throw refused(
          "column %s of table %s is %s, which may fold case, accents or trailing blanks"
              .formatted(column, table, type),
          "make it what it is in " + tables.script());
    }
    int length = columns.getPrecision(index);
    if (length > 0 && length < room) {
      throw refused(
          "column %s of table %s has room for %d bytes".formatted(column, table, length),
          String.format(Locale.ROOT, "give it %,d, as in %s", room, tables.script()));
    }
  }

  private Map<String, Set<List<String>>> indexes(Connection connection) throws SQLException {
    Map<List<String>, List<String>> columns = new LinkedHashMap<>();
    for (List<String> row : ask(connection, uniqueIndexes())) {
      columns
          .computeIfAbsent(row.subList(0, 2), it -> new ArrayList<>())
          .add(row.get(2).toLowerCase(Locale.ROOT));
    }
    Map<String, Set<List<String>>> indexes = new HashMap<>();
    columns.forEach(
        (index, of) ->
            indexes
                .computeIfAbsent(index.get(0).toLowerCase(Locale.ROOT), it -> new HashSet<>())
                .add(of));
    return indexes;
  }

  private void checkIndex(
      Map<String, Set<List<String>>> indexes, String table, List<String> columns) {
    Set<List<String>> found = indexes.getOrDefault(table, Set.of());
    if (!found.contains(columns)) {
      String others = found.stream().map(it -> String.join(", ", it)).collect(joining(" and of "));
      throw refused(
          "table %s has no unique index of the whole of %s%s"
              .formatted(
                  table, String.join(", ", columns), others.isEmpty() ? "" : ", only of " + others),
          "add its primary key as in " + tables.script());
    }
  }

  /** The types of columns of scopes, in small letters. */
  Set<String> scopeTypes() {
    return BYTES;
  }

  /** Asks for the columns of unique indexes: table, index and column, in order. */
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

  static StoreException refused(String what, String remedy) {
    return new StoreException(Kind.REJECTED, what + ": " + remedy);
  }

  private static final class PostgreSqlCheck extends SchemaCheck {
    private static final String TABLES =
        "('{claim}'::regclass, '{event}'::regclass, '{position}'::regclass, '{meta}'::regclass)";

    PostgreSqlCheck(Tables tables) {
      super(tables);
    }

    @Override
    Set<String> scopeTypes() {
      return Set.of("text", "varchar");
    }

    @Override
    String uniqueIndexes() {
      return """
          select c.relname, i.indexrelid::text,
            case when coalesce(n.collisdeterministic, true) then a.attname
            else a.attname || ' by collation ' || n.collname end
          from pg_index i
          join pg_class c on c.oid = i.indrelid
          join pg_attribute a on a.attrelid = i.indexrelid
          left join pg_collation n on n.oid = a.attcollation
          where i.indrelid in %s and i.indisunique and i.indisvalid
            and i.indimmediate and i.indpred is null and a.attnum <= i.indnkeyatts
          order by 1, 2, a.attnum
          """
          .formatted(TABLES);
    }

    @Override
    void checkMore(Connection connection) throws SQLException {
      String collations =
          """
          select a.attname, t.relname, c.collname from pg_attribute a
          join pg_class t on t.oid = a.attrelid join pg_collation c on c.oid = a.attcollation
          where a.attrelid in %s and a.attname in ('scope', 'consumer')
          """
              .formatted(TABLES);
      for (List<String> row : ask(connection, collations)) {
        if (!Set.of("C", "POSIX").contains(row.get(2))) {
          throw refused(
              "column %s of table %s has collation %s"
                  .formatted(row.get(0), row.get(1), row.get(2)),
              "give it COLLATE \"C\", as in " + tables.script());
        }
      }
    }
  }

  private static final class MySqlCheck extends SchemaCheck {
    private static final String TABLES =
        "table_schema = database()"
            + " and table_name in ('{claim}', '{event}', '{position}', '{meta}')";

    MySqlCheck(Tables tables) {
      super(tables);
    }

    @Override
    String uniqueIndexes() {
      return """
          select table_name, index_name,
            case when sub_part is null then column_name else concat(column_name, '(', sub_part, ')') end
          from information_schema.statistics where %s and non_unique = 0
          order by table_name, index_name, seq_in_index
          """
          .formatted(TABLES);
    }

    @Override
    void checkMore(Connection connection) throws SQLException {
      String engines = "select table_name, engine from information_schema.tables where " + TABLES;
      for (List<String> row : ask(connection, engines)) {
        if (!row.get(1).equalsIgnoreCase("InnoDB")) {
          throw refused(
              "table " + row.get(0) + " is kept by the engine " + row.get(1),
              "alter it to ENGINE = InnoDB, as in " + tables.script());
        }
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
          select table_name, index_name, column_name from information_schema.index_columns
          where table_schema = current_schema and is_unique
            and lower(table_name) in ('{claim}', '{event}', '{position}', '{meta}')
          order by table_name, index_name, ordinal_position
          """;
    }
  }
}
