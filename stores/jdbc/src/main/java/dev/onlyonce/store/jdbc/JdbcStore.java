package dev.onlyonce.store.jdbc;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.PositionStore;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.RecordSink;
import dev.onlyonce.spi.RecordSource;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreClock;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.TierMark;
import dev.onlyonce.spi.TransactionalStore;
import dev.onlyonce.store.jdbc.internal.JdbcEngine;
import dev.onlyonce.store.jdbc.internal.Tables;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A claim store in a relational database: PostgreSQL, MariaDB, MySQL or H2. {@link SqlDialect} has
 * the versions; older servers are refused.
 *
 * <p><b>Guarantee.</b> What was answered is committed, as durably as the database commits. Each
 * verb is one statement for each 1,000 items, and decides by the database's own clock in that
 * statement; any number of processes may use the same tables. Keys are compared as bytes.
 *
 * <p><b>Connections</b> are borrowed for one statement, and no second one while one is held, so a
 * pool of one is enough. They are used with auto-commit and at READ COMMITTED; what they were set
 * to is restored. The source must not hand out the connection of somebody's open transaction.
 *
 * <p><b>Thread-safety.</b> Any number of threads.
 *
 * <p><b>Failure.</b> {@link StoreException}. Deadlocks and serialization failures are tried again,
 * lost connections replaced, some times each; then UNAVAILABLE. REJECTED where asking again does
 * not help, FULL where the database says that it has no room. How long a call waits for a database
 * that does not answer is a setting of the driver and the pool. The tables are looked at when the
 * store is opened, and not again: when they are emptied meanwhile, keys are new and nobody is told.
 */
