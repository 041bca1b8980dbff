package dev.onlyonce.store.tiered;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.testkit.StoreSettings;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A database and a Redis, empty before each test, and what was opened in it closed afterwards. */
abstract class TieredFixture {

  static final Duration GUARD = Duration.ofMinutes(1);

  final HikariDataSource source;
  private final List<TieredStore> opened = new ArrayList<>();
  RedisServer redis;
  String prefix = "onlyonce";

  TieredFixture(String databaseUrl) {
    this.source = Stores.quickPool(databaseUrl);
  }

  @BeforeEach
  void empty(RedisServer server) {
    redis = server;
    Raw.ask(redis, it -> it.flushAll());
    Raw.syncLater(redis);
    Stores.database(source).close();
    Stores.empty(source);
  }

  @AfterEach
  void close() {
    opened.forEach(TieredStore::close);
    source.close();
  }

  TieredStore.Builder overDatabase() {
    return TieredStore.with(Authority.DATABASE)
        .database(Stores.database(source))
        .fast(() -> Stores.copies(List.of(redis.url()), prefix))
        .retryAfter(Duration.ofMillis(100));
  }

  TieredStore.Builder overRedis() {
    return TieredStore.with(Authority.REDIS)
        .database(Stores.database(source))
        .fast(() -> Stores.front(List.of(redis.url()), prefix, StoreSettings.defaults()));
  }

  TieredStore open(TieredStore.Builder builder) {
    TieredStore store = builder.open();
    opened.add(store);
    return store;
  }

  static void await(String what, BooleanSupplier until) {
    Await.until(what, GUARD, until);
  }

  /** Waits until the tiers above have their copies. */
  static void awaitCopies(TieredStore store, long written) {
    await(
        written + " copies",
        () ->
            store.statistics().behind().waiting() == 0
                && store.statistics().behind().written() >= written);
  }

  static long keysAsked(TieredStore store, String tier) {
    return store.statistics().tier(tier).keys();
  }

  static long answered(TieredStore store, String tier) {
    return store.statistics().tier(tier).answered();
  }
}
