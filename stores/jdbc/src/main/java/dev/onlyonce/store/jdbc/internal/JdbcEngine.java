package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.jdbc.SqlDialect;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A store on one database: the dialect that was found, and what runs its statements. */
public final class JdbcEngine {

  /**
   * How a store is opened.
   *
   * @param tables its tables
   * @param dialect null to ask the connection
   * @param owner what claims show
   * @param purgeGrace how long after its expiry a record is purged
   * @param tolerance how much longer than its lease a claim is left alone
   * @param lockWait how long a statement waits for a row that another transaction has locked
   * @param history how long events are kept from now on; null to leave that as the tables say
   * @param creates whether missing tables are made
   */
  public record Settings(
      Tables tables,
      @Nullable SqlDialect dialect,
      String owner,
      Duration purgeGrace,
      Duration tolerance,
      Duration lockWait,
      @Nullable Duration history,
      boolean creates) {}

  private static final int DEEPEST_CAUSE = 20;

  private final Settings settings;
  private final SqlDialect name;
  private final Leased leased;
  private final Dialect dialect;
  private final Events events;
  private final Verbs verbs;
  private final Reader reader;
  private final Inside inside;

  private JdbcEngine(
      Settings settings,
      DataSource source,
      SqlDialect name,
      Dialect dialect,
      long historyMillis,
      boolean isReadCommitted,
      boolean isUndoneByTimeout) {
    this.settings = settings;
    this.name = name;
    this.dialect = dialect;
    this.leased = new Leased(source, dialect, isReadCommitted);
    this.events = new Events(dialect, historyMillis);
    ClaimMachine machine = new ClaimMachine(settings.tolerance(), settings.owner());
    this.verbs = new Verbs(dialect, machine, events);
    this.inside =
        new Inside(dialect, verbs, settings.tables(), settings.lockWait(), isUndoneByTimeout);
    this.reader =
        new Reader(leased, dialect, settings.tables(), Limits.millis(settings.tolerance()));
  }

  /**
   * Opens the store.
   *
   * @throws StoreException if the database cannot be reached or its tables are not right
   */
  public static JdbcEngine open(DataSource source, Settings settings) {
    try (Connection connection = source.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      if (!autoCommit) {
        connection.setAutoCommit(true);
      }
      try {
        return open(connection, source, settings);
      } finally {
        if (!autoCommit) {
          connection.setAutoCommit(false);
        }
      }
    } catch (SQLException e) {
      throw notOpened(settings.tables(), e);
    }
  }

  private static StoreException notOpened(Tables tables, SQLException e) {
    if (Faults.isDenied(e)) {
      return new StoreException(
          Kind.REJECTED,
          "the user may not do with the tables "
              + tables.prefix()
              + "* what a store does, or may not make or upgrade them: let their owner do that with"
              + " JdbcSchema, and grant what is missing: "
              + Faults.said(e),
          e);
    }
    if (Faults.isTableMissing(e)) {
      return new StoreException(
          Kind.REJECTED,
          "the tables "
              + tables.prefix()
              + "* are not there, or not all: make them with createTables(), or by "
              + tables.script()
              + ": "
              + Faults.said(e),
          e);
    }
    Fault fault = Faults.byClass(e);
    return fault == Fault.REJECTED
        ? new StoreException(
            Kind.REJECTED,
            "the tables "
                + tables.prefix()
                + "* are not as they should be: compare them with "
                + tables.script()
                + ": "
                + Faults.said(e),
            e)
        : Leased.exception(fault, e);
  }

  private static JdbcEngine open(Connection connection, DataSource source, Settings settings)
      throws SQLException {
    SqlDialect asked = settings.dialect();
    SqlDialect name = asked == null ? nameOf(connection) : asked;
    LeastVersion.require(name, connection.getMetaData().getDatabaseProductVersion());
    Tables tables = settings.tables();
    if (settings.creates()) {
      Schema.create(connection, name, tables);
    }
    checkOf(name, tables).check(connection);
    long tolerance = Limits.millis(settings.tolerance());
    Dialect dialect =
        switch (name) {
          case POSTGRESQL ->
              new PostgreSql(tables, textOf(connection, settings), tolerance, settings.lockWait());
          case MARIADB, MYSQL -> mySql(connection, name, settings, tolerance);
          case H2 -> {
            Text text = new Text(true, settings.owner());
            ClaimMachine machine = new ClaimMachine(settings.tolerance(), text.owner());
            yield new H2(tables, text, machine, connection.getMetaData().getURL());
          }
        };
    boolean isReadCommitted =
        name == SqlDialect.POSTGRESQL
            && connection.getTransactionIsolation() == Connection.TRANSACTION_READ_COMMITTED;
    return new JdbcEngine(
        settings,
        source,
        name,
        dialect,
        historyMillis(connection, settings),
        isReadCommitted,
        isUndoneByTimeout(connection, name));
  }

