package dev.onlyonce.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.MemoryStore;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.store.jdbc.JdbcStore;
import dev.onlyonce.testkit.messaging.MemoryBroker;
import dev.onlyonce.testkit.process.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the pieces of the guide of consumers, and holds the guide to them. */
@ExtendWith(Servers.class)
class ConsumersGuideTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final List<String> charged = new CopyOnWriteArrayList<>();
  private final ConsumersGuide guide =
      new ConsumersGuide(order -> charged.add(new String(order.body(), UTF_8)));
  private final MemoryBroker broker = new MemoryBroker(2);

  private void sendTwoAndACopy() {
    broker.send("order-1", "{\"payment\": 1}");
    broker.send("order-2", "{\"payment\": 2}");
    broker.send("order-1", "{\"payment\": 1}");
  }

  @Test
  void the_guide_shows_the_regions_of_the_program() {
    assertThat(Guide.of("consumers.md").java()).isEqualTo(Guide.regions(ConsumersGuide.class));
  }

  @Test
  void each_payment_is_charged_once() {
    sendTwoAndACopy();
    try (MemoryStore store = MemoryStore.builder().forgetful().build();
        MessageConsumer consumer = guide.charges(store, broker.join(), broker.publisher())) {
      Await.until("all", PATIENCE, broker::isEmpty);
      assertThat(consumer.underWay()).isZero();
    }
    assertThat(charged).containsExactlyInAnyOrder("{\"payment\": 1}", "{\"payment\": 2}");
  }

  @Test
  void each_payment_is_booked_once(Database<PostgreSqlServer> database) throws SQLException {
    sendTwoAndACopy();
    UrlSource source = new UrlSource(database.url());
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE booking (body text)");
      try (JdbcStore store = JdbcStore.on(source).createTables().open();
          MessageConsumer consumer =
              guide.bookings(store, source, broker.join(), broker.publisher())) {
        Await.until("all", PATIENCE, broker::isEmpty);
        assertThat(consumer.underWay()).isZero();
      }
      ResultSet rows = statement.executeQuery("SELECT count(*), count(DISTINCT body) FROM booking");
      rows.next();
      assertThat(List.of(rows.getInt(1), rows.getInt(2))).containsExactly(2, 2);
    }
  }
}
