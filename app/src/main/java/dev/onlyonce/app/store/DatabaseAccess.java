package dev.onlyonce.app.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.app.Failure;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.store.jdbc.JdbcSchema;
import dev.onlyonce.store.jdbc.JdbcStore;
import dev.onlyonce.store.jdbc.SqlDialect;
import dev.onlyonce.store.tiered.Authority;
import dev.onlyonce.store.tiered.TieredStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store in a database, which any number of programs may use at the same time.
 *
 * @param prefix what the names of its tables begin with
 */
record DatabaseAccess(String url, Credentials credentials, String prefix) implements StoreAccess {

  /** The prefix of a store that was made without one of its own. */
  static final String PREFIX = "onlyonce_";

  private static final int CONNECTIONS = 4;
  private static final long CONNECT_MILLIS = 10_000;
  private static final String MYSQL = "jdbc:mysql:";
  private static final String POSTGRESQL = "jdbc:postgresql:";
  private static final String MARIADB = "jdbc:mariadb:";

  /**
   * How long a statement may be silent: a connection that has died without a word is given up then,
   * and not after the quarter of an hour that TCP takes. Counting a large table is silent, too.
   */
  private static final Duration SILENCE = Duration.ofMinutes(5);

  private static final String SOCKET_TIMEOUT = "socketTimeout";

  /** The tables' statements are better planned once than each time: 7.5 times fewer of them. */
  private static final String GENERIC_PLANS = "-c plan_cache_mode=force_generic_plan";

  /**
   * @throws IllegalArgumentException if the prefix cannot be that of tables
   */
  DatabaseAccess {
    JdbcSchema.script(SqlDialect.H2, prefix); // looks at it; it becomes a part of statements
  }

  @Override
  public OpenReader look(Consumer<String> notices) {
    return preview();
  }

  @Override
  public OpenReader preview() {
    OpenStore open = change("onlyonce");
    return new OpenReader(open.reader(), open.clock(), open.closing());
  }

  @Override
  public OpenStore change(String owner) {
    HikariDataSource pool = connect();
    try {
      JdbcStore store = store(pool, owner);
      if (TieredStore.authorityOf(store).filter(it -> it != Authority.DATABASE).isPresent()) {
        throw TieredAccess.refusedAlone(this);
      }
      return new OpenStore(store, store, store::millis, pool::close);
    } catch (StoreException | Failure e) {
      pool.close();
      throw e;
    }
  }

  /** Opens the store on connections of {@link #connect}, to be a tier or after a look at that. */
  JdbcStore store(HikariDataSource pool, String owner) {
    try {
      return JdbcStore.on(pool).owner(owner).tablePrefix(prefix).asTier().open();
    } catch (StoreException e) {
      throw e.kind() == StoreException.Kind.REJECTED
          ? Failure.files(
              e.getMessage()
                  + "; onlyonce schema"
                  + (prefix.equals(PREFIX) ? "" : " --prefix " + prefix)
                  + " prints the statements that make them, and with --from those"
                  + " that upgrade them")
          : e;
    }
  }

  @Override
  public List<Finding> examine(@Nullable Load load) {
    try (HikariDataSource pool = connect()) {
      List<Finding> findings = new ArrayList<>(new DatabaseSettings(pool).examine());
      findings.addAll(new DatabasePermissions(pool, prefix).examine());
      if (load != null) {
        new DatabaseRoom(prefix + "claim").of(pool, load, bytesPerKey()).ifPresent(findings::add);
      }
      return findings;
    } catch (SQLException e) {
      throw Failure.files(address() + " does not tell its settings: " + e.getMessage());
    }
  }

  @Override
  public int bytesPerKey() {
    return url.startsWith(POSTGRESQL) ? 440 : 250;
  }

  HikariDataSource connect() {
    HikariConfig config = new HikariConfig();
    config.setPoolName("onlyonce");
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(CONNECT_MILLIS);
    try {
      config.setJdbcUrl(url);
      if (credentials.user() != null) {
        config.setUsername(credentials.user());
      }
      if (credentials.password() != null) {
        config.setPassword(credentials.password());
      }
      if (url.startsWith(POSTGRESQL) && !url.contains("options=")) {
        config.addDataSourceProperty("options", GENERIC_PLANS);
      }
      limitSilence(config);
      return new HikariDataSource(config);
    } catch (RuntimeException e) {
      throw cannotConnect(e);
    }
  }

  /** Unless the URL says so itself. */
  private void limitSilence(HikariConfig config) {
    if (url.contains(SOCKET_TIMEOUT + "=")) {
      return;
    }
    if (url.startsWith(POSTGRESQL)) {
      config.addDataSourceProperty(SOCKET_TIMEOUT, "" + SILENCE.toSeconds());
    } else if (url.startsWith(MARIADB)) {
      config.addDataSourceProperty(SOCKET_TIMEOUT, "" + SILENCE.toMillis());
    }
  }

  private Failure cannotConnect(RuntimeException e) {
    Throwable cause = e;
    while (cause.getCause() != null && !(cause instanceof SQLException)) {
      cause = cause.getCause();
    }
    String reason = Credentials.hidden(String.valueOf(cause.getMessage()));
    if (reason.toLowerCase(Locale.ROOT).contains("driver")) {
      return noDriver();
    }
    return Failure.files("cannot connect to " + address() + ": " + reason);
  }

  private Failure noDriver() {
    if (url.startsWith(MYSQL)) {
      return Failure.usage(
          "there is no driver for %s: MySQL's is under the GPL and not built in; MariaDB's reaches MySQL,"
                  .formatted(address())
              + " too: give "
              + address().replaceFirst(MYSQL, "jdbc:mariadb:"));
    }
    return Failure.usage(
        "there is no driver for %s; those of PostgreSQL, MariaDB and H2 are built in"
            .formatted(address()));
  }

  private String address() {
    return Credentials.hidden(url);
  }

  /** Returns what kind of database a URL leads to, as its beginning says. */
  static SqlDialect dialectOf(String url) {
    if (url.startsWith(POSTGRESQL)) {
      return SqlDialect.POSTGRESQL;
    }
    if (url.startsWith("jdbc:h2:")) {
      return SqlDialect.H2;
    }
    return url.startsWith(MYSQL) ? SqlDialect.MYSQL : SqlDialect.MARIADB;
  }

  @Override
  public String toString() {
    return address();
  }
}
