package dev.onlyonce.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Scope;
import dev.onlyonce.broker.kafka.KafkaPublisher;
import dev.onlyonce.broker.kafka.KafkaSource;
import dev.onlyonce.broker.kafka.KafkaTransactions;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.KafkaBroker;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.spi.Source;
import dev.onlyonce.store.jdbc.JdbcStore;
import dev.onlyonce.testkit.process.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the pieces of the guide to Kafka, and holds the guide to them. */
@ExtendWith(Servers.class)
class KafkaGuideTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final List<String> charged = new CopyOnWriteArrayList<>();
  private final KafkaGuide guide = new KafkaGuide(this::charge);
  private KafkaBroker broker;
  private KafkaPublisher publisher;

  private void charge(String payment) {
    if (payment.equals("broken")) {
      throw new IllegalArgumentException("no such account");
    }
    charged.add(payment);
  }

  @BeforeEach
  void start() {
    broker = KafkaBroker.start(Map.of("auto.create.topics.enable", "true", "num.partitions", "3"));
    publisher = KafkaPublisher.open(Map.of("bootstrap.servers", broker.url()));
  }

  @AfterEach
  void stop() {
    publisher.close();
    broker.close();
  }

  @Test
  void the_guide_shows_the_regions_of_the_program() {
    assertThat(Guide.regions(KafkaGuide.class)).hasSize(4);
    assertThat(Guide.of("kafka.md").java()).isEqualTo(Guide.regions(KafkaGuide.class));
  }

  @Test
  void each_payment_is_charged_once_and_what_cannot_be_is_put_aside() {
    send("p1", "p2", "p1", "p3", "p2", "p1");
    send((String) null);
    try (MemoryStore store = MemoryStore.create();
        OnlyOnce<@Nullable Void> once = guide.engine(store);
        MessageConsumer consumer = guide.consume(once, group("billing"), publisher)) {
      Await.until("all charged", PATIENCE, () -> charged.size() >= 3 && consumer.underWay() == 0);
    }
    assertThat(read("payments.dlt", 1)).containsExactly("unkeyed");
    assertThat(charged).containsExactlyInAnyOrder("p1", "p2", "p3");
  }

  @Test
  void claims_rows_and_positions_are_in_one_commit(Database<PostgreSqlServer> server)
      throws SQLException {
    DataSource database = new UrlSource(server.url());
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create table ledger (payment varchar(100) primary key)");
    }
    JdbcStore store = JdbcStore.on(database).createTables().open();
    send("p1", "p2", "p1");
    try (MessageConsumer consumer =
        guide.consumeInto(database, store, group("ledger"), publisher)) {
      Await.until("both", PATIENCE, () -> rows(database) == 2 && consumer.underWay() == 0);
    }
    send("p3", "p2");
    try (MessageConsumer consumer =
        guide.consumeInto(database, store, group("ledger"), publisher)) {
      Await.until("the third", PATIENCE, () -> rows(database) == 3 && consumer.underWay() == 0);
    }
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      assertThat(store.load(connection, Scope.of("ledger")).values())
          .extracting(it -> it.next())
          .contains(5L);
    }
    store.close();
  }

  @Test
  void one_receipt_is_written_for_each_payment() throws Exception {
    Map<String, Object> producer =
        Map.of("bootstrap.servers", broker.url(), "transactional.id", "r-1");
    send("p1", "p2", "p1");
    send((String) null);
    try (MemoryStore store = MemoryStore.create();
        KafkaTransactions receipts = guide.receipts(group("receipts"), producer, store)) {
      int passed = 0;
      while (passed < 4) {
        passed += guide.writeSome(receipts);
      }
    }
    assertThat(read("receipts", 2)).containsExactlyInAnyOrder("p1", "p2");
    assertThat(read("payments.dlt", 1)).containsExactly("unkeyed");
  }

  @Test
  void what_is_unsafe_is_named() {
    assertThat(guide.unsafe(Map.of("acks", "1")))
        .containsExactly(
            "producer: acks is not all: what was acknowledged is lost with its leader; set it to"
                + " all");
  }

  private Map<String, Object> group(String name) {
    return Map.of("bootstrap.servers", broker.url(), "group.id", name);
  }

  /** Payments by their ids; null is one without. */
  private void send(@Nullable String... payments) {
    List<Message> batch = new ArrayList<>();
    for (String id : payments) {
      Map<String, List<byte[]>> headers =
          id == null ? Map.of() : Map.of("payment-id", List.of(id.getBytes(UTF_8)));
      byte[] body = (id == null ? "unkeyed" : id).getBytes(UTF_8);
      batch.add(new Message("m" + batch.size(), "payments", null, "account", headers, body));
    }
    assertThat(publisher.publish(batch)).hasOnlyElementsOfType(Confirmed.class);
  }

  private List<String> read(String topic, int count) {
    List<String> bodies = new ArrayList<>();
    try (Source source = KafkaSource.with(group("reader of " + topic)).topics(topic).open()) {
      Await.until(
          count + " of " + topic,
          PATIENCE,
          () -> {
            source
                .poll(new Source.Demand(10, Duration.ofMillis(100), Set.of()), NOBODY)
                .forEach(it -> bodies.add(new String(it.delivery().body(), UTF_8)));
            return bodies.size() >= count;
          });
    }
    return bodies;
  }

  private static final Source.Ownership NOBODY =
      new Source.Ownership() {
        @Override
        public void revoked(Set<String> lanes) {
          // reads alone
        }

        @Override
        public void lost(Set<String> lanes) {
          // reads alone
        }
      };

  private static int rows(DataSource database) {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from ledger")) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
