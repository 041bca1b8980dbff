package dev.onlyonce.store.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Backoff;
import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.OnlyOnceBuilder;
import dev.onlyonce.Outcome;
import dev.onlyonce.Result;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.Scope;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Reason;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What happened to a key, on each database. */
@ExtendWith(Servers.class)
class HistoryTest {

  /** The rules. */
  abstract static class Rules {
    private static final Scope SCOPE = Scope.of("history");
    private static final Duration LONG = Duration.ofHours(1);

    private final DataSource source;
    private final SqlDialect dialect;
    private final JdbcStore store;

    Rules(DataSource source, SqlDialect dialect) {
      this.source = source;
      this.dialect = dialect;
      this.store = open(LONG);
    }

    private JdbcStore open(Duration history) {
      return JdbcStore.on(source)
          .dialect(dialect)
          .owner("worker")
          .createTables()
          .keepHistory(history)
          .open();
    }

    @BeforeEach
    void empty() {
      Pools.run(source, "DELETE FROM onlyonce_event", "DELETE FROM onlyonce_claim");
    }

    @AfterAll
    static void close() {
      Pools.close();
    }

    private static ClaimRequest request(String key) {
      return ClaimRequest.of(
          SCOPE, Key.of(key), ThreadLocalRandom.current().nextLong(), LONG, Lapse.TAKE);
    }

    private Claim claim(ClaimRequest request) {
      Answer answer = store.claim(List.of(request)).get(0);
      assertThat(answer).isInstanceOf(Answer.Claimed.class);
      return ((Answer.Claimed) answer).claim();
    }

    private static Settlement completion(Claim claim, String result) {
      return new Settlement.Complete(
          claim, new Result.Value("text/plain", result.getBytes(UTF_8)), LONG);
    }

    private static Settlement failure(Claim claim, String reason) {
      return new Settlement.Fail(claim, reason, LONG);
    }

    private List<ClaimRecord> history(String key) {
      return store.history(SCOPE, Key.of(key));
    }

    private static List<ClaimState> states(List<ClaimRecord> history) {
      return history.stream().map(ClaimRecord::state).toList();
    }

    private long events() {
      return Pools.number(source, "SELECT count(*) FROM onlyonce_event");
    }

    @Test
    @Semantics({6, 7, 20, 24})
    @Case(13)
    void each_claim_and_each_end_of_one_is_in_the_history_once() {
      Claim first = claim(request("a"));
      Settlement release =
          new Settlement.Release(first, Duration.ZERO, Settlement.Attempts.KEEP, LONG);
      store.settle(List.of(release));
      store.settle(List.of(release));
      Claim second = claim(request("a"));
      store.settle(List.of(completion(first, "late"), failure(second, "no such account")));
      assertThat(store.claim(List.of(request("a"))).get(0)).isInstanceOf(Answer.Failed.class);
      Claim third = claim(request("a").expecting(second.token()));
      store.settle(List.of(completion(third, "receipt")));
      List<ClaimRecord> history = history("a");
      assertThat(states(history))
          .containsExactly(
              ClaimState.CLAIMED,
              ClaimState.RELEASED,
              ClaimState.CLAIMED,
              ClaimState.FAILED,
              ClaimState.CLAIMED,
              ClaimState.DONE);
      assertThat(history.stream().map(ClaimRecord::token).toList())
          .containsExactly(
              first.token(),
              first.token(),
              second.token(),
              second.token(),
              third.token(),
              third.token());
      assertThat(history.get(3).result())
          .isEqualTo(new Result.Value("text/plain", "no such account".getBytes(UTF_8)));
      assertThat(history.get(5).result())
          .isEqualTo(new Result.Value("text/plain", "receipt".getBytes(UTF_8)));
      assertThat(history).allMatch(it -> it.owner().equals("worker"));
      assertThat(events()).isEqualTo(6);
    }

