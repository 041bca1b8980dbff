package dev.onlyonce.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/** Pools of connections, one for each kind of connection that the tests of a class want. */
final class Pools {

  private static final Map<String, HikariDataSource> OPEN = new ConcurrentHashMap<>();

  private Pools() {}

  /**
   * Returns the pool of this URL whose connections have this isolation when they are handed out.
   */
  static DataSource of(String url, String isolation) {
    return OPEN.computeIfAbsent(url + " " + isolation, it -> pool(url, isolation, 8));
  }

  /** Returns the URL by which MySQL's driver finds a MariaDB database. */
  static String connectorJ(String url) {
    return url.replace("jdbc:mariadb:", "jdbc:mysql:")
        .replace("sslMode=disable", "sslMode=DISABLED");
  }

  /**
   * Returns the URL of connections whose plans are made once, and that do not wait for the disk:
   * the contract is about answers, other tests crash servers.
   */
  static String quick(String postgreSqlUrl) {
    return postgreSqlUrl
        + "&options=-c%20plan_cache_mode=force_generic_plan%20-c%20synchronous_commit=off";
  }

  /** Makes a pool, which the caller closes. */
  static HikariDataSource pool(String url, String isolation, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setTransactionIsolation("TRANSACTION_" + isolation);
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(5_000);
    config.setPoolName(isolation);
    return new HikariDataSource(config);
  }

  /** Closes all that {@link #of} has made. */
  static void close() {
    OPEN.values().forEach(HikariDataSource::close);
    OPEN.clear();
  }

  /** Returns the number that a query answers with. */
  static long number(DataSource source, String sql) {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the texts that a query answers with, one for each row. */
  static List<String> texts(DataSource source, String sql) {
    List<String> texts = new ArrayList<>();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs statements, each by itself. */
  static void run(DataSource source, String... statements) {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      for (String todo : statements) {
        statement.execute(todo);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
