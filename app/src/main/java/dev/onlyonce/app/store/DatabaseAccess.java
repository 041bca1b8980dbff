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
import java.sql.DriverManager;
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

  /** How long connecting to one host and logging in may take: it is no statement. */
  private static final Duration CONNECT = Duration.ofSeconds(10);

  /**
   * How long a statement may be silent: a connection that has died without a word is given up then,
   * and not after the quarter of an hour that TCP takes. Counting a large table is silent, too.
   */
  private static final Duration SILENCE = Duration.ofMinutes(5);

  private static final String SOCKET_TIMEOUT = "socketTimeout";
  private static final String CONNECT_TIMEOUT = "connectTimeout";
  private static final String LOGIN_TIMEOUT = "loginTimeout";

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
      throw new StoreException(e.kind(), cannotOpen(e), e);
    }
  }

  /** In the words of the program, where the library has those of its own. */
  private String cannotOpen(StoreException e) {
    String tables = prefix + "* in " + at();
    if (e.getCause() instanceof SQLException cause && SqlStates.isTableMissing(cause)) {
      return "there are no tables %s, or not all: onlyonce schema --dialect %s%s prints the statements that make them"
          .formatted(
              tables,
              at().dialect().name().toLowerCase(Locale.ROOT),
              prefix.equals(PREFIX) ? "" : " --prefix " + prefix);
    }
    if (e.getCause() instanceof SQLException cause && SqlStates.isDenied(cause)) {
      return "the user may not do what a store does with the tables %s: onlyonce doctor names the GRANT that is missing (%s)"
          .formatted(tables, cause.getMessage());
    }
    return at() + ": " + e.getMessage();
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
      throw Failure.files(at() + " does not tell its settings: " + e.getMessage());
    }
  }

  @Override
  public int bytesPerKey() {
    return at().isPostgreSql() ? 440 : 250;
  }

  HikariDataSource connect() {
    ConnectFault faults = new ConnectFault(at(), credentials);
    if (!at().hasDriver()) {
      throw faults.noDriver();
    }
    String fault = at().fault();
    if (fault != null) {
      throw faults.ofAddress(fault);
    }
    try {
      DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw faults.ofAddress("is not one that its driver takes");
    }
    HikariConfig config = new HikariConfig();
    config.setPoolName("onlyonce");
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(CONNECT.toMillis());
    config.setJdbcUrl(url);
    if (credentials.user() != null) {
      config.setUsername(credentials.user());
    }
    if (credentials.password() != null) {
      config.setPassword(credentials.password());
    }
    if (at().isPostgreSql()) {
      preset(config, "options", GENERIC_PLANS);
    }
    limitTimes(config);
    try {
      return new HikariDataSource(config);
    } catch (RuntimeException e) {
      throw faults.of(e);
    }
  }

  private void limitTimes(HikariConfig config) {
    if (at().isPostgreSql()) {
      preset(config, SOCKET_TIMEOUT, "" + SILENCE.toSeconds());
      preset(config, CONNECT_TIMEOUT, "" + CONNECT.toSeconds());
      // This one is for all hosts together.
      preset(config, LOGIN_TIMEOUT, "" + CONNECT.multipliedBy(at().hosts()).toSeconds());
    } else if (at().isMariaDb()) {
      preset(config, SOCKET_TIMEOUT, "" + SILENCE.toMillis());
      preset(config, CONNECT_TIMEOUT, "" + CONNECT.toMillis());
    }
  }

  /** Sets a property of the driver, unless the URL says it itself. */
  private void preset(HikariConfig config, String property, String value) {
    if (!at().sets(property)) {
      config.addDataSourceProperty(property, value);
    }
  }

  private DatabaseUrl at() {
    return new DatabaseUrl(url);
  }

  @Override
  public String toString() {
    return at().toString();
  }
}