    @Test
    @Semantics({3, 9})
    void what_was_rolled_back_is_in_no_history() throws SQLException {
      for (boolean commits : new boolean[] {false, true}) {
        try (Connection transaction = source.getConnection()) {
          transaction.setAutoCommit(false);
          Answer answer = store.claim(transaction, List.of(request("in")), Duration.ZERO).get(0);
          store.settle(
              transaction, List.of(completion(((Answer.Claimed) answer).claim(), "receipt")));
          if (commits) {
            transaction.commit();
          } else {
            transaction.rollback();
          }
          transaction.setAutoCommit(true);
        }
        assertThat(events()).isEqualTo(commits ? 2 : 0);
      }
      assertThat(states(history("in"))).containsExactly(ClaimState.CLAIMED, ClaimState.DONE);
    }

    @Test
    @Semantics(24)
    void a_batch_writes_an_event_for_each_key_and_copies_write_none() {
      List<ClaimRequest> batch = List.of(request("b"), request("c"), request("d"));
      List<ClaimRequest> settling =
          batch.stream().map(it -> it.settlingNow(Result.NONE, LONG)).toList();
      store.claim(settling);
      store.claim(settling);
      store.claim(List.of(request("b"), request("c"), request("d")));
      assertThat(events()).isEqualTo(3);
      assertThat(states(history("c"))).containsExactly(ClaimState.DONE);
    }

    private OnlyOnceBuilder<String> once() {
      return OnlyOnce.builder(store)
          .scope(SCOPE)
          .results(ResultCodec.TEXT)
          .onInDoubt(OnInDoubt.RERUN)
          .onFailure(OnFailure.defaults().backoff(Backoff.fixed(Duration.ofMillis(1))));
    }

    /** Powertools took all messages without a key for copies of one message. */
    @Test
    @Case(5)
    @Semantics(36)
    void messages_without_a_key_have_no_record_and_no_event() {
      List<Extracted> found =
          List.of(
              new Unkeyed(Reason.MISSING, "there is no /orderId"),
              new Unkeyed(Reason.NULL, "/orderId is null"),
              new Unkeyed(Reason.EMPTY, "/orderId is empty"));
      AtomicInteger effects = new AtomicInteger();
      try (OnlyOnce<String> strict = once().build();
          OnlyOnce<String> bypassing = once().bypassUnkeyed().build()) {
        for (Extracted each : found) {
          assertThat(strict.attempt(each, null, attempt -> count(effects)))
              .isInstanceOf(Outcome.Unkeyed.class);
          assertThat(bypassing.attempt(each, null, attempt -> count(effects)))
              .isInstanceOf(Outcome.Processed.class);
        }
      }
      assertThat(effects).hasValue(found.size());
      assertThat(events()).isZero();
      assertThat(store.totals().values()).allMatch(it -> it == 0);
    }

    private static String count(AtomicInteger effects) {
      return "effect " + effects.incrementAndGet();
    }

    /** Eventuate Tram remembered the id although the handler threw, and the work was lost. */
    @Test
    @Case(19)
    @Semantics({3, 6})
    void a_handler_that_threw_leaves_a_release_and_the_next_attempt_the_end() {
      AtomicInteger effects = new AtomicInteger();
      try (OnlyOnce<String> once = once().build()) {
        Key first = Key.of("m1");
        Outcome<String> thrown =
            once.attempt(
                first,
                null,
                attempt -> {
                  throw new IOException("the bank is closed");
                });
        assertThat(thrown).isInstanceOf(Outcome.Released.class);
        assertThat(once.attempt(Key.of("m2"), null, attempt -> count(effects)))
            .isInstanceOf(Outcome.Processed.class);
        Await.until(
            "the second attempt",
            Duration.ofMinutes(1),
            () ->
                once.attempt(first, null, attempt -> count(effects)) instanceof Outcome.Processed);
        assertThat(once.attempt(first, null, attempt -> count(effects)))
            .isInstanceOf(Outcome.Duplicate.class);
      }
      assertThat(effects).hasValue(2);
      assertThat(states(history("m1")))
          .containsExactly(
              ClaimState.CLAIMED, ClaimState.RELEASED, ClaimState.CLAIMED, ClaimState.DONE);
      assertThat(states(history("m2"))).containsExactly(ClaimState.CLAIMED, ClaimState.DONE);
      assertThat(events()).isEqualTo(6);
    }

