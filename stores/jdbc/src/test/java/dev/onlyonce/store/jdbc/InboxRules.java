package dev.onlyonce.store.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Race;
import dev.onlyonce.testkit.Semantics;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Claims that commit with their effect, on a database and at an isolation that a subclass names.
 */
abstract class InboxRules {

  private static final Scope SCOPE = Scope.of("inbox");
  private static final Duration LONG = Duration.ofHours(1);

  /** No dialect needs so many for one try. */
  private static final int STATEMENTS_OF_TWO_TRIES = 7;

  final DataSource source;
  final JdbcStore store;

  InboxRules(DataSource source, SqlDialect dialect) {
    this.source = source;
    this.store = JdbcStore.on(source).dialect(dialect).createTables().open();
  }

  @BeforeEach
  void empty() {
    Pools.run(
        source,
        "CREATE TABLE IF NOT EXISTS effect (k VARCHAR(100) NOT NULL, n INT NOT NULL)",
        "DELETE FROM effect",
        "DELETE FROM onlyonce_position",
        "DELETE FROM onlyonce_claim");
  }

  @AfterAll
  static void close() {
    Pools.close();
  }

  private Connection begin() throws SQLException {
    Connection connection = source.getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private static ClaimRequest request(String key) {
    return ClaimRequest.of(
        SCOPE, Key.of(key), ThreadLocalRandom.current().nextLong(), LONG, Lapse.TAKE);
  }

  private Answer claim(Connection transaction, String key) {
    return claim(store, transaction, key);
  }

  private static Answer claim(JdbcStore store, Connection transaction, String key) {
    return store.claim(transaction, List.of(request(key)), Duration.ZERO).get(0);
  }

  private static Claim granted(Answer answer) {
    assertThat(answer).isInstanceOf(Answer.Claimed.class);
    return ((Answer.Claimed) answer).claim();
  }

  private static Settlement completion(Claim claim, String result) {
    return new Settlement.Complete(
        claim, new Result.Value("text/plain", result.getBytes(UTF_8)), LONG);
  }

  private static void effect(Connection transaction, String key) throws SQLException {
    try (PreparedStatement insert =
        transaction.prepareStatement("INSERT INTO effect (k, n) VALUES (?, 1)")) {
      insert.setString(1, key);
      insert.executeUpdate();
    }
  }

  private long effects() {
    return Pools.number(source, "SELECT count(*) FROM effect");
  }

  @Test
  @Semantics({1, 3, 9})
  void claim_effect_and_result_commit_together() throws SQLException {
    try (Connection transaction = begin()) {
      Claim claim = granted(claim(transaction, "a"));
      effect(transaction, "a");
      assertThat(store.settle(transaction, List.of(completion(claim, "receipt"))))
          .containsExactly(Held.HELD);
      assertThat(store.find(SCOPE, claim.key())).as("before the commit").isEmpty();
      transaction.commit();
    }
    assertThat(effects()).isEqualTo(1);
    try (Connection transaction = begin()) {
      Answer answer = claim(transaction, "a");
      assertThat(answer).isInstanceOf(Answer.Done.class);
      assertThat(((Answer.Done) answer).result())
          .isEqualTo(new Result.Value("text/plain", "receipt".getBytes(UTF_8)));
      transaction.rollback();
    }
  }

  @Test
  @Semantics({9, 57})
  @Case(19)
  void a_rollback_leaves_neither_claim_nor_effect() throws SQLException {
    try (Connection transaction = begin()) {
      granted(claim(transaction, "a"));
      effect(transaction, "a");
      transaction.rollback();
    }
    assertThat(effects()).isZero();
    assertThat(store.find(SCOPE, Key.of("a"))).isEmpty();
    try (Connection transaction = begin()) {
      assertThat(granted(claim(transaction, "a")).attempt()).isEqualTo(1);
      transaction.rollback();
    }
  }

  @Test
  @Semantics({2, 71})
  void a_duplicate_of_one_that_is_running_is_in_progress_and_its_transaction_goes_on()
      throws SQLException {
    try (Connection first = begin();
        Connection second = begin()) {
      Claim claim = granted(claim(first, "a"));
      List<Answer> answers =
          store.claim(second, List.of(request("a"), request("b"), request("c")), Duration.ZERO);
      assertThat(answers.get(0)).isInstanceOf(Answer.InProgress.class);
      Claim b = granted(answers.get(1));
      Claim c = granted(answers.get(2));
      effect(second, "b");
      assertThat(store.settle(second, List.of(completion(b, "b"), completion(c, "c"))))
          .as("a batch locks its own records and no others")
          .containsExactly(Held.HELD, Held.HELD);
      second.commit();
      completeAgainAfterConflict(first, claim);
    }
    assertThat(effects()).isEqualTo(1);
    assertThat(store.totals()).containsEntry(ClaimState.DONE, 3L);
  }

  /**
   * At SERIALIZABLE a table that is read whole, as small ones are, makes neighbours conflict; then
   * the caller does its transaction again.
   */
  private void completeAgainAfterConflict(Connection transaction, Claim claim) throws SQLException {
    try {
      complete(transaction, claim);
    } catch (StoreException e) {
      transaction.rollback();
      assertThat(transaction.getTransactionIsolation())
          .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
      assertThat(e).rootCause().extracting("SQLState").isEqualTo("40001");
      complete(transaction, granted(claim(transaction, "a")));
    }
  }

  private void complete(Connection transaction, Claim claim) throws SQLException {
    assertThat(store.settle(transaction, List.of(completion(claim, "a"))))
        .containsExactly(Held.HELD);
    transaction.commit();
  }

  @Test
  @Semantics({2, 100})
  void a_duplicate_that_waits_gets_the_key_when_the_other_transaction_is_rolled_back()
      throws SQLException {
    AtomicInteger asked = new AtomicInteger();
    try (Connection first = begin();
        Connection second = begin()) {
      granted(claim(first, "a"));
      Connection counting = Watched.connection(second, "prepareStatement", asked::incrementAndGet);
      CompletableFuture<Answer> waiting =
          CompletableFuture.supplyAsync(
              () -> store.claim(counting, List.of(request("a")), Duration.ofSeconds(60)).get(0));
      while (asked.get() < STATEMENTS_OF_TWO_TRIES && !waiting.isDone()) {
        Thread.onSpinWait();
      }
      assertThat(waiting).as("who waits while the other transaction has the key").isNotDone();
      first.rollback();
      granted(waiting.join());
      second.rollback();
    }
  }

  @Test
  @Semantics({10, 13})
  void a_fence_refuses_who_was_overtaken_and_keeps_out_who_would_overtake() throws SQLException {
    Claim zombie = granted(store.claim(List.of(request("a"))).get(0));
    try (Connection transaction = begin()) {
      assertThat(store.holds(transaction, zombie)).isTrue();
      transaction.commit();
    }
    ClaimRequest overtaking = request("a").expecting(zombie.token());
    Claim successor = granted(store.claim(List.of(overtaking)).get(0));
    try (Connection transaction = begin()) {
      assertThat(store.holds(transaction, zombie)).isFalse();
      assertThat(store.holds(transaction, successor)).isTrue();
      CompletableFuture<Answer> overtaker =
          CompletableFuture.supplyAsync(
              () -> store.claim(List.of(request("a").expecting(successor.token()))).get(0));
      while (!LockWaits.areThere(source, store.dialect()) && !overtaker.isDone()) {
        Thread.onSpinWait();
      }
      assertThat(overtaker).as("who would overtake, before the commit").isNotDone();
      assertThat(store.settle(transaction, List.of(completion(successor, "a"))))
          .containsExactly(Held.HELD);
      transaction.commit();
      assertThat(granted(overtaker.join()).token()).isGreaterThan(successor.token());
    }
  }

  /** Whoever meets a record that an open transaction has locked gives up, and says why. */
  @Test
  @Semantics({70, 94})
  void a_record_that_stays_locked_is_waited_for_within_a_bound() throws SQLException {
    assertThatWaitsAreBounded(
        JdbcStore.on(source).dialect(store.dialect()).lockWait(Duration.ofMillis(100)).open());
  }

  final void assertThatWaitsAreBounded(JdbcStore hurried) throws SQLException {
    Claim held = granted(hurried.claim(List.of(request("a"))).get(0));
    Claim lapsed =
        granted(
            hurried
                .claim(
                    List.of(
                        ClaimRequest.of(SCOPE, Key.of("b"), 1, Duration.ofMillis(1), Lapse.TAKE)))
                .get(0));
    long end = hurried.millis() + 2;
    while (hurried.millis() < end) {
      Thread.onSpinWait();
    }
    try (Connection first = begin();
        Connection second = begin()) {
      assertThat(hurried.holds(first, held)).isTrue();
      assertThat(hurried.holds(first, lapsed)).isTrue();
      assertLocked(() -> hurried.holds(second, held));
      if (hurried.dialect() != SqlDialect.MYSQL) { // which waits as long as its server says
        assertLocked(() -> hurried.claim(List.of(request("a").expecting(held.token()))));
        assertLocked(() -> hurried.renew(List.of(new Renewal(held, LONG, null))));
        assertLocked(() -> hurried.settle(List.of(completion(held, "a"))));
      }
      assertThat(claim(hurried, second, "b")).as("inside").isInstanceOf(Answer.InProgress.class);
      assertThat(claim(hurried, second, "c"))
          .as("and it goes on")
          .isInstanceOf(Answer.Claimed.class);
      first.rollback();
      assertThat(hurried.holds(second, held)).isTrue();
      second.rollback();
    }
  }

  final void assertThatNewKeysAreAnsweredBesideALockedOne(JdbcStore hurried) throws SQLException {
    Claim released = granted(hurried.claim(List.of(request("a"))).get(0));
    hurried.settle(
        List.of(new Settlement.Release(released, Duration.ZERO, Settlement.Attempts.KEEP, LONG)));
    Claim other = granted(hurried.claim(List.of(request("b"))).get(0));
    try (Connection first = begin();
        PreparedStatement lock =
            first.prepareStatement("SELECT 1 FROM onlyonce_claim FOR UPDATE")) {
      lock.execute();
      List<Answer> answers = hurried.claim(List.of(request("a"), request("b"), request("c")));
      assertThat(answers.get(0)).as("locked").isInstanceOf(Answer.InProgress.class);
      assertThat(answers.get(1)).as("held").isInstanceOf(Answer.InProgress.class);
      assertThat(hurried.settle(List.of(completion(granted(answers.get(2)), "c"))))
          .containsExactly(Held.HELD);
      first.rollback();
    }
    granted(hurried.claim(List.of(request("a"))).get(0));
    assertThat(hurried.settle(List.of(completion(other, "b")))).containsExactly(Held.HELD);
  }

  private static void assertLocked(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.UNAVAILABLE));
  }

  @Test
  @Semantics(57)
  void a_connection_that_commits_by_itself_is_refused() throws SQLException {
    try (Connection connection = source.getConnection()) {
      connection.setAutoCommit(true);
      assertThatThrownBy(() -> claim(connection, "a"))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.REJECTED))
          .hasMessageContaining("setAutoCommit(false)");
    }
  }

  @Test
  @Semantics(90)
  void positions_are_saved_with_the_transaction_and_never_go_back() throws SQLException {
    Scope other = Scope.of("other");
    try (Connection transaction = begin()) {
      store.save(
          transaction,
          SCOPE,
          Map.of("orders-1", new Position(1, 10), "orders-2", new Position(1, 20)));
      transaction.commit();
      store.save(
          transaction,
          SCOPE,
          Map.of("orders-1", new Position(1, 9), "orders-2", new Position(2, 0)));
      assertThat(store.load(transaction, SCOPE))
          .containsOnly(
              Map.entry("orders-1", new Position(1, 10)),
              Map.entry("orders-2", new Position(2, 0)));
      transaction.rollback();
      assertThat(store.load(transaction, SCOPE)).containsEntry("orders-2", new Position(1, 20));
      assertThat(store.load(transaction, other)).isEmpty();
      transaction.rollback();
    }
  }

  @Test
  @Semantics(71)
  @Case(25)
  void a_duplicate_does_not_poison_the_callers_transaction() throws SQLException {
    try (Connection transaction = begin()) {
      complete(transaction, "k1");
      transaction.commit();
    }
    try (Connection transaction = begin()) {
      effect(transaction, "first");
      assertThat(claim(transaction, "k1")).isInstanceOf(Answer.Done.class);
      effect(transaction, "second");
      transaction.commit();
    }
    assertThat(effects()).isEqualTo(2);
  }

  private void complete(Connection transaction, String key) {
    Claim claim = granted(claim(transaction, key));
    assertThat(store.settle(transaction, List.of(completion(claim, "")))).containsOnly(Held.HELD);
  }

  @Test
  @Semantics(40)
  @Case({1, 3, 73})
  void keys_that_only_look_the_same_are_different_messages() throws SQLException {
    List<Key> keys =
        List.of(
            Key.of("order-é"),
            Key.of("order-e\u0301"),
            Key.of("ORDER-É"),
            Key.of("order-é "),
            Key.of("order-e"),
            Key.of("a", "b:c"),
            Key.of("a:b", "c"),
            Key.of("a", "b", "c"));
    try (Connection transaction = begin()) {
      for (Key key : keys) {
        ClaimRequest request = ClaimRequest.of(SCOPE, key, 1, LONG, Lapse.TAKE);
        granted(store.claim(transaction, List.of(request), Duration.ZERO).get(0));
      }
      transaction.commit();
    }
    assertThat(keys).allMatch(key -> store.find(SCOPE, key).orElseThrow().key().equals(key));
  }

  @Test
  @Semantics(47)
  @Case(9)
  void two_consumers_of_one_message_both_take_effect() throws SQLException {
    for (String consumer : List.of("billing", "shipping")) {
      Inbox inbox = Inbox.of(store, source, Scope.of(consumer));
      for (int delivery = 0; delivery < 2; delivery++) {
        inbox.handle(message("evt-1", consumer));
      }
    }
    assertThat(Pools.number(source, "SELECT count(DISTINCT k) FROM effect")).isEqualTo(2);
    assertThat(effects()).isEqualTo(2);
  }

  private static Inbox.Message message(String key, String effect) {
    return Inbox.Message.of(
        Key.of(key),
        transaction -> {
          effect(transaction, effect);
          return Result.NONE;
        });
  }

  /** Every thread brings all keys, in its own order; conflicts are rolled back and begun anew. */
  @Test
  @Semantics({1, 2, 71, 72})
  @Case(23)
  void of_copies_that_race_in_transactions_one_takes_effect() throws SQLException {
    int keys = 40;
    AtomicInteger applied = new AtomicInteger();
    Race.run(
        4,
        thread -> {
          List<String> mine = new ArrayList<>();
          for (int i = 0; i < keys; i++) {
            mine.add("key-" + (i * 7 + thread * 11) % keys);
          }
          for (String key : mine) {
            while (!handled(key, applied)) {
              Thread.onSpinWait();
            }
          }
          return thread;
        });
    assertThat(applied).hasValue(keys);
    assertThat(effects()).isEqualTo(keys);
  }

  private boolean handled(String key, AtomicInteger applied) {
    try (Connection transaction = begin()) {
      try {
        Answer answer = claim(transaction, key);
        if (answer instanceof Answer.Claimed claimed) {
          effect(transaction, key);
          store.settle(transaction, List.of(completion(claimed.claim(), key)));
          transaction.commit();
          applied.incrementAndGet();
          return true;
        }
        transaction.rollback();
        return answer instanceof Answer.Done;
      } catch (StoreException e) {
        assertThat(e.kind()).isEqualTo(StoreException.Kind.UNAVAILABLE);
        transaction.rollback();
        return false;
      }
    } catch (SQLException e) {
      assertThat(e.getSQLState()).as("a conflict in the commit").isEqualTo("40001");
      return false;
    }
  }
}
