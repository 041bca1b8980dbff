package dev.onlyonce.bench;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Server;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

/** The kinds of databases that are measured, and how their servers are set. */
enum DatabaseKind {
  POSTGRESQL("PostgreSQL") {
    @Override
    Server startCold(int gigabytes) {
      return PostgreSqlServer.start(
          Map.of(
              "shared_buffers", gigabytes + "GB", "max_wal_size", "8GB", "max_connections", "200"));
    }

    @Override
    List<String> filling(int rows) {
      return List.of(
          "create unlogged table filler (t text storage plain)",
          "insert into filler select repeat('x', 8000) from generate_series(1, " + rows + ")",
          "drop table filler");
    }

    @Override
    List<String> reading(String table) {
      return List.of(
          "create extension if not exists pg_prewarm",
          "select pg_prewarm('%1$s'), pg_prewarm('%1$s_pkey')".formatted(table));
    }

    @Override
    Database<?> newDatabase(Server server) {
      return ((PostgreSqlServer) server).newDatabase();
    }

    @Override
    String settled(String url) {
      return url + "&options=-c%20plan_cache_mode=force_generic_plan";
    }

    @Override
    String rest() {
      return "CHECKPOINT";
    }

    @Override
    String statistics(String table) {
      return "VACUUM (ANALYZE) " + table;
    }
  },

  MARIADB("MariaDB") {
    @Override
    Server startCold(int gigabytes) {
      return MariaDbServer.start(
          Map.of("innodb-buffer-pool-size", gigabytes + "G", "innodb-log-file-size", "2G"));
    }

    @Override
    List<String> filling(int rows) {
      return List.of(
          "create table filler (id int primary key, t varbinary(7500) not null)",
          "insert into filler select seq, repeat('x', 7500) from seq_1_to_" + rows,
          "drop table filler");
    }

    @Override
    List<String> reading(String table) {
      return List.of("select sum(stamp % 2) from " + table);
    }

    @Override
    Database<?> newDatabase(Server server) {
      return ((MariaDbServer) server).newDatabase();
    }

    @Override
    String settled(String url) {
      return url;
    }

    @Override
    String rest() {
      return "DO SLEEP(1)";
    }

    @Override
    String statistics(String table) {
      return "ANALYZE TABLE " + table;
    }
  };

  /** Rows that fill a gigabyte, one to a page of PostgreSQL, two to one of MariaDB. */
  private static final int ROWS_OF_A_GIGABYTE = 131_072;

  private final String title;

  DatabaseKind(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  /**
   * Starts a server, which syncs what is committed, and uses its buffers once: on a machine that
   * has just been started the first touch of memory is slow, and the first contender would pay for
   * all.
   *
   * @param gigabytes of buffers
   */
  final Server start(int gigabytes) throws SQLException {
    Server server = startCold(gigabytes);
    run(newDatabase(server).url(), filling(gigabytes * ROWS_OF_A_GIGABYTE));
    return server;
  }

  abstract Server startCold(int gigabytes);

  /** Statements that fill the buffers, and leave nothing. */
  abstract List<String> filling(int rows);

  /** Brings a table into the buffers, as far as it has room there. */
  final void read(String url, String table) throws SQLException {
    run(url, reading(table));
  }

  abstract List<String> reading(String table);

  private static void run(String url, List<String> statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  abstract Database<?> newDatabase(Server server);

  /** Returns the URL with what the store's guide says of the driver. */
  abstract String settled(String url);

  /** A statement that lets the server finish what others have begun. */
  abstract String rest();

  abstract String statistics(String table);

  static DatabaseKind of(String url) {
    return url.startsWith("jdbc:mariadb:") ? MARIADB : POSTGRESQL;
  }

  /** Returns the server's own name for its version. */
  static String version(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT version()")) {
      rows.next();
      return rows.getString(1).replaceFirst(" on .*", "").replace("PostgreSQL ", "");
    }
  }

  static String settings() {
    return "PostgreSQL with shared_buffers=1GB and max_wal_size=8GB, MariaDB with"
        + " innodb_buffer_pool_size=1G and innodb_log_file_size=2G (growth: 6GB of buffers, into which"
        + " the table is read before), else their defaults: what is committed is synced. All buffers"
        + " were used once before";
  }
}
