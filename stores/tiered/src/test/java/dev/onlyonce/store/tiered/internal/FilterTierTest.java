package dev.onlyonce.store.tiered.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.jdbc.JdbcStore;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class FilterTierTest {

  private static final Scope SCOPE = Scope.of("orders");
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration GUARD = Duration.ofMinutes(1);

  /** A reader of a store at whose pages a test can look, wait, or fail. */
  private record Watched(ClaimReader reader, Consumer<String> beforePage) implements ClaimReader {
    @Override
    public Optional<ClaimRecord> find(Scope scope, Key key) {
      return reader.find(scope, key);
    }

    @Override
    public Page list(Query query, String cursor) {
      beforePage.accept(cursor);
      return reader.list(query, cursor);
    }

    @Override
    public List<ClaimRecord> history(Scope scope, Key key) {
      return reader.history(scope, key);
    }

    @Override
    public Map<ClaimState, Long> totals() {
      return reader.totals();
    }
  }

  private static JdbcStore open(HikariDataSource pool, String url) {
    pool.setJdbcUrl(url);
    return JdbcStore.on(pool).createTables().open();
  }

  @Test
  @Semantics(73)
  void a_filter_that_is_loading_may_know_every_key(Database<PostgreSqlServer> database) {
    CountDownLatch gate = new CountDownLatch(1);
    Consumer<String> waiting =
        page -> {
          try {
            gate.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    try (HikariDataSource pool = new HikariDataSource();
        JdbcStore store = open(pool, database.url())) {
      store.claim(List.of(done("done")));
      FilterTier tier =
          new FilterTier(KeyFilter.forKeys(1_000).fixed(), new Watched(store, waiting), HOUR);
      RecordId known = new RecordId(SCOPE, Key.of("done"));
      RecordId elsewhere = new RecordId(Scope.of("order"), Key.of("sdone"));
      tier.load();
      assertThat(tier.mayKnow(known)).isTrue();
      assertThat(tier.mayKnow(elsewhere)).as("never done, while it is loading").isTrue();
      gate.countDown();
      Await.until("the keys", GUARD, () -> tier.trouble() == null);
      assertThat(tier.mayKnow(known)).isTrue();
      assertThat(tier.mayKnow(elsewhere)).as("never done").isFalse();
      tier.add(elsewhere);
      assertThat(tier.mayKnow(elsewhere)).isTrue();
    }
  }

  @Test
  void loading_that_fails_goes_on_later_where_it_failed(Database<PostgreSqlServer> database) {
    AtomicInteger failures = new AtomicInteger();
    AtomicBoolean isDown = new AtomicBoolean(true);
    List<String> pages = new CopyOnWriteArrayList<>();
    Consumer<String> failing =
        page -> {
          if (page != null && isDown.get()) {
            failures.incrementAndGet();
            throw new StoreException(Kind.UNAVAILABLE, "the database is down");
          }
          pages.add(String.valueOf(page));
        };
    try (HikariDataSource pool = new HikariDataSource();
        JdbcStore store = open(pool, database.url())) {
      for (int batch = 0; batch < 2; batch++) {
        String prefix = batch + "-";
        store.claim(IntStream.range(0, 600).mapToObj(it -> done(prefix + it)).toList());
      }
      FilterTier tier =
          new FilterTier(
              KeyFilter.forKeys(10_000).fixed(),
              new Watched(store, failing),
              Duration.ofMillis(10));
      RecordId never = new RecordId(SCOPE, Key.of("never"));
      tier.load();
      Await.until("it to be tried again", GUARD, () -> failures.get() > 2);
      assertThat(tier.trouble()).contains("the database is down", "goes on in");
      assertThat(tier.mayKnow(never)).as("never done, while some keys are missing").isTrue();
      isDown.set(false);
      Await.until("the keys", GUARD, () -> tier.trouble() == null);
      assertThat(pages).as("the pages that were read").doesNotHaveDuplicates().startsWith("null");
      assertThat(tier.mayKnow(new RecordId(SCOPE, Key.of("1-599")))).isTrue();
      assertThat(tier.mayKnow(never)).isFalse();
    }
  }

  @Test
  void a_filter_that_is_over_full_is_not_used_any_more_and_says_so_once() {
    List<String> warnings = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            warnings.add(record.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger(FilterTier.class.getName());
    log.addHandler(handler);
    FilterTier tier = new FilterTier(KeyFilter.forKeys(10).fixed(), new ScriptedStore(), HOUR);
    try {
      tier.load();
      Await.until("no keys", GUARD, () -> tier.trouble() == null);
      RecordId never = new RecordId(SCOPE, Key.of("never"));
      assertThat(tier.mayKnow(never)).isFalse();
      for (int i = 0; i < 10_000; i++) {
        tier.add(new RecordId(SCOPE, Key.of("key " + i)));
      }
      assertThat(tier.trouble()).contains("over-full", "not used any more", "made for 10 keys");
      assertThat(tier.mayKnow(never)).isTrue();
      assertThat(warnings).singleElement().asString().contains("over-full");
    } finally {
      log.removeHandler(handler);
      tier.close();
    }
  }

  private static ClaimRequest done(String key) {
    return ClaimRequest.of(SCOPE, Key.of(key), key.hashCode(), HOUR, Lapse.TAKE)
        .settlingNow(Result.NONE, HOUR);
  }
}
