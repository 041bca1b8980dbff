package dev.onlyonce.app.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.testkit.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is counted by the store, and what is read. */
class StateTotalsTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualTime time = new ManualTime();
  private final MemoryStore store = MemoryStore.builder().time(time).forgetful().build();
  private final Watched reader = new Watched();

  /** The store's reader, which counts how many pages were read. */
  private final class Watched implements ClaimReader {
    private int pages;

    @Override
    public Optional<ClaimRecord> find(Scope scope, Key key) {
      return store.find(scope, key);
    }

    @Override
    public Page list(Query query, String cursor) {
      pages++;
      return store.list(query, cursor);
    }

    @Override
    public List<ClaimRecord> history(Scope scope, Key key) {
      return store.history(scope, key);
    }

    @Override
    public Map<ClaimState, Long> totals() {
      return store.totals();
    }

    @Override
    public Set<Scope> scopes() {
      return store.scopes();
    }
  }

  private void done(String scope, String key) {
    store.claim(List.of(request(scope, key).settlingNow(Result.NONE, HOUR)));
  }

  private static ClaimRequest request(String scope, String key) {
    return ClaimRequest.of(Scope.of(scope), Key.of(key), key.hashCode(), HOUR, Lapse.PARK);
  }

  @Test
  void what_the_store_counts_is_not_read() {
    done("orders", "a");
    done("orders", "b");
    assertThat(StateTotals.of(reader).line("x")).matches(" +2 +2 +0 +0 +0 +0  x");
    Map<String, StateTotals> byScope = StateTotals.byScope(reader, time.millis());
    assertThat(byScope).containsOnlyKeys("orders", StateTotals.ALL);
    assertThat(byScope.get("orders").line("x")).matches(" +2 +2 +0 +0 +0 +0  x");
    assertThat(reader.pages).isZero();
  }

  @Test
  void claims_are_read_since_they_may_be_in_doubt() {
    done("orders", "a");
    store.claim(List.of(request("orders", "b"), request("orders", "c")));
    assertThat(StateTotals.of(reader).line("x")).matches(" +3 +1 +2 +0 +0 +0  x");
    time.advance(HOUR.minusMillis(1));
    store.claim(List.of(request("orders", "d")));
    time.advance(Duration.ofMillis(1));
    assertThat(StateTotals.byScope(reader, time.millis()).get("orders").line("x"))
        .matches(" +3 +0 +3 +2 +0 +0  x");
    assertThat(reader.pages).isPositive();
  }

  @Test
  void several_scopes_are_counted_by_reading() {
    done("orders", "a");
    done("payments", "a");
    done("payments", "b");
    Map<String, StateTotals> byScope = StateTotals.byScope(reader, time.millis());
    assertThat(byScope).containsOnlyKeys("orders", "payments", StateTotals.ALL);
    assertThat(byScope.get("payments").line("x")).matches(" +2 +2 +0 +0 +0 +0  x");
    assertThat(byScope.get(StateTotals.ALL).line("x")).matches(" +3 +3 +0 +0 +0 +0  x");
  }

  @Test
  void an_empty_store_has_no_scope() {
    assertThat(StateTotals.byScope(reader, time.millis())).containsOnlyKeys(StateTotals.ALL);
    assertThat(reader.pages).isZero();
  }
}