public final class JdbcStore
    implements ClaimStore,
        ClaimReader,
        RecordSource,
        RecordSink,
        StoreClock,
        TransactionalStore<Connection>,
        PositionStore<Connection> {

  private final JdbcEngine engine;

  private JdbcStore(JdbcEngine engine) {
    this.engine = engine;
  }

  /**
   * Opens the store in the tables of this database, with the defaults.
   *
   * @throws StoreException if the database cannot be reached or the tables are not right
   */
  public static JdbcStore open(DataSource source) {
    return on(source).open();
  }

  /** Starts to open a store with other settings. */
  public static Builder on(DataSource source) {
    return new Builder(source);
  }

  /** Returns what kind of database the store is in. */
  public SqlDialect dialect() {
    return engine.dialect();
  }

  /**
   * Returns the time by which the store decides, the database's, in milliseconds since the epoch.
   */
  @Override
  public long millis() {
    return engine.millis();
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    return engine.claim(batch);
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    return engine.settle(batch);
  }

  @Override
  public List<Held> settleFree(List<? extends Settlement> batch) {
    return engine.settleFree(batch);
  }

  @Override
  public int maxResultBytes() {
    return engine.maxResultBytes();
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    return engine.renew(batch);
  }

  /**
   * Forgets settled records whose retention and grace are over, on a walk through the table that
   * the next call goes on with. A call reads a bounded part of it, so in a large table it may
   * return 0 though there is something further on. It waits for no claim, and gives a step up that
   * would have to.
   */
  @Override
  public int purge(int limit) {
    return engine.purge(Limits.requirePositive("limit", limit));
  }

  /**
   * Claims each key inside the transaction, or answers what is known of it. The connection must not
   * be one that commits by itself. A key that another open transaction has is {@link
   * Answer.InProgress} at once, or after {@code maxWait}; on MySQL, whose shortest wait is a
   * second, after a second for each such key.
   *
   * <p>At REPEATABLE READ and SERIALIZABLE the database may refuse with a conflict what came after
   * the transaction's snapshot: UNAVAILABLE, to be rolled back and begun anew.
   *
   * <p>Never go on after a deadlock: MariaDB, MySQL and H2 have rolled back the whole transaction
   * then, the claim with it, and what is done next is committed without it. So roll back whenever
   * something was thrown; or settle last, and commit only if the answer is HELD.
   */
  @Override
  public List<Answer> claim(Connection transaction, List<ClaimRequest> batch, Duration maxWait) {
    return engine.claim(transaction, batch, maxWait);
  }

  @Override
  public List<Held> settle(Connection transaction, List<? extends Settlement> batch) {
    return engine.settle(transaction, batch);
  }

  /**
   * As {@link TransactionalStore#holds}. A record that another transaction has locked is waited for
   * as long as the store's lock wait, then it is UNAVAILABLE; the transaction goes on all the same.
   */
  @Override
  public boolean holds(Connection transaction, Claim claim) {
    return engine.holds(transaction, claim);
  }

  /** Saves positions. The name of a source is at most 512 bytes of UTF-8. */
  @Override
  public void save(Connection transaction, Scope consumer, Map<String, Position> bySource) {
    engine.save(transaction, consumer, bySource);
  }

  @Override
  public Map<String, Position> load(Connection transaction, Scope consumer) {
    return engine.load(transaction, consumer);
  }

  @Override
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    return engine.find(scope, key);
  }

  @Override
  public List<Optional<ClaimRecord>> find(List<RecordId> ids) {
    return engine.find(ids);
  }

  /**
   * Writes records, and then looks which of them are there: one that another writer has replaced at
   * once reads as not written.
   */
  @Override
  public List<Boolean> put(List<ClaimRecord> batch) {
    return engine.put(batch);
  }

  /** Lists records in the order of their scopes and keys. */
  @Override
  public Page list(Query query, @Nullable String cursor) {
    return engine.list(query, cursor);
  }

  /**
   * Returns what the events tell of the record, each claim that was made and how it ended, and its
   * current version. Without {@link Builder#keepHistory} that is the current version alone.
   */
  @Override
  public List<ClaimRecord> history(Scope scope, Key key) {
    return engine.history(scope, key);
  }

  /** Counts all rows: it reads the whole table. */
  @Override
  public Map<ClaimState, Long> totals() {
    return engine.totals();
  }

  @Override
  public Set<Scope> scopes() {
    return engine.scopes();
  }

  /** Tells whether the transaction has the claim of this request still, made before all else. */
  boolean hasStill(Connection transaction, ClaimRequest request) {
    return engine.hasStill(transaction, request);
  }

  /** Gives results to keys that the transaction has made done. */
  void keep(Connection transaction, Map<Claim, Result> results) {
    engine.keep(transaction, results);
  }

  /** Tells whether the connection was lost, so that what was done last may have been done. */
  boolean isLost(Exception failure) {
    return failure instanceof SQLException e && engine.isLost(e);
  }

  /** Tells whether another transaction has had something locked for too long. */
  boolean isLocked(Exception failure) {
    return failure instanceof SQLException e && engine.isLocked(e);
  }

  /** Returns the fault in this exception that a new transaction may not meet, or null. */
  @Nullable SQLException passing(Throwable thrown) {
    return engine.passing(thrown);
  }

  StoreException exception(SQLException e) {
    return engine.exception(e);
  }

  /** Later calls are refused. The source is the caller's, and stays open. */
  @Override
  public void close() {
    engine.close();
  }

  /**
   * Settings of a JDBC store. Defaults:
   *
   * <ul>
   *   <li>tables: {@code onlyonce_claim}, {@code onlyonce_event}, {@code onlyonce_position} and
   *       {@code onlyonce_meta}, which must be there
   *   <li>lock wait: 5 seconds
   *   <li>history: as the tables say, at first none
   *   <li>dialect: as the connection says
   *   <li>owner: {@code jdbc}
   *   <li>purge grace: 10 minutes
   *   <li>clock tolerance: zero, since the database's own clock decides; where a standby with
   *       another clock may take over, 2 seconds are better
   * </ul>
   */
  public static final class Builder {
    private static final int LONGEST_OWNER = 127;

    private final DataSource source;
    private Tables tables = new Tables(Tables.DEFAULT);
    private @Nullable SqlDialect dialect;
    private String owner = "jdbc";
    private Duration purgeGrace = Limits.PURGE_GRACE;
    private Duration clockTolerance = Duration.ZERO;
    private Duration lockWait = Duration.ofSeconds(5);
    private @Nullable Duration history;
    private boolean creates;
    private boolean isTier;

    private Builder(DataSource source) {
      this.source = source;
    }

    /** Sets what the names of the tables begin with: a plain name in small letters. */
    public Builder tablePrefix(String prefix) {
      this.tables = new Tables(prefix);
      return this;
    }

    /** Sets the dialect, instead of asking the connection. */
    public Builder dialect(SqlDialect name) {
      this.dialect = name;
      return this;
    }

    /** Sets the name that records show as their owner, at most 127 characters. */
    public Builder owner(String name) {
      if (name.length() > LONGEST_OWNER) {
        throw new IllegalArgumentException(
            "owner must be at most 127 characters, was " + name.length());
      }
      this.owner = name;
      return this;
    }

    /** Sets how long after its expiry a record is purged at the earliest. */
    public Builder purgeGrace(Duration grace) {
      this.purgeGrace = Limits.requireNotNegative("purge grace", grace);
      return this;
    }

    /** Sets how much longer than its lease a claim is left alone. */
    public Builder clockTolerance(Duration tolerance) {
      this.clockTolerance = Limits.requireNotNegative("clock tolerance", tolerance);
      return this;
    }

    /**
     * Sets how long a call waits for a record that somebody's open transaction has locked, by
     * {@code holds} or a settlement in it, before it is tried once more and then gives up with
     * UNAVAILABLE. MariaDB counts in whole seconds; on MySQL the server's {@code
     * innodb_lock_wait_timeout} counts.
     */
    public Builder lockWait(Duration longest) {
      this.lockWait = Limits.requirePositive("lock wait", longest);
      return this;
    }

    /**
     * Has an event written for each claim that is made and each that ends, and kept that long; zero
     * ends that. It is a setting of the tables: all stores that are opened on them from now on do
     * it. It makes two rows of one, so it is off unless it is asked for.
     */
    public Builder keepHistory(Duration kept) {
      this.history = Limits.requireNotNegative("history", kept);
      return this;
    }

    /**
     * Makes the tables if they are not there, and brings older ones to this version: {@link
     * JdbcSchema} has the statements. Where they are right already nothing is run, so that a user
     * who may only read and write them can say it, too.
     */
    public Builder createTables() {
      this.creates = true;
      return this;
    }

    /**
     * Says that the store is handed to a tiered store. Without, one that is behind Redis in a
     * tiered store is refused, since it must not be used alone.
     */
    public Builder asTier() {
      this.isTier = true;
      return this;
    }

    /**
     * Opens the store.
     *
     * @throws StoreException if the database cannot be reached or the tables are not right;
     *     REJECTED if the store is behind Redis in a tiered store, unless {@link #asTier} was said
     */
    public JdbcStore open() {
      JdbcStore store =
          new JdbcStore(
              JdbcEngine.open(
                  source,
                  new JdbcEngine.Settings(
                      tables,
                      dialect,
                      owner,
                      purgeGrace,
                      clockTolerance,
                      lockWait,
                      history,
                      creates)));
      if (!isTier) {
        TierMark.requireAlone("the database", store);
      }
      return store;
    }
  }
}
