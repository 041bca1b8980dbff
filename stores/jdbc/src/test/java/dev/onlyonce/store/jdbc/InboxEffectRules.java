package dev.onlyonce.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.store.jdbc.Inbox.Effect;
import dev.onlyonce.store.jdbc.Inbox.Message;
import dev.onlyonce.store.jdbc.Inbox.Verdict;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Effects that do what effects should not: swallow errors, end the transaction, wrap conflicts. */
abstract class InboxEffectRules {

  private static final Scope SCOPE = Scope.of("effects");
  private static final Map<String, Position> POSITION = Map.of("orders-0", new Position(1, 3));

  /** Rows that make a transaction too heavy to be chosen as a deadlock's victim. */
  private static final int HEAVY = 100;

  final DataSource source;
  private final JdbcStore store;
  private final Inbox inbox;

  InboxEffectRules(DataSource source) {
    this.source = source;
    this.store = JdbcStore.on(source).createTables().open();
    this.inbox = Inbox.of(store, source, SCOPE);
  }

  @BeforeEach
  void empty() {
    Pools.run(
        source,
        "CREATE TABLE IF NOT EXISTS effect (k VARCHAR(100) NOT NULL)",
        "CREATE TABLE IF NOT EXISTS account (id INT PRIMARY KEY, n INT NOT NULL)",
        "DELETE FROM effect",
        "DELETE FROM account",
        "INSERT INTO account (id, n) VALUES (1, 0), (2, 0)",
        "DELETE FROM onlyonce_position",
        "DELETE FROM onlyonce_claim");
  }

  @AfterAll
  static void close() {
    Pools.close();
  }

