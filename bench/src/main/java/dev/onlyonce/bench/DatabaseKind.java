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
    Server startCold() {
      return PostgreSqlServer.start(SETTINGS_OF_POSTGRESQL);
    }

    @Override
    List<String> filling() {
      return List.of(
          "create unlogged table filler (t text storage plain)",
          "insert into filler select repeat('x', 8000) from generate_series(1, 131072)",
          "drop table filler");
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
    Server startCold() {
      return MariaDbServer.start(SETTINGS_OF_MARIADB);
    }

    @Override
    List<String> filling() {
      return List.of(
          "create table filler (id int primary key, t varbinary(7500) not null)",
          "insert into filler select seq, repeat('x', 7500) from seq_1_to_131072",
          "drop table filler");
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

  private static final Map<String, String> SETTINGS_OF_POSTGRESQL =
      Map.of("shared_buffers", "1GB", "max_wal_size", "8GB", "max_connections", "200");
  private static final Map<String, String> SETTINGS_OF_MARIADB =
      Map.of("innodb-buffer-pool-size", "1G", "innodb-log-file-size", "2G");

  private final String title;

  DatabaseKind(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  /**
   * Starts a server, which syncs what is committed, and uses its gigabyte of buffers once: the
   * first touch of memory costs more than the work, and the first contender would pay for all.
   */
  final Server start() throws SQLException {
    Server server = startCold();
    try (Connection connection = DriverManager.getConnection(newDatabase(server).url());
        Statement statement = connection.createStatement()) {
      for (String each : filling()) {
        statement.execute(each);
      }
    }
    return server;
  }

  abstract Server startCold();

  /** Statements that fill the buffers, and leave nothing. */
  abstract List<String> filling();

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
        + " innodb_buffer_pool_size=1G and innodb_log_file_size=2G, else their defaults: what is"
        + " committed is synced";
  }
}
