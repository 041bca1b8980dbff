package dev.onlyonce.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The clock of a database's server jumps: all that is stored is moved the other way, which is the
 * same to every statement.
 */
abstract class ClockJumpRules {

  private static final Scope SCOPE = Scope.of("clock");
  private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);
  private static final Duration A_DAY = Duration.ofDays(1);
  private static final int STEPS_OF_A_PURGE = 20;

  private final DataSource source;
  private final JdbcStore store;

  ClockJumpRules(DataSource source) {
    this.source = source;
    this.store = JdbcStore.on(source).createTables().open();
  }

  @BeforeEach
  void empty() {
    Pools.run(source, "DELETE FROM onlyonce_claim");
  }

  @AfterAll
  static void close() {
    Pools.close();
  }

  private void jump(Duration ahead) {
    String move = "UPDATE onlyonce_claim SET %1$s = %1$s - " + ahead.toMillis();
    Pools.run(
        source,
        move.formatted("until_ms") + " WHERE state IN (1, 4)",
        move.formatted("expires_ms") + " WHERE state <> 1",
        move.formatted("created_ms"),
        move.formatted("updated_ms"),
        move.formatted("token") + "000 WHERE state = 2"); // microseconds; others have holders
  }

  private Answer ask(String key, Lapse lapse) {
    long id = ThreadLocalRandom.current().nextLong();
    return store
        .claim(List.of(ClaimRequest.of(SCOPE, Key.of(key), id, HALF_AN_HOUR, lapse)))
        .get(0);
  }

  private Claim claim(String key, Lapse lapse) {
    assertThat(ask(key, lapse)).as(key).isInstanceOf(Answer.Claimed.class);
    return store
        .find(SCOPE, Key.of(key))
        .map(it -> new Claim(SCOPE, Key.of(key), it.token(), it.attempt()))
        .orElseThrow();
  }

  private Held complete(Claim claim, Duration keep) {
    return store.settle(List.of(new Settlement.Complete(claim, Result.NONE, keep))).get(0);
  }

  @Test
  @Semantics({10, 13, 29})
  void a_clock_that_jumps_ahead_ends_leases_and_short_retentions_and_fences_the_overtaken() {
    Claim overtaken = claim("overtaken", Lapse.TAKE);
    Claim late = claim("late", Lapse.TAKE);
    Claim parked = claim("parked", Lapse.PARK);
    complete(claim("short", Lapse.TAKE), HALF_AN_HOUR);
    complete(claim("long", Lapse.TAKE), A_DAY);
    complete(claim("purged", Lapse.TAKE), HALF_AN_HOUR);
    jump(Duration.ofHours(1));
    Claim successor = claim("overtaken", Lapse.TAKE);
    assertThat(successor.token()).isGreaterThan(overtaken.token());
    assertThat(complete(overtaken, A_DAY)).isEqualTo(Held.LOST);
    assertThat(complete(late, A_DAY)).isEqualTo(Held.HELD);
    assertThat(ask("parked", Lapse.PARK))
        .isEqualTo(new Answer.InDoubt(parked.token(), parked.attempt()));
    claim("short", Lapse.TAKE);
    assertThat(ask("long", Lapse.TAKE)).isInstanceOf(Answer.Done.class);
    int purged = 0;
    for (int i = 0; i < STEPS_OF_A_PURGE; i++) {
      purged += store.purge(100);
    }
    assertThat(purged).isEqualTo(1);
    claim("purged", Lapse.TAKE);
  }

  @Test
  @Semantics({28, 96})
  void a_clock_that_is_set_back_ends_nothing_early_and_tokens_grow() {
    Claim held = claim("held", Lapse.TAKE);
    Claim done = claim("done", Lapse.TAKE);
    complete(done, HALF_AN_HOUR);
    jump(Duration.ofHours(-1));
    Pools.run(source, "UPDATE onlyonce_claim SET token = token + 3600000000 WHERE state = 1");
    assertThat(ask("held", Lapse.TAKE)).isInstanceOf(Answer.InProgress.class);
    assertThat(ask("done", Lapse.TAKE)).isInstanceOf(Answer.Done.class);
    for (int i = 0; i < STEPS_OF_A_PURGE; i++) {
      assertThat(store.purge(100)).isZero();
    }
    long ahead = held.token() + 3_600_000_000L;
    Claim again = new Claim(SCOPE, held.key(), ahead, held.attempt());
    Settlement release =
        new Settlement.Release(again, Duration.ZERO, Settlement.Attempts.KEEP, A_DAY);
    assertThat(store.settle(List.of(release))).containsExactly(Held.HELD);
    assertThat(claim("held", Lapse.TAKE).token()).isGreaterThan(ahead);
  }
}
