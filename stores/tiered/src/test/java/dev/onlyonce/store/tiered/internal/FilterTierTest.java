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
import dev.onlyonce.store.jdbc.JdbcStore;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class FilterTierTest {

  private static final Scope SCOPE = Scope.of("orders");
  private static final Duration HOUR = Duration.ofHours(1);

  /** A reader whose first page comes when the test lets it. */
  private record HeldUp(ClaimReader reader, CountDownLatch gate) implements ClaimReader {
    @Override
    public Optional<ClaimRecord> find(Scope scope, Key key) {
      return reader.find(scope, key);
    }

    @Override
    public Page list(Query query, String cursor) {
      try {
        gate.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
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
    try (HikariDataSource pool = new HikariDataSource();
        JdbcStore store = open(pool, database.url())) {
      Key done = Key.of("done");
      store.claim(
          List.of(
              ClaimRequest.of(SCOPE, done, 1, HOUR, Lapse.TAKE).settlingNow(Result.NONE, HOUR)));
      FilterTier tier = new FilterTier(KeyFilter.forKeys(1_000).fixed(), new HeldUp(store, gate));
      RecordId known = new RecordId(SCOPE, done);
      RecordId elsewhere = new RecordId(Scope.of("order"), Key.of("sdone"));
      tier.load();
      assertThat(tier.mayKnow(known)).isTrue();
      assertThat(tier.mayKnow(elsewhere)).as("never done, while it is loading").isTrue();
      gate.countDown();
      Await.until("the keys", Duration.ofMinutes(1), () -> tier.trouble() == null);
      assertThat(tier.mayKnow(known)).isTrue();
      assertThat(tier.mayKnow(elsewhere)).as("never done").isFalse();
      tier.add(elsewhere);
      assertThat(tier.mayKnow(elsewhere)).isTrue();
    }
  }
}
