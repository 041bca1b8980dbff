package dev.onlyonce.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Scope;
import dev.onlyonce.broker.kafka.KafkaFinding;
import dev.onlyonce.broker.kafka.KafkaKeys;
import dev.onlyonce.broker.kafka.KafkaSettings;
import dev.onlyonce.broker.kafka.KafkaSource;
import dev.onlyonce.broker.kafka.KafkaTransactions;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.PositionStore;
import dev.onlyonce.spi.Publisher;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.store.jdbc.Inbox;
import dev.onlyonce.store.jdbc.JdbcStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The pieces of docs/guides/kafka.md; a test compares them and runs them. */
final class KafkaGuide {

  private final Consumer<String> charge;

  KafkaGuide(Consumer<String> charge) {
    this.charge = charge;
  }

  OnlyOnce<@Nullable Void> engine(ClaimStore store) {
    return OnlyOnce.builder(store).scope("billing").onInDoubt(OnInDoubt.PARK).build();
  }

  // region consume
  MessageConsumer consume(
      OnlyOnce<@Nullable Void> once, Map<String, Object> settings, Publisher letters) {
    return once.consume(KafkaSource.with(settings).topics("payments").open())
        .keys(KafkaKeys.header("payment-id"))
        .handler(payment -> charge.accept(new String(payment.body(), UTF_8)))
        .deadLetters(DeadLetters.to(letters, "payments.dlt"))
        .start();
  }

  // endregion

  // region database
  MessageConsumer consumeInto(
      DataSource database, JdbcStore store, Map<String, Object> settings, Publisher letters) {
    Scope scope = Scope.of("ledger");
    Inbox inbox = Inbox.of(store, database, scope);
    KafkaSource source =
        KafkaSource.with(settings)
            .topics("payments")
            .startAt(lanes -> positions(database, store, scope))
            .open();
    return OnlyOnce.builder(store)
        .scope(scope)
        .onInDoubt(OnInDoubt.RERUN)
        .build()
        .consume(source)
        .keys(KafkaKeys.header("payment-id"))
        .transaction(inbox.deliveries(KafkaGuide::book))
        .savePositions()
        .deadLetters(DeadLetters.to(letters, "payments.dlt"))
        .start();
  }

  private static Map<String, PositionStore.Position> positions(
      DataSource database, JdbcStore store, Scope scope) {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      Map<String, PositionStore.Position> positions = store.load(connection, scope);
      connection.rollback();
      return positions;
    } catch (SQLException e) {
      throw new StoreException(
          StoreException.Kind.UNAVAILABLE, "no connection: " + e.getMessage(), e);
    }
  }

  private static void book(Connection transaction, List<Delivery> payments) throws SQLException {
    try (PreparedStatement insert =
        transaction.prepareStatement("insert into ledger (payment) values (?)")) {
      for (Delivery payment : payments) {
        insert.setString(1, new String(payment.body(), UTF_8));
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  // endregion

  // region transactions
  KafkaTransactions receipts(
      Map<String, Object> consumer, Map<String, Object> producer, ClaimStore store) {
    return KafkaTransactions.with(consumer, producer)
        .topics("payments")
        .claims(store, Scope.of("receipts"), KafkaKeys.header("payment-id"))
        .unkeyed(payment -> List.of(message("payments.dlt", payment)))
        .open();
  }

  int writeSome(KafkaTransactions receipts) throws Exception {
    return receipts.runOnce(payment -> List.of(message("receipts", payment)));
  }

  // endregion

  private static Publisher.Message message(String topic, Delivery payment) {
    String id = payment.source() + "/" + payment.position();
    return new Publisher.Message(
        id, topic, payment.recordKey(), null, payment.headers(), payment.body());
  }

  // region settings
  List<String> unsafe(Map<String, Object> producer) {
    return KafkaSettings.ofProducer(producer).stream().map(KafkaFinding::sentence).toList();
  }

  // endregion
}