  /** How long events are kept is said by the tables, so that all who use them write events. */
  private static long historyMillis(Connection connection, Settings settings) throws SQLException {
    Duration wished = settings.history();
    Tables tables = settings.tables();
    if (wished != null) {
      try (var statement =
          connection.prepareStatement(
              tables.in("update {meta} set history_ms = ? where id = 1 and history_ms <> ?"))) {
        new Params(statement).number(Limits.millis(wished)).number(Limits.millis(wished));
        statement.executeUpdate();
      }
    }
    try (var statement = connection.createStatement();
        var rows =
            statement.executeQuery(tables.in("select history_ms from {meta} where id = 1"))) {
      return rows.next() ? rows.getLong(1) : 0;
    }
  }

  private static Dialect mySql(
      Connection connection, SqlDialect name, Settings settings, long tolerance)
      throws SQLException {
    boolean isSimultaneous;
    long packetBytes;
    try (var statement = connection.createStatement();
        var rows =
            statement.executeQuery(
                "select @@sql_mode like '%SIMULTANEOUS%', @@global.max_allowed_packet")) {
      rows.next();
      isSimultaneous = rows.getInt(1) != 0;
      packetBytes = rows.getLong(2);
    }
    Text text = new Text(true, settings.owner());
    return name == SqlDialect.MARIADB
        ? new MariaDb(
            settings.tables(), text, tolerance, isSimultaneous, packetBytes, settings.lockWait())
        : new MySql(settings.tables(), text, tolerance, isSimultaneous, packetBytes, false);
  }

