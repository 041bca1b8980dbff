package dev.onlyonce.store.tiered.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.tiered.Authority;
import dev.onlyonce.store.tiered.TieredStatistics.Behind;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of settled keys on the way to a database that refuses some of them, or all. */
class WriteBehindTest {

  private static final Scope SCOPE = Scope.of("orders");
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration GUARD = Duration.ofMinutes(1);

  private final ScriptedStore front = new ScriptedStore();
  private final ScriptedStore database = new ScriptedStore();
  private TieredEngine engine = open(GUARD);

  private TieredEngine open(Duration closePatience) {
    Settings settings = new Settings(Authority.REDIS);
    settings.closePatience = closePatience;
    settings.database = Tier.of(database);
    settings.fast = () -> Tier.of(front);
    return TieredEngine.open(settings);
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private List<Answer> settle(String... keys) {
    return engine.claim(
        Stream.of(keys)
            .map(it -> ClaimRequest.of(SCOPE, Key.of(it), it.hashCode(), HOUR, Lapse.TAKE))
            .map(it -> it.settlingNow(Result.NONE, HOUR))
            .toList());
  }

  private Behind awaitWritten() {
    Await.until("what waits", GUARD, () -> engine.statistics().behind().waiting() == 0);
    return engine.statistics().behind();
  }

  private boolean isBehind(String key) {
    return database.find(SCOPE, Key.of(key)).isPresent();
  }

  @Test
  void a_record_that_the_database_refuses_is_set_aside_and_the_others_are_written() {
    for (RuntimeException refusal :
        List.of(
            new StoreException(Kind.REJECTED, "this one is too long"),
            new IllegalStateException("a fault of the driver"))) {
      String bad = "bad-" + refusal.getClass().getSimpleName();
      database.beforePut =
          batch -> {
            if (batch.stream().anyMatch(it -> Key.of(bad).equals(it.key()))) {
              throw refusal;
            }
          };
      long before = engine.statistics().behind().dropped();
      settle("one-" + bad, bad, "two-" + bad);
      assertThat(awaitWritten().dropped()).isEqualTo(before + 1);
      assertThat(isBehind("one-" + bad) && isBehind("two-" + bad)).isTrue();
      assertThat(isBehind(bad)).isFalse();
    }
  }

  @Test
  @Semantics(102)
  void what_the_fast_store_has_lost_meanwhile_is_counted_as_not_written() {
    front.afterClaim = batch -> front.lose(new RecordId(SCOPE, Key.of("lost")));
    settle("lost", "kept");
    assertThat(awaitWritten().dropped()).isEqualTo(1);
    assertThat(engine.statistics().behind().written()).isEqualTo(1);
    assertThat(isBehind("kept")).isTrue();
  }

  @Test
  @Semantics(102)
  void nothing_is_written_any_more_when_the_tiers_were_made_anew() {
    Pairing.rebuild(Authority.DATABASE, Tier.of(database), null);
    front.afterClaim = batch -> {};
    try {
      settle("late");
    } catch (StoreException e) {
      assertThat(e.kind()).isEqualTo(Kind.REJECTED); // it has been noticed already
    }
    awaitWritten();
    assertThat(isBehind("late")).isFalse();
  }

  @Test
  @Semantics(69)
  void closing_waits_no_longer_than_it_may_and_counts_what_is_left() {
    database.beforePut =
        batch -> {
          throw new StoreException(Kind.UNAVAILABLE, "the database is down");
        };
    engine.close();
    engine = open(Duration.ofMillis(100));
    settle("one", "two", "three");
    engine.close();
    assertThat(engine.statistics().behind().dropped()).isEqualTo(3);
  }

  @Test
  @Semantics(69)
  void closing_waits_for_callers_and_writes_what_they_have_settled() throws Exception {
    CountDownLatch isAsked = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    front.beforeClaim =
        batch -> {
          if (batch.get(0).scope().equals(SCOPE)) {
            isAsked.countDown();
            try {
              gate.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        };
    Thread caller = new Thread(() -> settle("in flight"));
    caller.start();
    isAsked.await();
    Thread closer = new Thread(engine::close);
    closer.start();
    Await.until("closing to wait", GUARD, () -> closer.getState() == Thread.State.TIMED_WAITING);
    gate.countDown();
    closer.join();
    caller.join();
    assertThat(isBehind("in flight")).isTrue();
    assertThat(engine.statistics().behind().dropped()).isZero();
  }
}
