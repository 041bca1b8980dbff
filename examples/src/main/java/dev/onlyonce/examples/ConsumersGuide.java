package dev.onlyonce.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Scope;
import dev.onlyonce.json.JsonKeys;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Publisher;
import dev.onlyonce.spi.Source;
import dev.onlyonce.store.jdbc.Inbox;
import dev.onlyonce.store.jdbc.JdbcStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The pieces of docs/guides/consumers.md; a test compares them and runs them. */
final class ConsumersGuide {

  private final Consumer<Delivery> bank;

  ConsumersGuide(Consumer<Delivery> bank) {
    this.bank = bank;
  }

  private void charge(Delivery order) {
    bank.accept(order);
  }

  // region leased
  MessageConsumer charges(ClaimStore store, Source orders, Publisher publisher) {
    OnlyOnce<@Nullable Void> once =
        OnlyOnce.builder(store).scope("billing").onInDoubt(OnInDoubt.PARK).build();
    return once.consume(orders)
        .keys(JsonKeys.at("/payment"))
        .handler(order -> charge(order))
        .deadLetters(DeadLetters.to(publisher, "orders.dead"))
        .start();
  }

  // endregion

  // region transaction
  MessageConsumer bookings(
      JdbcStore store, DataSource database, Source orders, Publisher publisher) {
    Inbox inbox = Inbox.of(store, database, Scope.of("booking"));
    OnlyOnce<@Nullable Void> once =
        OnlyOnce.builder(store).scope("booking").onInDoubt(OnInDoubt.PARK).build();
    return once.consume(orders)
        .keys(JsonKeys.at("/payment"))
        .transaction(inbox.deliveries(this::book))
        .deadLetters(DeadLetters.to(publisher, "orders.dead"))
        .start();
  }

  private void book(Connection transaction, List<Delivery> fresh) throws SQLException {
    try (PreparedStatement insert =
        transaction.prepareStatement("INSERT INTO booking (body) VALUES (?)")) {
      for (Delivery order : fresh) {
        insert.setString(1, new String(order.body(), UTF_8));
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  // endregion
}
