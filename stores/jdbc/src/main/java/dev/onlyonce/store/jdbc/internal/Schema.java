package dev.onlyonce.store.jdbc.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.store.jdbc.SqlDialect;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;

/** The scripts that make the tables. */
public final class Schema {

  /** The version that the scripts make. */
  public static final int VERSION = 2;

  /** More than there are statements that several processes may get into each other's way with. */
  private static final int TRIES = 20;

  private Schema() {}

  /** Returns the script of this dialect, for these tables. */
  public static String script(SqlDialect dialect, Tables tables) {
    return read(dialect, Integer.toString(VERSION), tables);
  }

  /** Returns the script that brings tables of the version before to this one. */
  public static String upgrade(SqlDialect dialect, Tables tables) {
    return read(dialect, (VERSION - 1) + "-to-" + VERSION, tables);
  }

  private static String read(SqlDialect dialect, String version, Tables tables) {
    String name =
        switch (dialect) {
          case POSTGRESQL -> "postgresql";
          case MARIADB, MYSQL -> "mysql";
          case H2 -> "h2";
        };
    String file = "/dev/onlyonce/store/jdbc/" + name + "-" + version + ".sql";
    try (InputStream script = Schema.class.getResourceAsStream(file)) {
      if (script == null) {
        throw new IllegalStateException("the library lacks its file " + file);
      }
      return tables.in(new String(script.readAllBytes(), UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Cuts a script into its statements. */
  public static List<String> statements(String script) {
    return Arrays.stream(script.split(";\\R", -1))
        .map(String::strip)
        .filter(it -> !it.isEmpty())
        .toList();
  }

  /**
   * Makes the tables, or brings those of the version before to this one. Where they are right
   * already nothing is run: it would need the permissions of their owner, and wait for whoever
   * writes events. The version is what a script writes last.
   */
  static void create(Connection connection, SqlDialect dialect, Tables tables) throws SQLException {
    if (isThere(connection, tables)) {
      return;
    }
    run(connection, () -> script(dialect, tables));
    run(
        connection,
        () -> version(connection, tables) == VERSION - 1 ? upgrade(dialect, tables) : "");
  }

  private static boolean isThere(Connection connection, Tables tables) throws SQLException {
    try {
      return version(connection, tables) >= VERSION;
    } catch (SQLException e) {
      if (Faults.isDenied(e) || Faults.byClass(e) != Fault.REJECTED) {
        throw e;
      }
      return false;
    }
  }

  private static int version(Connection connection, Tables tables) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(tables.in("SELECT version FROM {meta} WHERE id = 1"))) {
      return rows.next() ? rows.getInt(1) : 0;
    }
  }

  private interface Script {
    String get() throws SQLException;
  }

  /** Runs a script, again if another process that runs it is in the way. */
  private static void run(Connection connection, Script script) throws SQLException {
    for (int i = 1; ; i++) {
      try (Statement statement = connection.createStatement()) {
        for (String todo : statements(script.get())) {
          statement.execute(todo);
        }
        return;
      } catch (SQLException e) {
        if (i == TRIES || Faults.isDenied(e)) {
          throw e;
        }
      }
    }
  }
}