  private static boolean isUndoneByTimeout(Connection connection, SqlDialect name)
      throws SQLException {
    if (name != SqlDialect.MARIADB && name != SqlDialect.MYSQL) {
      return false;
    }
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery("select @@innodb_rollback_on_timeout")) {
      rows.next();
      return rows.getInt(1) != 0;
    }
  }

  private static SchemaCheck checkOf(SqlDialect name, Tables tables) {
    return switch (name) {
      case POSTGRESQL -> SchemaCheck.postgreSql(tables);
      case MARIADB, MYSQL -> SchemaCheck.mySql(tables);
      case H2 -> SchemaCheck.h2(tables);
    };
  }

  private static Text textOf(Connection connection, Settings settings) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery("show server_encoding")) {
      rows.next();
      return new Text("UTF8".equals(rows.getString(1)), settings.owner());
    }
  }

  private static SqlDialect nameOf(Connection connection) throws SQLException {
    DatabaseMetaData data = connection.getMetaData();
    String product = data.getDatabaseProductName();
    if ((product + data.getDatabaseProductVersion()).contains("MariaDB")) {
      return SqlDialect.MARIADB;
    }
    return switch (product) {
      case "PostgreSQL" -> SqlDialect.POSTGRESQL;
      case "MySQL" -> SqlDialect.MYSQL;
      case "H2" -> SqlDialect.H2;
      default ->
          throw new StoreException(
              Kind.REJECTED,
              "a JDBC store needs PostgreSQL, MariaDB, MySQL or H2, the connection leads to "
                  + product);
    };
  }

  /** Returns what kind of database it is. */
  public SqlDialect dialect() {
    return name;
  }

  /** Returns the time of the database, milliseconds since the epoch. */
  public long millis() {
    return reader.millis();
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#claim}. */
  public List<Answer> claim(List<ClaimRequest> batch) {
    return verbs.claim(leased, batch);
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#settle}. */
  public List<Held> settle(List<? extends Settlement> batch) {
    return verbs.settle(leased, batch);
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#settleFree}. */
  public List<Held> settleFree(List<? extends Settlement> batch) {
    return verbs.settleFree(leased, batch);
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#maxResultBytes}. */
  public int maxResultBytes() {
    return Math.max(0, dialect.mostBytes() - Item.MOST_BYTES_BESIDE);
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#renew}. */
  public List<Held> renew(List<Renewal> batch) {
    return verbs.renew(leased, batch);
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#purge}. */
  public int purge(int limit) {
    long grace = Limits.millis(settings.purgeGrace());
    return leased.run(
        connection -> {
          events.purge(connection, limit);
          return dialect.purge(connection, limit, grace);
        });
  }

  /** As {@link dev.onlyonce.spi.RecordSource#find}. */
  public List<Optional<ClaimRecord>> find(List<RecordId> ids) {
    return verbs.find(leased, ids);
  }

  /** As {@link dev.onlyonce.spi.RecordSink#put}. */
  public List<Boolean> put(List<ClaimRecord> batch) {
    return verbs.put(leased, batch);
  }

  /** As {@link dev.onlyonce.spi.ClaimReader#find}. */
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    return find(List.of(new RecordId(scope, key))).get(0);
  }

  /** As {@link dev.onlyonce.spi.ClaimReader#history}. */
  public List<ClaimRecord> history(Scope scope, Key key) {
    return reader.history(new RecordId(scope, key), find(scope, key));
  }

  /** As {@link dev.onlyonce.spi.ClaimReader#list}. */
  public Page list(Query query, @Nullable String cursor) {
    return reader.list(query, cursor);
  }

  /** As {@link dev.onlyonce.spi.ClaimReader#totals}. */
  public Map<ClaimState, Long> totals() {
    return reader.totals();
  }

  /** As {@link dev.onlyonce.spi.ClaimReader#scopes}. */
  public Set<Scope> scopes() {
    return reader.scopes();
  }

  /** As {@link dev.onlyonce.spi.TransactionalStore#claim}. */
  public List<Answer> claim(Connection tx, List<ClaimRequest> batch, Duration maxWait) {
    return inside.claim(tx, batch, maxWait);
  }

  /** As {@link dev.onlyonce.spi.TransactionalStore#settle}. */
  public List<Held> settle(Connection tx, List<? extends Settlement> batch) {
    return inside.settle(tx, batch);
  }

  /** As {@link dev.onlyonce.spi.TransactionalStore#holds}. */
  public boolean holds(Connection tx, Claim claim) {
    return inside.holds(tx, claim);
  }

  /** Tells whether the transaction has the claim of this request still, which was made in it. */
  public boolean hasStill(Connection tx, ClaimRequest request) {
    return inside.hasStill(tx, request);
  }

  /** Gives results to keys that the transaction has made done. */
  public void keep(Connection tx, Map<Claim, Result> results) {
    inside.keep(tx, results);
  }

  /** As {@link dev.onlyonce.spi.PositionStore#save}. */
  public void save(Connection tx, Scope consumer, Map<String, Position> bySource) {
    inside.save(tx, consumer, bySource);
  }

  /** As {@link dev.onlyonce.spi.PositionStore#load}. */
  public Map<String, Position> load(Connection tx, Scope consumer) {
    return inside.load(tx, consumer);
  }

  /**
   * Returns the fault in this exception, or in what it was made of, that a new transaction may not
   * meet; null if there is none. Libraries wrap what the driver throws.
   */
  public @Nullable SQLException passing(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
      if (cause instanceof SQLException e && isPassing(dialect.fault(e))) {
        return e;
      }
      cause = cause.getCause();
    }
    return null;
  }

  /** Tells whether the connection was lost. */
  public boolean isLost(SQLException e) {
    return dialect.fault(e) == Fault.CONNECTION_LOST;
  }

  /** Tells whether another transaction has had something locked for longer than was waited. */
  public boolean isLocked(SQLException e) {
    return dialect.fault(e) == Fault.LOCKED;
  }

  private static boolean isPassing(Fault fault) {
    return fault == Fault.CONFLICT || fault == Fault.LOCKED || fault == Fault.CONNECTION_LOST;
  }

  /** Returns what the store throws for a fault. */
  public StoreException exception(SQLException e) {
    return Leased.exception(dialect.fault(e), e);
  }

  /** From now on everything is refused. */
  public void close() {
    leased.close();
  }
}
