package dev.onlyonce.store.tiered;

import static dev.onlyonce.store.tiered.Ask.LONG;
import static dev.onlyonce.store.tiered.Ask.SCOPE;
import static dev.onlyonce.store.tiered.Ask.ask;
import static dev.onlyonce.store.tiered.Ask.assertDone;
import static dev.onlyonce.store.tiered.Ask.claim;
import static dev.onlyonce.store.tiered.Ask.complete;
import static dev.onlyonce.store.tiered.Ask.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.Semantics;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which tier decides: it is kept with the data, and what goes with it is all that is taken. */
@ExtendWith(Servers.class)
class AuthorityTest extends TieredFixture {

  AuthorityTest(Database<PostgreSqlServer> database) {
    super(database.url());
  }

  @Test
  @Semantics(102)
  void the_authority_is_kept_with_the_data() {
    open(overDatabase()).close();
    assertThatThrownBy(() -> overRedis().open())
        .isInstanceOf(StoreException.class)
        .hasMessageContainingAll("authority: database", "redis, database behind");
    open(overDatabase());
  }

  @Test
  @Semantics({74, 101, 102})
  void no_copy_of_before_is_used_when_the_tiers_were_made_anew() {
    TieredStore store = open(overDatabase().near(1 << 20, LONG));
    complete(store, "a");
    awaitCopies(store, 1);
    store.close();
    Stores.run(source, "DELETE FROM onlyonce_claim WHERE scope = '" + SCOPE + "'"); // as a restore
    assertDone(ask(open(overDatabase()), "a"), text("of a"));
    overDatabase().rebuild();
    claim(open(overDatabase()), "a");
  }

  @Test
  @Semantics(102)
  void a_store_that_was_left_open_when_the_authority_became_redis_is_refused() {
    TieredStore left = open(overDatabase().near(1 << 20));
    complete(left, "a");
    prefix = "front";
    assertThat(overRedis().rebuild()).isEqualTo(1);
    TieredStore store = open(overRedis());
    await("the change to be noticed", () -> left.statistics().tier("database").trouble() != null);
    for (String key : List.of("a", "b")) {
      assertThatThrownBy(() -> ask(left, key))
          .isInstanceOf(StoreException.class)
          .hasMessageContainingAll("made anew", "open it again");
    }
    claim(store, "b");
  }

  @Test
  void the_stores_own_records_are_not_shown_and_its_scope_is_nobody_elses() {
    TieredStore store = open(overDatabase());
    complete(store, "a");
    assertThat(store.totals()).containsEntry(ClaimState.DONE, 1L);
    assertThat(store.scopes()).containsExactly(SCOPE);
    ClaimRequest own =
        new ClaimRequest(
            Scope.of("onlyonce/tiers"),
            Key.of("pair"),
            1,
            null,
            LONG,
            LONG,
            Lapse.TAKE,
            null,
            ClaimRequest.ANY);
    assertThatThrownBy(() -> ask(store, own)).hasMessageContaining("onlyonce/tiers");
  }

  @Test
  void tiers_that_make_no_sense_together_are_refused() {
    assertThatThrownBy(() -> TieredStore.with(Authority.DATABASE).near(1 << 20).open())
        .hasMessageContaining("needs a database");
    assertThatThrownBy(
            () -> TieredStore.with(Authority.DATABASE).database(Stores.database(source)).open())
        .hasMessageContaining("near cache or Redis");
    assertThatThrownBy(
            () ->
                TieredStore.with(Authority.REDIS)
                    .database(Stores.database(source))
                    .near(1 << 20)
                    .open())
        .hasMessageContaining("needs Redis");
    assertThatThrownBy(() -> overRedis().filter(KeyFilter.forKeys(10).fixed()).open())
        .hasMessageContaining("leave the filter out");
    assertThatThrownBy(() -> overDatabase().near(100)).hasMessageContaining("had 100");
    assertThatThrownBy(() -> overDatabase().behind(5, LONG)).hasMessageContaining("were 5");
  }

  @Test
  void what_the_authority_does_not_use_is_refused() {
    assertThatThrownBy(() -> overDatabase().behind(1_000, LONG).open())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("behind(...)")
        .hasMessageContaining("leave it out");
    Map<String, UnaryOperator<TieredStore.Builder>> ofCopies =
        Map.of(
            "copiesKeptFor(...)", it -> it.copiesKeptFor(LONG),
            "slowFrom(...)", it -> it.slowFrom(LONG),
            "retryAfter(...)", it -> it.retryAfter(LONG));
    ofCopies.forEach(
        (name, setting) -> {
          for (TieredStore.Builder each : List.of(overRedis(), nearAlone())) {
            assertThatThrownBy(() -> setting.apply(each).open())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(name)
                .hasMessageContaining("leave it out");
          }
        });
    assertThatThrownBy(() -> overRedis().slowFrom(LONG).rebuild()).hasMessageContaining("slowFrom");
  }

  private TieredStore.Builder nearAlone() {
    return TieredStore.with(Authority.DATABASE).database(Stores.database(source)).near(1 << 20);
  }
}
