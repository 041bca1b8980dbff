package dev.onlyonce.store.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.store.jdbc.Inbox.BatchEffect;
import dev.onlyonce.store.jdbc.Inbox.Message;
import dev.onlyonce.store.jdbc.Inbox.Verdict;
import dev.onlyonce.testkit.Race;
import dev.onlyonce.testkit.Semantics;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What works on the user's own tables: the inbox, transitions, guarded upserts; and the sink. */
abstract class OwnTablesRules {

  private static final Scope SCOPE = Scope.of("payments");
  private static final Transitions STATUS =
      Transitions.of("payment", "order_no", "status")
          .allow("NEW", "PAID", "CANCELLED")
          .allow("PAID", "SHIPPED")
          .build();
  private static final GuardedUpsert CUSTOMER =
      GuardedUpsert.into("customer", "id", "version", "name");

  private final DataSource source;
  private final JdbcStore store;

  OwnTablesRules(DataSource source) {
    this.source = source;
    this.store = JdbcStore.on(source).createTables().open();
  }

  @BeforeEach
  void empty() {
    Pools.run(
        source,
        "CREATE TABLE IF NOT EXISTS payment (order_no VARCHAR(40) PRIMARY KEY, status VARCHAR(20))",
        "CREATE TABLE IF NOT EXISTS customer (id VARCHAR(40) PRIMARY KEY, version BIGINT,"
            + " name VARCHAR(40))",
        "DELETE FROM payment",
        "DELETE FROM customer",
        "DELETE FROM onlyonce_position",
        "DELETE FROM onlyonce_claim");
  }

  @AfterAll
  static void close() {
    Pools.close();
  }

  private interface InTransaction<A> {
    A run(Connection transaction) throws SQLException;
  }

