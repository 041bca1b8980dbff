package dev.onlyonce.store.jdbc;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.DeliveryTransaction;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** An inbox as consumers see it. */
final class InboxDeliveries implements DeliveryTransaction {

  private final Inbox inbox;
  private final JdbcStore store;
  private final Scope scope;
  private final Duration retention;
  private final Inbox.DeliveryEffect effect;

  InboxDeliveries(
      Inbox inbox, JdbcStore store, Scope scope, Duration retention, Inbox.DeliveryEffect effect) {
    this.inbox = inbox;
    this.store = store;
    this.scope = scope;
    this.retention = retention;
    this.effect = effect;
  }

  @Override
  public Scope scope() {
    return scope;
  }

  @Override
  public List<Handled> handleAll(List<Item> batch, Map<String, Position> positions) {
    return inbox.handleAll(batch, new OfItems(), positions).stream()
        .map(InboxDeliveries::handled)
        .toList();
  }

  private final class OfItems implements Inbox.BatchEffect<Item> {
    @Override
    public Key key(Item item) {
      return item.key();
    }

    @Override
    public @Nullable Fingerprint fingerprint(Item item) {
      return item.fingerprint();
    }

    @Override
    public @Nullable String orderingKey(Item item) {
      return item.orderingKey();
    }

    @Override
    public List<Result> apply(Connection transaction, List<Item> fresh) throws SQLException {
      List<Delivery> deliveries = fresh.stream().map(Item::delivery).toList();
      try {
        effect.apply(transaction, deliveries);
      } catch (Error e) {
        throw new FatalEffectException(e); // it must end neither the consumer nor its neighbours
      }
      return Collections.nCopies(fresh.size(), Result.NONE);
    }
  }

  private static Handled handled(Inbox.Verdict verdict) {
    if (verdict instanceof Inbox.Verdict.Applied applied) {
      return new Applied(applied.result());
    }
    if (verdict instanceof Inbox.Verdict.Duplicate duplicate) {
      return new Answered(new Answer.Done(duplicate.result(), Duration.ZERO, false));
    }
    if (verdict instanceof Inbox.Verdict.Refused refused) {
      return new Answered(refused.answer());
    }
    Exception cause = ((Inbox.Verdict.Failed) verdict).cause();
    return new Threw(cause instanceof FatalEffectException fatal ? fatal.error : cause);
  }

  /** An effect has ended in an Error, by which an inbox would end. */
  private static final class FatalEffectException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Error error;

    FatalEffectException(Error error) {
      super(error);
      this.error = error;
    }
  }

  @Override
  public void fail(Key key, String reason) {
    long requestId = ThreadLocalRandom.current().nextLong();
    ClaimRequest request = ClaimRequest.of(scope, key, requestId, Limits.LEASE, Lapse.TAKE);
    Answer answer = store.claim(List.of(request)).get(0);
    boolean isSettled =
        answer instanceof Answer.Claimed claimed
            ? store.settle(List.of(new Settlement.Fail(claimed.claim(), reason, retention))).get(0)
                == Held.HELD
            : answer instanceof Answer.Done || answer instanceof Answer.Failed;
    if (!isSettled) {
      throw new StoreException(
          StoreException.Kind.UNAVAILABLE,
          "key " + key + " could not be recorded as failed, since another has it: " + answer);
    }
  }
}