  static void run(Connection transaction, String sql) throws SQLException {
    try (Statement statement = transaction.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void insert(Connection transaction, String key) throws SQLException {
    run(transaction, "INSERT INTO effect (k) VALUES ('" + key + "')");
  }

  private static Message message(String key, Effect before) {
    return Message.of(
        Key.of(key),
        transaction -> {
          before.apply(transaction);
          insert(transaction, key);
          return Result.NONE;
        });
  }

  private static Message plain(String key) {
    return message(key, transaction -> Result.NONE);
  }

  private long effects(String key) {
    return Pools.number(source, "SELECT count(*) FROM effect WHERE k = '" + key + "'");
  }

  private long positions() {
    return Pools.number(source, "SELECT count(*) FROM onlyonce_position");
  }

  /** Its neighbours take effect, it fails by itself, says why, and can be handled later. */
  private void assertFailsAlone(Message bad, String... words) {
    List<Verdict> verdicts = inbox.handleAll(List.of(plain("1"), bad, plain("3")), POSITION);
    assertThat(verdicts.get(0)).isInstanceOf(Verdict.Applied.class);
    assertThat(verdicts.get(2)).isInstanceOf(Verdict.Applied.class);
    assertThat(verdicts.get(1))
        .isInstanceOfSatisfying(
            Verdict.Failed.class,
            it -> assertThat(it.cause()).hasMessageContainingAll((CharSequence[]) words));
    assertThat(effects("1")).isEqualTo(1);
    assertThat(effects("2")).isZero();
    assertThat(effects("3")).isEqualTo(1);
    assertThat(positions()).isZero();
    assertThat(inbox.handle(plain("2"))).isInstanceOf(Verdict.Applied.class);
  }

  /** On MariaDB, MySQL and H2 the server has then undone the claims and all effects before. */
  @Test
  @Semantics({3, 9, 57})
  @Case(45)
  void an_effect_that_swallows_a_deadlock_never_commits_without_its_claim() throws SQLException {
    List<Message> batch;
    AtomicInteger deadlocks = new AtomicInteger();
    try (Connection other = source.getConnection()) {
      other.setAutoCommit(false);
      for (int i = 0; i < HEAVY; i++) {
        insert(other, "heavy");
      }
      run(other, "UPDATE account SET n = 2 WHERE id = 2");
      Message swallowing =
          message(
              "2",
              transaction -> {
                if (deadlocks.getAndIncrement() == 0) {
                  assertThat(isDeadlocked(transaction, other)).isTrue();
                }
                return Result.NONE;
              });
      batch = List.of(plain("1"), swallowing, plain("3"));
      assertThat(inbox.handleAll(batch, POSITION)).allMatch(Verdict.Applied.class::isInstance);
    }
    assertThat(deadlocks).as("runs of the effect").hasValue(2);
    assertThat(positions()).isEqualTo(1);
    assertThat(inbox.handleAll(batch)).allMatch(Verdict.Duplicate.class::isInstance);
    for (String key : List.of("1", "2", "3")) {
      assertThat(effects(key)).as(key).isEqualTo(1);
    }
  }

  /**
   * Tells whether the transaction was chosen as the victim of a deadlock: the other one is older,
   * has written more, and does not look for it so soon.
   */
  private boolean isDeadlocked(Connection transaction, Connection other) throws SQLException {
    run(transaction, "UPDATE account SET n = 1 WHERE id = 1");
    if (store.dialect() == SqlDialect.POSTGRESQL) {
      run(transaction, "SET LOCAL deadlock_timeout = '1ms'");
    }
    CompletableFuture<Void> crossing =
        CompletableFuture.runAsync(
            () -> {
              try {
                run(other, "UPDATE account SET n = 2 WHERE id = 1");
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    while (!LockWaits.areThere(source, store.dialect()) && !crossing.isDone()) {
      Thread.onSpinWait();
    }
    try {
      run(transaction, "UPDATE account SET n = 1 WHERE id = 2");
      return false;
    } catch (SQLException e) {
      return true; // as code does that should not
    } finally {
      crossing.exceptionally(e -> null).join();
      other.rollback();
      other.setAutoCommit(true);
    }
  }

  @Test
  @Semantics({9, 57, 83})
  @Case(45)
  void an_effect_that_rolls_back_by_a_statement_fails_alone() {
    Message rollingBack =
        message(
            "2",
            transaction -> {
              run(transaction, "ROLLBACK");
              return Result.NONE;
            });
    assertFailsAlone(rollingBack, "rolled back", "swallow");
  }

  /** What whoever claims on a connection of his own has to look at. */
  @Test
  @Semantics({9, 57})
  @Case(45)
  void a_settlement_tells_that_the_transaction_of_its_claim_was_rolled_back() throws SQLException {
    try (Connection transaction = source.getConnection()) {
      transaction.setAutoCommit(false);
      ClaimRequest request =
          ClaimRequest.of(SCOPE, Key.of("1"), 1, Duration.ofMinutes(1), Lapse.TAKE);
      Answer answer = store.claim(transaction, List.of(request), Duration.ZERO).get(0);
      Claim claim = ((Answer.Claimed) answer).claim();
      run(transaction, "ROLLBACK");
      insert(transaction, "1");
      Settlement done = new Settlement.Complete(claim, Result.NONE, Duration.ofMinutes(1));
      assertThat(store.settle(transaction, List.of(done))).containsExactly(Held.LOST);
      transaction.rollback();
      transaction.setAutoCommit(true);
    }
  }

  @Test
  @Semantics({9, 57, 83})
  @Case(45)
  void an_effect_cannot_end_the_transaction_by_its_connection() {
    Map<String, Effect> endings =
        Map.of(
            "commit",
            transaction -> {
              transaction.commit();
              return Result.NONE;
            },
            "rollback",
            transaction -> {
              transaction.rollback();
              return Result.NONE;
            },
            "setAutoCommit",
            transaction -> {
              transaction.setAutoCommit(true);
              return Result.NONE;
            },
            "close",
            transaction -> {
              transaction.close();
              return Result.NONE;
            });
    for (Map.Entry<String, Effect> ending : endings.entrySet()) {
      empty();
      assertFailsAlone(message("2", ending.getValue()), ending.getKey(), "inbox");
    }
  }

  @Test
  void an_effect_may_go_back_to_a_savepoint_of_its_own() {
    Message trying =
        message(
            "2",
            transaction -> {
              var before = transaction.setSavepoint();
              insert(transaction, "2");
              transaction.rollback(before);
              return Result.NONE;
            });
    assertThat(inbox.handle(trying)).isInstanceOf(Verdict.Applied.class);
    assertThat(effects("2")).isEqualTo(1);
  }

  /** As DDL does on MariaDB, MySQL and H2: its claim is committed, and the rest is not. */
  @Test
  @Semantics({9, 57})
  @Case(45)
  void an_effect_that_commits_by_a_statement_and_then_fails_is_in_doubt() {
    assertInDoubt(
        transaction -> {
          run(transaction, "COMMIT");
          throw new IllegalStateException("half of it is done");
        });
  }

  /** It is run once, nothing of it happens after its own commit, and no copy of it is handled. */
  final void assertInDoubt(Effect halfway) {
    AtomicInteger runs = new AtomicInteger();
    Message committing =
        message(
            "2",
            transaction -> {
              runs.incrementAndGet();
              return halfway.apply(transaction);
            });
    List<Verdict> verdicts = inbox.handleAll(List.of(plain("1"), committing), POSITION);
    assertThat(verdicts).allMatch(InboxEffectRules::isInDoubt);
    assertThat(runs).as("runs of the effect").hasValue(1);
    for (String key : List.of("1", "2")) {
      Verdict ofCopy;
      do {
        ofCopy = inbox.handle(plain(key));
      } while (ofCopy instanceof Verdict.Refused refused
          && refused.answer() instanceof Answer.InProgress);
      assertThat(ofCopy).as("a copy of " + key).matches(InboxEffectRules::isInDoubt);
    }
    assertThat(effects("2")).isZero();
    assertThat(positions()).isZero();
  }

  private static boolean isInDoubt(Verdict verdict) {
    return verdict instanceof Verdict.Refused refused && refused.answer() instanceof Answer.InDoubt;
  }

  /** PostgreSQL does nothing more in a transaction after an error; the others go on. */
  @Test
  @Semantics({71, 83})
  @Case(25)
  void an_effect_that_swallows_an_error_holds_up_no_others() {
    Message swallowing =
        message(
            "2",
            transaction -> {
              try {
                run(transaction, "INSERT INTO account (id, n) VALUES (1, 0)");
              } catch (SQLException e) {
                // As code does that should not.
              }
              return Result.NONE;
            });
    Message last =
        Message.of(
            Key.of("2"),
            transaction -> {
              insert(transaction, "2");
              try {
                run(transaction, "INSERT INTO account (id, n) VALUES (1, 0)");
              } catch (SQLException e) {
                // As code does that should not.
              }
              return Result.NONE;
            });
    for (Message bad : List.of(swallowing, last)) {
      empty();
      if (store.dialect() == SqlDialect.POSTGRESQL) {
        assertFailsAlone(bad, "aborted");
      } else {
        assertThat(inbox.handleAll(List.of(plain("1"), bad)))
            .allMatch(Verdict.Applied.class::isInstance);
      }
    }
  }

  @Test
  @Semantics(71)
  void a_conflict_that_a_library_has_wrapped_is_tried_again() {
    AtomicInteger tries = new AtomicInteger();
    Message wrapping =
        message(
            "2",
            transaction -> {
              if (tries.getAndIncrement() < 2) {
                throw new IllegalStateException(
                    new RuntimeException("flush", new SQLException("a conflict", "40001", 1213)));
              }
              return Result.NONE;
            });
    assertThat(inbox.handle(wrapping)).isInstanceOf(Verdict.Applied.class);
    assertThat(tries).hasValue(3);
    assertThat(effects("2")).isEqualTo(1);
  }

  /** Each try waits as long as the connection's setting says: ten of them would hold a poll up. */
  final void assertIsTriedOnceMoreWhenLocked() throws SQLException {
    AtomicInteger runs = new AtomicInteger();
    try (Connection other = source.getConnection()) {
      other.setAutoCommit(false);
      run(other, "UPDATE account SET n = 2 WHERE id = 2");
      Message locked =
          message(
              "2",
              transaction -> {
                runs.incrementAndGet();
                run(transaction, "SELECT n FROM account WHERE id = 2 FOR UPDATE NOWAIT");
                return Result.NONE;
              });
      assertFailsAlone(locked, "locked");
      other.rollback();
      other.setAutoCommit(true);
    }
    assertThat(runs).as("twice in the batch, twice alone").hasValue(4);
  }

  @Test
  @Semantics({4, 82, 83})
  void a_copy_with_another_payload_in_the_batch_holds_the_position_back() {
    Message first = new Message(Key.of("1"), payload(1), plain("1").effect());
    Message other = new Message(Key.of("1"), payload(2), plain("1").effect());
    List<Verdict> verdicts = inbox.handleAll(List.of(first, other), POSITION);
    assertThat(verdicts.get(0)).isInstanceOf(Verdict.Applied.class);
    assertThat(verdicts.get(1)).isEqualTo(new Verdict.Refused(new Answer.Mismatch(payload(1))));
    assertThat(positions()).isZero();
    assertThat(inbox.handleAll(List.of(first, first), POSITION)).allMatch(Verdict::isFinal);
    assertThat(positions()).isEqualTo(1);
  }

  private static Fingerprint payload(int content) {
    return Fingerprint.sha256(new byte[] {(byte) content});
  }
}
