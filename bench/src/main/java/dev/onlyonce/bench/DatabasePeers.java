package dev.onlyonce.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.spi.Time;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository;
import org.springframework.integration.jdbc.metadata.JdbcMetadataStore;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Other libraries on the same database: one new key a call, from as many threads as connections.
 */
final class DatabasePeers {

  static final String SETTINGS =
      "HikariCP with as many connections as threads; Camel's JdbcMessageIdRepository with its own"
          + " table and transactions; Spring Integration's JdbcMetadataStore.putIfAbsent in a"
          + " transaction, with the table of its schema; ShedLock's JdbcTemplateLockProvider with"
          + " usingDbTime(), a lock of its own for each key, not unlocked";

  private static final Duration LOCK = Duration.ofMinutes(1);
  private static final Time TIME = Time.system();

  private DatabasePeers() {}

  /** Puts a key; tells whether it was new. */
  private interface Put {
    boolean isNew(String key) throws Exception;
  }

  private record Peer(HikariDataSource pool, Supplier<byte[]> keys, int threads, Put put)
      implements DatabaseWork {
    Peer(HikariDataSource pool, Put put) {
      this(pool, ClaimWork.newKeys(), pool.getMaximumPoolSize(), put);
    }

    @Override
    public int step() throws Exception {
      DatabaseWork.require(1, put.isNew(MessageKeys.text(keys.get())) ? 1 : 0);
      return 1;
    }

    @Override
    public void close() {
      pool.close();
    }
  }

  static DatabaseWork camel(String url, int connections) throws Exception {
    HikariDataSource pool = ClaimWork.pool(url, connections);
    JdbcMessageIdRepository repository = new JdbcMessageIdRepository(pool, "bench");
    repository.start();
    return new Peer(pool, repository::add);
  }

  static DatabaseWork spring(String url, int connections) throws Exception {
    HikariDataSource pool = ClaimWork.pool(url, connections);
    run(
        pool,
        "create table INT_METADATA_STORE (METADATA_KEY varchar(255) not null, METADATA_VALUE"
            + " varchar(4000), REGION varchar(100) not null, primary key (METADATA_KEY, REGION))");
    JdbcMetadataStore store = new JdbcMetadataStore(pool);
    store.afterPropertiesSet();
    TransactionTemplate transactions = new TransactionTemplate(new JdbcTransactionManager(pool));
    return new Peer(
        pool,
        key ->
            Boolean.TRUE.equals(
                transactions.execute(it -> store.putIfAbsent(key, "done") == null)));
  }

  static DatabaseWork shedLock(String url, int connections) throws Exception {
    HikariDataSource pool = ClaimWork.pool(url, connections);
    run(
        pool,
        "create table shedlock (name varchar(64) not null, lock_until timestamp(3) not null,"
            + " locked_at timestamp(3) not null default current_timestamp(3), locked_by"
            + " varchar(255) not null, primary key (name))");
    JdbcTemplateLockProvider provider =
        new JdbcTemplateLockProvider(
            JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
    return new Peer(
        pool,
        key -> provider.lock(new LockConfiguration(now(), key, LOCK, Duration.ZERO)).isPresent());
  }

  private static Instant now() {
    return Instant.ofEpochMilli(TIME.millis());
  }

  private static void run(DataSource source, String sql) throws Exception {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
