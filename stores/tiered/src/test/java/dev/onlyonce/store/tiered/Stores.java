package dev.onlyonce.store.tiered;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.store.jdbc.JdbcStore;
import dev.onlyonce.store.redis.RedisStore;
import dev.onlyonce.testkit.StoreSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** The stores that the tests make tiers of. */
final class Stores {

  static final Duration SOON = Duration.ofMillis(500);
  private static final int CONNECTIONS = 10;

  private Stores() {}

  /**
   * Makes a pool of connections that do not wait for the disk where the database lets them say so;
   * the caller closes it.
   */
  static HikariDataSource quickPool(String url) {
    boolean isPostgreSql = url.startsWith("jdbc:postgresql:");
    return pool(
        isPostgreSql
            ? url + "&options=-c%20plan_cache_mode=force_generic_plan%20-c%20synchronous_commit=off"
            : url);
  }

  /** Makes a pool, which the caller closes. */
  static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(CONNECTIONS);
    config.setConnectionTimeout(5_000);
    return new HikariDataSource(config);
  }

  /** Opens the database with its tables made. */
  static JdbcStore database(DataSource source) {
    return database(source, StoreSettings.defaults());
  }

  static JdbcStore database(DataSource source, StoreSettings settings) {
    return JdbcStore.on(source)
        .createTables()
        .owner(settings.owner())
        .purgeGrace(settings.purgeGrace())
        .clockTolerance(settings.clockTolerance())
        .asTier()
        .open();
  }

  static void empty(DataSource source) {
    run(source, "DELETE FROM onlyonce_claim", "UPDATE onlyonce_meta SET token_floor = 0");
  }

  static void run(DataSource source, String... statements) {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Opens Redis as one that holds copies: it fails soon. */
  static RedisStore copies(List<String> urls, String prefix) {
    return RedisStore.at(urls.toArray(String[]::new))
        .prefix(prefix)
        .timeout(SOON)
        .patience(Duration.ZERO)
        .open();
  }

  /** Opens Redis as the authority. */
  static RedisStore front(List<String> urls, String prefix, StoreSettings settings) {
    return RedisStore.at(urls.toArray(String[]::new))
        .prefix(prefix)
        .owner(settings.owner())
        .purgeGrace(settings.purgeGrace())
        .clockTolerance(settings.clockTolerance())
        .asTier()
        .open();
  }
}