  private <A> A commit(InTransaction<A> work) {
    while (true) {
      try (Connection transaction = source.getConnection()) {
        transaction.setAutoCommit(false);
        A answer = work.run(transaction);
        transaction.commit();
        return answer;
      } catch (SQLTransactionRollbackException e) {
        // A deadlock has undone all of it: begun anew.
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static int insertPayment(Connection transaction, String order) throws SQLException {
    try (PreparedStatement insert =
        transaction.prepareStatement("INSERT INTO payment (order_no, status) VALUES (?, 'NEW')")) {
      insert.setString(1, order);
      return insert.executeUpdate();
    }
  }

  private String ask(String sql) {
    return commit(
        transaction -> {
          try (PreparedStatement select = transaction.prepareStatement(sql);
              ResultSet rows = select.executeQuery()) {
            return rows.next() ? rows.getString(1) : "nothing";
          }
        });
  }

  private Map<String, Position> positions() {
    return commit(transaction -> store.load(transaction, SCOPE));
  }

  private Message paying(String order) {
    return Message.of(
        Key.of(order),
        transaction -> {
          insertPayment(transaction, order);
          return new Result.Value("text/plain", order.getBytes(UTF_8));
        });
  }

  @Test
  @Semantics({1, 3, 82})
  void a_batch_takes_effect_once_with_its_position() {
    Inbox inbox = Inbox.of(store, source, SCOPE);
    List<Message> batch = List.of(paying("1"), paying("2"), paying("1"));
    List<Verdict> verdicts = inbox.handleAll(batch, Map.of("orders-0", new Position(1, 3)));
    assertThat(verdicts.get(0)).isInstanceOf(Verdict.Applied.class);
    assertThat(verdicts.get(1)).isInstanceOf(Verdict.Applied.class);
    assertThat(verdicts.get(2)).as("a copy in the batch").isInstanceOf(Verdict.Duplicate.class);
    assertThat(inbox.handleAll(batch)).allMatch(Verdict.Duplicate.class::isInstance);
    assertThat(ask("SELECT count(*) FROM payment")).isEqualTo("2");
    assertThat(positions()).containsEntry("orders-0", new Position(1, 3));
  }

  @Test
  @Semantics(83)
  void one_message_that_fails_in_a_batch_fails_alone_and_holds_the_position_back() {
    Inbox inbox = Inbox.of(store, source, SCOPE);
    Message broken =
        Message.of(
            Key.of("2"),
            transaction -> {
              insertPayment(transaction, "2");
              throw new IllegalStateException("no such customer");
            });
    Map<String, Position> position = Map.of("orders-0", new Position(1, 3));
    List<Verdict> verdicts = inbox.handleAll(List.of(paying("1"), broken, paying("3")), position);
    assertThat(verdicts.get(0)).isInstanceOf(Verdict.Applied.class);
    assertThat(verdicts.get(1)).isInstanceOf(Verdict.Failed.class);
    assertThat(verdicts.get(2)).isInstanceOf(Verdict.Applied.class);
    assertThat(ask("SELECT count(*) FROM payment")).isEqualTo("2");
    assertThat(positions()).isEmpty();
    assertThat(inbox.handle(paying("2"))).as("tried again").isInstanceOf(Verdict.Applied.class);
  }

  /** Switching auto-commit on again, as the pools have it, would commit what was begun. */
  @Test
  @Semantics({3, 57})
  void whatever_an_effect_throws_nothing_of_its_transaction_stays() {
    Inbox inbox = Inbox.of(store, source, SCOPE);
    Message fatal =
        Message.of(
            Key.of("2"),
            transaction -> {
              insertPayment(transaction, "2");
              throw new AssertionError("a class is missing");
            });
    assertThatThrownBy(() -> inbox.handleAll(List.of(paying("1"), fatal, paying("3"))))
        .isInstanceOf(AssertionError.class);
    assertThat(ask("SELECT count(*) FROM payment")).isEqualTo("0");
    assertThat(ask("SELECT count(*) FROM onlyonce_claim")).isEqualTo("0");

    Message sneaky =
        Message.of(
            Key.of("4"),
            transaction -> {
              insertPayment(transaction, "4");
              throw OwnTablesRules.<RuntimeException>undeclared(new IOException("gone"));
            });
    List<Verdict> verdicts = inbox.handleAll(List.of(paying("1"), sneaky));
    assertThat(verdicts.get(0)).isInstanceOf(Verdict.Applied.class);
    assertThat(((Verdict.Failed) verdicts.get(1)).cause()).isInstanceOf(IOException.class);
    assertThat(ask("SELECT count(*) FROM payment")).isEqualTo("1");
  }

  /** Results that are out of step with their messages would be told to the wrong duplicates. */
  @Test
  @Semantics({3, 57})
  void an_effect_that_miscounts_its_results_fails_and_nothing_is_committed() {
    Inbox inbox = Inbox.of(store, source, SCOPE);
    Map<String, Position> position = Map.of("orders-0", new Position(1, 3));
    for (int more : new int[] {-1, 1}) {
      List<Verdict> verdicts =
          inbox.handleAll(List.of("1", "2"), paying(fresh -> fresh + more), position);
      assertThat(verdicts)
          .hasSize(2)
          .allSatisfy(
              it ->
                  assertThat(((Verdict.Failed) it).cause())
                      .isInstanceOf(IllegalStateException.class)
                      .hasMessage(
                          "an effect must return one result for each of its 1 messages, and"
                              + " returned "
                              + (1 + more)));
      assertThat(ask("SELECT count(*) FROM payment")).isEqualTo("0");
      assertThat(ask("SELECT count(*) FROM onlyonce_claim")).isEqualTo("0");
      assertThat(positions()).isEmpty();
    }
    assertThat(inbox.handleAll(List.of("1", "2"), paying(fresh -> fresh), position))
        .allMatch(Verdict.Applied.class::isInstance);
    assertThat(ask("SELECT count(*) FROM payment")).isEqualTo("2");
  }

  /** Pays several orders, and returns so many results. */
  private static BatchEffect<String> paying(IntUnaryOperator results) {
    return new BatchEffect<>() {
      @Override
      public Key key(String order) {
        return Key.of(order);
      }

      @Override
      public List<Result> apply(Connection transaction, List<String> fresh) throws SQLException {
        for (String order : fresh) {
          insertPayment(transaction, order);
        }
        return Collections.nCopies(results.applyAsInt(fresh.size()), Result.NONE);
      }
    };
  }

  // What other languages do without being asked.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Exception> E undeclared(Exception thrown) throws E {
    throw (E) thrown;
  }

  @Test
  @Semantics(83)
  void an_effect_that_is_in_the_way_each_time_fails_alone() {
    Inbox inbox = Inbox.of(store, source, SCOPE);
    Message stuck =
        Message.of(
            Key.of("2"),
            transaction -> {
              throw new SQLException("the other database is away", "08001");
            });
    List<Verdict> verdicts = inbox.handleAll(List.of(paying("1"), stuck, paying("3")));
    assertThat(verdicts.get(0)).isInstanceOf(Verdict.Applied.class);
    assertThat(verdicts.get(1)).isInstanceOf(Verdict.Failed.class);
    assertThat(verdicts.get(2)).isInstanceOf(Verdict.Applied.class);
  }

  @Test
  @Semantics(4)
  void another_payload_under_the_same_key_is_refused() {
    Inbox inbox = Inbox.of(store, source, SCOPE);
    Message one = withPayload(paying("1"), 1);
    Message other = withPayload(paying("1"), 2);
    assertThat(inbox.handleAll(List.of(one, other)).get(1)).isInstanceOf(Verdict.Refused.class);
    assertThat(inbox.handle(other))
        .isEqualTo(new Verdict.Refused(new Answer.Mismatch(fingerprint(1))));
    assertThat(inbox.handle(one)).isInstanceOf(Verdict.Duplicate.class);
  }

  private static Message withPayload(Message message, int payload) {
    return new Message(message.key(), fingerprint(payload), message.effect());
  }

  private static Fingerprint fingerprint(int payload) {
    return Fingerprint.sha256(new byte[] {(byte) payload});
  }

  @Test
  @Semantics(1)
  void messages_that_many_threads_bring_in_batches_take_effect_once_each() {
    List<Integer> applied =
        Race.run(
            4,
            thread -> {
              Inbox inbox = Inbox.of(store, source, SCOPE);
              int mine = 0;
              for (int from = 0; from < 100; from += 10) {
                List<Message> batch = new ArrayList<>();
                for (int i = from; i < from + 10; i++) {
                  batch.add(paying("order-" + (thread % 2 == 0 ? i : 99 - i)));
                }
                List<Verdict> verdicts;
                do {
                  verdicts = inbox.handleAll(batch);
                  for (Verdict verdict : verdicts) {
                    mine += verdict instanceof Verdict.Applied ? 1 : 0;
                  }
                } while (!verdicts.stream().allMatch(Verdict::isFinal));
              }
              return mine;
            });
    assertThat(applied.stream().mapToInt(Integer::intValue).sum()).isEqualTo(100);
    assertThat(ask("SELECT count(*) FROM payment")).isEqualTo("100");
  }

  @Test
  @Semantics({3, 10})
  void a_status_goes_only_where_it_may() {
    commit(transaction -> insertPayment(transaction, "1"));
    assertThat(transition("1", "SHIPPED")).isEqualTo(new Transitions.Answer.Illegal("NEW"));
    assertThat(transition("1", "PAID")).isEqualTo(new Transitions.Answer.Applied());
    assertThat(transition("1", "PAID")).isEqualTo(new Transitions.Answer.AlreadyThere());
    assertThat(transition("1", "SHIPPED")).isEqualTo(new Transitions.Answer.Applied());
    assertThat(transition("1", "PAID")).isEqualTo(new Transitions.Answer.Stale("SHIPPED"));
    assertThat(transition("1", "CANCELLED")).isEqualTo(new Transitions.Answer.Illegal("SHIPPED"));
    assertThat(transition("2", "PAID")).isEqualTo(new Transitions.Answer.NoRow());
    assertThatThrownBy(() -> transition("1", "paid")).isInstanceOf(IllegalArgumentException.class);
    assertThat(ask("SELECT status FROM payment")).isEqualTo("SHIPPED");
  }

  private Transitions.Answer transition(String order, String status) {
    return commit(transaction -> STATUS.apply(transaction, order, status));
  }

  @Test
  @Semantics(1)
  void of_threads_that_try_one_transition_one_has_it_applied() {
    for (int round = 0; round < 10; round++) {
      String order = "order-" + round;
      commit(transaction -> insertPayment(transaction, order));
      List<Transitions.Answer> answers =
          Race.run(4, thread -> transition(order, thread % 2 == 0 ? "PAID" : "CANCELLED"));
      assertThat(answers).filteredOn(Transitions.Answer.Applied.class::isInstance).hasSize(1);
    }
  }

  @Test
  @Semantics({3, 10})
  void a_row_is_written_only_over_an_older_one() {
    assertThat(write(5, "five")).isEqualTo(GuardedUpsert.Answer.APPLIED);
    assertThat(write(4, "four")).isEqualTo(GuardedUpsert.Answer.STALE);
    assertThat(write(5, "again")).isEqualTo(GuardedUpsert.Answer.ALREADY_THERE);
    assertThat(write(6, "six")).isEqualTo(GuardedUpsert.Answer.APPLIED);
    assertThat(ask("SELECT name FROM customer")).isEqualTo("six");
  }

  private GuardedUpsert.Answer write(long version, String name) {
    return commit(transaction -> CUSTOMER.apply(transaction, "c-1", version, name));
  }

  @Test
  @Semantics({10, 54})
  void versions_that_race_end_with_the_largest() {
    for (int round = 0; round < 10; round++) {
      Pools.run(source, "DELETE FROM customer");
      AtomicInteger version = new AtomicInteger();
      Race.run(
          4,
          thread -> {
            int mine = version.incrementAndGet();
            return write(mine, "version " + mine);
          });
      assertThat(ask("SELECT name FROM customer")).isEqualTo("version 4");
    }
  }

  @Test
  @Semantics({74, 96})
  void records_are_put_as_they_are_and_only_over_smaller_tokens() {
    List<ClaimRequest> requests = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ClaimRequest request =
          ClaimRequest.of(SCOPE, Key.of("k" + i), i, Duration.ofHours(1), Lapse.PARK);
      requests.add(
          i % 2 == 0
              ? request.withFingerprint(fingerprint(i))
              : request.settlingNow(
                  new Result.Value("text/plain", new byte[] {1}), Duration.ofHours(1)));
    }
    store.claim(requests);
    List<RecordId> ids = requests.stream().map(it -> new RecordId(it.scope(), it.key())).toList();
    List<ClaimRecord> records = store.find(ids).stream().map(Optional::orElseThrow).toList();
    assertThat(store.put(records)).as("over themselves").containsOnly(false);
    Pools.run(source, "DELETE FROM onlyonce_claim WHERE state = 1");
    List<Boolean> put = store.put(records);
    for (int i = 0; i < 20; i++) {
      assertThat(put.get(i)).as("record " + i).isEqualTo(i % 2 == 0);
    }
    assertThat(store.find(ids).stream().map(Optional::orElseThrow).toList())
        .hasToString(records.toString());
    assertThat(store.totals())
        .containsEntry(ClaimState.CLAIMED, 10L)
        .containsEntry(ClaimState.DONE, 10L);
    assertThat(store.scopes()).containsExactly(SCOPE);
  }
}
