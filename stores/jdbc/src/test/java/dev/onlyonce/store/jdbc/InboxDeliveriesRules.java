package dev.onlyonce.store.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Backoff;
import dev.onlyonce.Key;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Scope;
import dev.onlyonce.messaging.ConsumerBuilder;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.DeliveryTransaction;
import dev.onlyonce.spi.DeliveryTransaction.Answered;
import dev.onlyonce.spi.DeliveryTransaction.Applied;
import dev.onlyonce.spi.DeliveryTransaction.Item;
import dev.onlyonce.spi.DeliveryTransaction.Threw;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.messaging.MemoryBroker;
import dev.onlyonce.testkit.process.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A consumer whose deliveries are handled in the transaction that claims their keys. Bodies are
 * {@code order/number}.
 */
abstract class InboxDeliveriesRules {

  private static final Scope SCOPE = Scope.of("deliveries");
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final DataSource source;
  private final JdbcStore store;
  private final Inbox inbox;
  private final MemoryBroker broker = new MemoryBroker(2);

  /** Bodies whose effect fails, once or always. */
  private final Set<String> failOnce = ConcurrentHashMap.newKeySet();

  private final Set<String> failAlways = ConcurrentHashMap.newKeySet();

  InboxDeliveriesRules(DataSource source) {
    this.source = source;
    this.store = JdbcStore.on(source).createTables().open();
    this.inbox = Inbox.of(store, source, SCOPE);
  }

  @BeforeEach
  void empty() {
    Pools.run(
        source,
        "CREATE TABLE IF NOT EXISTS delivered (k VARCHAR(100) NOT NULL, n BIGINT NOT NULL)",
        "DELETE FROM delivered",
        "DELETE FROM onlyonce_position",
        "DELETE FROM onlyonce_claim");
  }

  @AfterAll
  static void close() {
    Pools.close();
  }