    /** Stores differed in when a stale claim may be taken over; the events say when it was. */
    @Test
    @Case(27)
    @Semantics({8, 10})
    void a_stale_claim_is_taken_over_once_and_its_holder_leaves_no_event() {
      Claim stale =
          claim(ClaimRequest.of(SCOPE, Key.of("k1"), 1, Duration.ofMillis(300), Lapse.TAKE));
      AtomicReference<Claim> taken = new AtomicReference<>();
      Await.until(
          "the end of the lease",
          Duration.ofMinutes(1),
          () -> {
            Answer answer = store.claim(List.of(request("k1"))).get(0);
            if (answer instanceof Answer.Claimed claimed) {
              taken.set(claimed.claim());
            } else {
              assertThat(answer).isInstanceOf(Answer.InProgress.class);
            }
            return taken.get() != null;
          });
      assertThat(store.settle(List.of(completion(stale, "late")))).containsExactly(Held.LOST);
      store.settle(List.of(completion(taken.get(), "receipt")));
      List<ClaimRecord> history = history("k1");
      assertThat(states(history))
          .containsExactly(ClaimState.CLAIMED, ClaimState.CLAIMED, ClaimState.DONE);
      assertThat(history.stream().map(ClaimRecord::token).toList())
          .containsExactly(stale.token(), taken.get().token(), taken.get().token());
      assertThat(taken.get().token()).isGreaterThan(stale.token());
      assertThat(history.get(1).updatedAtMillis())
          .as("taken over at the end of the lease, at the earliest")
          .isGreaterThanOrEqualTo(history.get(0).leaseUntilMillis());
      assertThat(events()).isEqualTo(3);
    }

    @Test
    @Semantics({26, 34})
    void events_are_purged_when_they_are_older_than_the_history() {
      Claim old = claim(request("old"));
      store.settle(List.of(completion(old, "receipt")));
      Pools.run(source, "UPDATE onlyonce_event SET updated_ms = updated_ms - 3600001");
      Claim young = claim(request("young"));
      store.purge(10);
      assertThat(events()).isEqualTo(1);
      assertThat(states(history("old"))).containsExactly(ClaimState.DONE);
      assertThat(states(history("young"))).containsExactly(ClaimState.CLAIMED);
      assertThat(history("young").get(0).token()).isEqualTo(young.token());
    }

    @Test
    void the_tables_say_whether_events_are_written() {
      try (JdbcStore other = JdbcStore.on(source).dialect(dialect).open()) {
        other.claim(List.of(request("e")));
        assertThat(events()).isEqualTo(1);
      }
      try (JdbcStore without = open(Duration.ZERO)) {
        without.claim(List.of(request("f")));
        assertThat(events()).isEqualTo(1);
        assertThat(states(without.history(SCOPE, Key.of("f")))).containsExactly(ClaimState.CLAIMED);
      }
    }
  }

  @Nested
  class PostgreSql extends Rules {
    PostgreSql(Database<PostgreSqlServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"), SqlDialect.POSTGRESQL);
    }
  }

  @Nested
  class MariaDb extends Rules {
    MariaDb(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "REPEATABLE_READ"), SqlDialect.MARIADB);
    }
  }

  @Nested
  class MySqlStatements extends Rules {
    MySqlStatements(Database<MariaDbServer> database) {
      super(Pools.of(Pools.connectorJ(database.url()), "READ_COMMITTED"), SqlDialect.MYSQL);
    }
  }

  @Nested
  class H2 extends Rules {
    H2() {
      super(Pools.of("jdbc:h2:mem:history;DB_CLOSE_DELAY=-1", "READ_COMMITTED"), SqlDialect.H2);
    }
  }
}
