package dev.onlyonce.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.store.jdbc.JdbcStore;
import dev.onlyonce.store.local.LocalStore;
import dev.onlyonce.store.redis.RedisStore;
import dev.onlyonce.store.tiered.Authority;
import dev.onlyonce.store.tiered.TieredStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A store of several tiers, or one of them alone, with servers of its own that are durable. */
final class TieredContender implements AutoCloseable {

  private static final int CONNECTIONS = 4;
  private static final int NEAR_BYTES = 256 << 20;
  private static final int FILTER_KEYS = 2_000_000;
  private static final int BEHIND = 1_000_000;

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final ClaimStore claims;
  private final boolean waits;

  private TieredContender(String name) throws Exception {
    this.waits = name.endsWith("until it is there");
    this.claims =
        switch (name) {
          case "redis, database behind", "redis, database behind, until it is there" ->
              tiers(Authority.REDIS).behind(BEHIND, Duration.ofMinutes(1)).open();
          case "database" ->
              tiers(Authority.DATABASE).filter(KeyFilter.forKeys(FILTER_KEYS).scalable()).open();
          case "Redis alone" -> RedisStore.open(redis());
          case "PostgreSQL alone" -> database();
          case "local store of a partition's owner" -> local();
          default -> throw new IllegalArgumentException("no such contender: " + name);
        };
    opened.push(claims);
  }

  static TieredContender named(String name) throws Exception {
    return new TieredContender(name);
  }

  ClaimStore claims() {
    return claims;
  }

  private TieredStore.Builder tiers(Authority authority) {
    String url = redis();
    return TieredStore.with(authority)
        .database(database())
        .fast(() -> RedisStore.open(url))
        .near(NEAR_BYTES, Duration.ofMinutes(10));
  }

  private String redis() {
    RedisServer server = RedisServer.start();
    opened.push(server);
    return server.url();
  }

  private JdbcStore database() {
    PostgreSqlServer server = PostgreSqlServer.start();
    opened.push(server);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.url() + "&options=-c%20plan_cache_mode=force_generic_plan");
    config.setMaximumPoolSize(CONNECTIONS);
    HikariDataSource pool = new HikariDataSource(config);
    opened.push(pool);
    return JdbcStore.on(pool).createTables().open();
  }

  private ClaimStore local() throws Exception {
    Folder folder = Folder.create();
    opened.push(folder);
    return LocalStore.open(folder.path());
  }

  /** Waits until nothing is on its way to another tier. */
  void awaitBehind() {
    while (claims instanceof TieredStore tiered && tiered.statistics().behind().waiting() > 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  /** Does so if that is what this contender is measured with. */
  void awaitBehindIfAsked() {
    if (waits) {
      awaitBehind();
    }
  }

  @Override
  public void close() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }
}
