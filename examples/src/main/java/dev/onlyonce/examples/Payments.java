package dev.onlyonce.examples;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.store.jdbc.GuardedUpsert;
import dev.onlyonce.store.jdbc.Inbox;
import dev.onlyonce.store.jdbc.InsertOnce;
import dev.onlyonce.store.jdbc.JdbcStore;
import dev.onlyonce.store.jdbc.Transitions;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Payments in a database: each order is paid once, shipped once and never refunded too much. */
final class Payments {

  private static final System.Logger LOG = System.getLogger(Payments.class.getName());

  private final JdbcStore store;
  private final Inbox inbox;

  Payments(JdbcStore store, DataSource source) {
    this.store = store;
    this.inbox = inbox(store, source);
  }

  // region opening
  static JdbcStore open(DataSource source) {
    return JdbcStore.on(source).owner("payments-1").createTables().open();
  }

  // endregion

  // region making
  private static final Scope SCOPE = Scope.of("payments");
  private static final Duration KEPT = Duration.ofDays(30);

  static Inbox inbox(JdbcStore store, DataSource source) {
    return Inbox.of(store, source, SCOPE).keeping(KEPT);
  }

  // endregion

  // region inbox
  Inbox.Message paid(String order, long cents) {
    return Inbox.Message.of(
        Key.of(order, "paid"),
        transaction -> {
          try (PreparedStatement insert =
              transaction.prepareStatement(
                  "INSERT INTO payment (order_no, cents, status) VALUES (?, ?, 'PAID')")) {
            insert.setString(1, order);
            insert.setLong(2, cents);
            insert.executeUpdate();
          }
          return Result.NONE;
        });
  }

  Inbox.Verdict handle(Inbox.Message message) {
    return inbox.handle(message);
  }

  List<Inbox.Verdict> handlePoll(List<Inbox.Message> poll, String partition, long next) {
    return inbox.handleAll(poll, Map.of(partition, new Position(1, next)));
  }

  // endregion

  // region poison
  boolean giveUp(Connection transaction, Key key, String reason) {
    long id = new SecureRandom().nextLong();
    ClaimRequest request = ClaimRequest.of(SCOPE, key, id, Limits.LEASE, Lapse.TAKE);
    Answer answer = store.claim(transaction, List.of(request), Duration.ZERO).get(0);
    if (answer instanceof Answer.Claimed mine) {
      Settlement failed = new Settlement.Fail(mine.claim(), reason, KEPT);
      return store.settle(transaction, List.of(failed)).get(0) == Held.HELD;
    }
    return false; // it is done, or somebody is at it: look again
  }

  // endregion

  // region once
  private static final InsertOnce PAYMENT =
      InsertOnce.into("payment", "order_no", "cents", "status");

  InsertOnce.Answer pay(Connection transaction, String order, long cents) throws SQLException {
    return PAYMENT.apply(transaction, order, cents, "PAID");
  }

  // endregion

  // region purge
  /** To be called every minute, by one process at least. */
  void purge() {
    try {
      while (store.purge(500) > 0) {
        // there may be more
      }
    } catch (StoreException e) {
      LOG.log(Level.WARNING, "expired keys could not be purged, this is tried again", e);
    }
  }

  // endregion

  // region status
  private static final Transitions STATUS =
      Transitions.of("payment", "order_no", "status")
          .allow("PAID", "SHIPPED", "REFUNDED")
          .allow("SHIPPED", "REFUNDED")
          .build();

  Transitions.Answer ship(Connection transaction, String order) throws SQLException {
    return STATUS.apply(transaction, order, "SHIPPED");
  }

  // endregion

  // region locking
  boolean refund(Connection transaction, String order, long cents) throws SQLException {
    try (PreparedStatement select =
            transaction.prepareStatement(
                "SELECT cents - refunded FROM payment WHERE order_no = ? FOR UPDATE");
        PreparedStatement update =
            transaction.prepareStatement(
                "UPDATE payment SET refunded = refunded + ? WHERE order_no = ?")) {
      select.setString(1, order);
      try (ResultSet left = select.executeQuery()) {
        if (!left.next() || left.getLong(1) < cents) {
          return false;
        }
      }
      update.setLong(1, cents);
      update.setString(2, order);
      return update.executeUpdate() == 1;
    }
  }

  Inbox.Message refunded(String number, String order, long cents) {
    return Inbox.Message.of(
        Key.of(number, "refunded"),
        transaction ->
            ResultCodec.TEXT.encode(
                refund(transaction, order, cents) ? "refunded" : "more than is left"));
  }

  // endregion

  // region guarded
  private static final GuardedUpsert CUSTOMER =
      GuardedUpsert.into("customer", "id", "version", "name");

  GuardedUpsert.Answer rename(Connection transaction, String id, long version, String name)
      throws SQLException {
    return CUSTOMER.apply(transaction, id, version, name);
  }

  // endregion

  // region fence
  boolean shipFenced(Connection transaction, Claim claim, String order) throws SQLException {
    return store.holds(transaction, claim)
        && ship(transaction, order) instanceof Transitions.Answer.Applied;
  }

  // endregion
}