  @Test
  @Semantics({1, 3, 9, 82})
  void each_key_has_one_row_and_the_positions_are_in_the_database() throws SQLException {
    for (int i = 0; i < 600; i++) {
      send("order-" + i % 40 + "/" + i % 400);
    }
    try (OnlyOnce<@Nullable Void> once = engine();
        MessageConsumer consumer = consumer(once).savePositions().start()) {
      Await.until("all", PATIENCE, broker::isEmpty);
    }

    assertThat(rows("SELECT k FROM delivered")).hasSize(400).doesNotHaveDuplicates();
    try (Connection connection = source.getConnection()) {
      connection.setAutoCommit(false);
      assertThat(store.load(connection, SCOPE).values().stream().mapToLong(Position::next).sum())
          .isEqualTo(600);
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  @Test
  @Semantics({6, 83, 89})
  void one_that_fails_keeps_back_those_of_its_ordering_key_and_nobody_else() {
    failOnce.add("a/2");
    for (int i = 1; i <= 10; i++) {
      send("a/" + i);
      broker.send("a", "b/" + i); // the same lane, and another order
    }
    try (OnlyOnce<@Nullable Void> once = engine();
        MessageConsumer consumer = consumer(once).start()) {
      Await.until("all", PATIENCE, broker::isEmpty);
    }

    for (String order : List.of("a", "b")) {
      List<String> expected = new ArrayList<>();
      for (int i = 1; i <= 10; i++) {
        expected.add(order + "/" + i);
      }
      assertThat(rows("SELECT k FROM delivered ORDER BY n"))
          .filteredOn(it -> it.startsWith(order))
          .isEqualTo(expected);
    }
  }

  @Test
  @Semantics({7, 21})
  void one_that_always_fails_is_a_dead_letter_and_on_record() {
    failAlways.add("a/1");
    send("a/1");
    send("a/2");
    send("a/1");
    try (OnlyOnce<@Nullable Void> once = engine();
        MessageConsumer consumer = consumer(once).start()) {
      Await.until("all", PATIENCE, broker::isEmpty);
      send("a/1");
      Await.until("a later copy", PATIENCE, broker::isEmpty);
    }

    assertThat(broker.published("letters")).hasSize(1);
    assertThat(store.find(SCOPE, Key.of("a/1")).orElseThrow().state()).isEqualTo(ClaimState.FAILED);
    assertThat(rows("SELECT k FROM delivered")).containsExactly("a/2");
  }

  @Test
  @Semantics({83, 89})
  void a_batch_in_which_one_fails_is_done_without_it_and_without_those_behind_it() {
    failOnce.add("a/2");
    List<Item> batch = List.of(item("a/1"), item("a/2"), item("a/3"), item("b/1"));
    Map<String, Position> positions = Map.of("lane-0", new Position(0, 4));

    List<DeliveryTransaction.Handled> answers = transaction().handleAll(batch, positions);
    assertThat(answers.get(0)).isInstanceOf(Applied.class);
    assertThat(answers.get(1)).isInstanceOf(Threw.class);
    assertThat(answers.get(2)).isEqualTo(new Answered(new Answer.Deferred(Duration.ZERO)));
    assertThat(answers.get(3)).isInstanceOf(Applied.class);
    assertThat(rows("SELECT k FROM delivered")).containsExactlyInAnyOrder("a/1", "b/1");
    assertThat(rows("SELECT consumer FROM onlyonce_position")).isEmpty();

    answers = transaction().handleAll(batch, positions);
    assertThat(answers.get(1)).isInstanceOf(Applied.class);
    assertThat(rows("SELECT k FROM delivered")).hasSize(4);
  }

  /** It ended the consumer, and each one after it. */
  @Test
  @Semantics(21)
  void an_effect_that_ends_in_an_error_fails_alone() {
    DeliveryTransaction fatal =
        inbox.deliveries(
            (connection, fresh) -> {
              for (Delivery delivery : fresh) {
                if (body(delivery).equals("a/1")) {
                  throw new AssertionError("a class is missing");
                }
              }
            });

    List<DeliveryTransaction.Handled> answers =
        fatal.handleAll(List.of(item("a/1"), item("b/1")), Map.of());
    assertThat(((Threw) answers.get(0)).cause()).isInstanceOf(AssertionError.class);
    assertThat(answers.get(1)).isInstanceOf(Applied.class);
  }

  @Test
  @Semantics({2, 89})
  void one_that_another_transaction_holds_is_not_overtaken() throws SQLException {
    try (Connection other = source.getConnection()) {
      other.setAutoCommit(false);
      store.claim(other, List.of(request("a/1")), Duration.ZERO);

      List<DeliveryTransaction.Handled> answers =
          transaction().handleAll(List.of(item("a/1"), item("a/2"), item("b/1")), Map.of());
      assertThat(answers.get(0))
          .isInstanceOfSatisfying(
              Answered.class, it -> assertThat(it.answer()).isInstanceOf(Answer.InProgress.class));
      assertThat(answers.get(1)).isEqualTo(new Answered(new Answer.Deferred(Duration.ZERO)));
      assertThat(answers.get(2)).isInstanceOf(Applied.class);
      other.rollback();
      other.setAutoCommit(true);
    }
    assertThat(rows("SELECT k FROM delivered")).containsExactly("b/1");
  }

  private OnlyOnce<@Nullable Void> engine() {
    return OnlyOnce.builder(store)
        .scope(SCOPE)
        .onInDoubt(OnInDoubt.RERUN)
        .onFailure(OnFailure.defaults().attempts(3).backoff(Backoff.fixed(Duration.ofMillis(20))))
        .build();
  }

  private ConsumerBuilder<@Nullable Void> consumer(OnlyOnce<@Nullable Void> once) {
    return once.consume(broker.join())
        .keys(it -> new KeyExtractor.Keyed(Key.of(body(it))))
        .orderBy(it -> body(it).split("/", 2)[0])
        .transaction(transaction())
        .deadLetters(DeadLetters.to(broker.publisher(), "letters"));
  }

  private DeliveryTransaction transaction() {
    return inbox.deliveries(this::write);
  }

  private void write(Connection transaction, List<Delivery> fresh) throws SQLException {
    try (PreparedStatement insert =
        transaction.prepareStatement(
            "INSERT INTO delivered (k, n) SELECT ?, coalesce(max(n), 0) + 1 FROM delivered")) {
      for (Delivery delivery : fresh) {
        String body = body(delivery);
        if (failAlways.contains(body)) {
          throw new IllegalStateException("never");
        }
        insert.setString(1, body);
        insert.executeUpdate();
      }
    }
    for (Delivery delivery : fresh) {
      if (fresh.size() == 1 && failOnce.remove(body(delivery))) {
        throw new IllegalStateException("not yet");
      }
      if (failOnce.contains(body(delivery))) {
        throw new IllegalStateException("not together");
      }
    }
  }

  private void send(String body) {
    broker.send(body.split("/", 2)[0], body);
  }

  private static String body(Delivery delivery) {
    return new String(delivery.body(), UTF_8);
  }

  private static Item item(String body) {
    return new Item(
        Delivery.of("lane-0", body, body.getBytes(UTF_8)),
        Key.of(body),
        null,
        body.split("/", 2)[0]);
  }

  private static ClaimRequest request(String key) {
    return ClaimRequest.of(SCOPE, Key.of(key), 1, Duration.ofHours(1), Lapse.TAKE);
  }

  private List<String> rows(String query) {
    return Pools.texts(source, query);
  }
}
