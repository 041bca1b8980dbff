package dev.onlyonce.messaging;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.internal.BatchDriver;
import dev.onlyonce.internal.Events;
import dev.onlyonce.internal.messaging.ConsumerLoop;
import dev.onlyonce.internal.messaging.ConsumerPlan;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.DeliveryTransaction;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Source;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link MessageConsumer}. Needed: {@link #keys}, a handler or a transaction, and
 * what becomes of dead letters. Mode, lease, attempts and back-off are those of the engine.
 * Defaults of the others:
 *
 * <ul>
 *   <li>ordering key: the one that the source names, its record or routing key
 *   <li>retries: in the consumer, where a message waits unacknowledged
 *   <li>fingerprints: none, payloads are not compared
 *   <li>acknowledge: each
 *   <li>batch: 500 keys in one call of the store
 *   <li>most under way: 1,000 deliveries
 *   <li>concurrency: 16 handlers at the same time
 *   <li>grace: that of the engine for its shutdown, 10 seconds
 * </ul>
 *
 * <p>Not safe for use by several threads.
 *
 * @param <R> what handlers return
 */
public final class ConsumerBuilder<R extends @Nullable Object> {

  private static final int MOST_IN_A_BATCH = 10_000;
  private static final int MOST_UNDER_WAY = 1_000_000;

  private final Source source;
  private final BatchDriver<R> driver;
  private final Events events;
  private final boolean bypassUnkeyed;
  private @Nullable KeyExtractor keys;
  private @Nullable DeliveryHandler<R> handler;
  private @Nullable DeliveryTransaction transaction;
  private boolean savesPositions;
  private @Nullable DeadLetters deadLetters;
  private @Nullable Retries retries;
  private @Nullable Function<Delivery, Fingerprint> fingerprints;
  private Function<Delivery, @Nullable String> orderingKeys = Delivery::orderingKey;
  private Acknowledge acknowledge = Acknowledge.EACH;
  private int batch = Limits.BATCH;
  private int mostUnderWay = 2 * Limits.BATCH;
  private int concurrency = 16;
  private Duration grace;

  /** For {@link dev.onlyonce.OnlyOnce#consume}, which knows what is needed. */
  public ConsumerBuilder(
      Source source, BatchDriver<R> driver, Events events, boolean bypassUnkeyed, Duration grace) {
    this.source = Objects.requireNonNull(source, "source must not be null");
    this.driver = driver;
    this.events = events;
    this.bypassUnkeyed = bypassUnkeyed;
    this.grace = grace;
  }

  /** Sets how a delivery's idempotency key is found. */
  public ConsumerBuilder<R> keys(KeyExtractor replacement) {
    this.keys = replacement;
    return this;
  }

  /** Sets what is run once per key. */
  public ConsumerBuilder<R> handler(DeliveryHandler<R> replacement) {
    this.handler = replacement;
    return this;
  }

  /** Sets what is run once per key, for those that have no result and do not ask for an attempt. */
  @SuppressWarnings("NullAway") // null stands for no result, whatever R is
  public ConsumerBuilder<R> handler(DeliveryHandler.Action action) {
    Objects.requireNonNull(action, "handler must not be null");
    return handler(
        (delivery, attempt) -> {
          action.handle(delivery);
          return null;
        });
  }

  /**
   * Handles deliveries in the transaction that claims their keys, instead of with a handler: what
   * is done is done exactly once in that database. The engine's store must be on the same tables,
   * and of its settings the scope, the attempts and the back-off count, but no lease.
   *
   * @param replacement of the engine's scope; stays the caller's
   */
  public ConsumerBuilder<R> transaction(DeliveryTransaction replacement) {
    this.transaction = replacement;
    return this;
  }

  /**
   * Has each transaction save how far its lanes are finished: for sources that begin where the
   * database says, and not where the broker does.
   */
  public ConsumerBuilder<R> savePositions() {
    this.savesPositions = true;
    return this;
  }

  /** Sets where messages go that failed for good. */
  public ConsumerBuilder<R> deadLetters(DeadLetters replacement) {
    this.deadLetters = replacement;
    return this;
  }

  /**
   * Has messages without an ordering key wait at the broker for their next attempt. Not with a
   * transaction, whose attempts are counted while a message is in the consumer; in mode
   * at-least-once they wait there for the same reason.
   */
  public ConsumerBuilder<R> retries(Retries replacement) {
    this.retries = replacement;
    return this;
  }

  /** Has a key refused that comes again with another payload. */
  public ConsumerBuilder<R> fingerprints(Function<Delivery, Fingerprint> replacement) {
    this.fingerprints = replacement;
    return this;
  }

  /** Sets what must stay in order: the order, the account. Null for a message that stands alone. */
  public ConsumerBuilder<R> orderBy(Function<Delivery, @Nullable String> replacement) {
    this.orderingKeys = replacement;
    return this;
  }

  /** Sets when deliveries are acknowledged. */
  public ConsumerBuilder<R> acknowledge(Acknowledge replacement) {
    this.acknowledge = replacement;
    return this;
  }

  /** Sets how many keys are claimed, or claims settled, in one call of the store. */
  public ConsumerBuilder<R> batch(int most) {
    this.batch = Limits.requirePositive("batch", most, MOST_IN_A_BATCH);
    return this;
  }

  /**
   * Sets how many deliveries may be under way; no more are received until some are finished. Of
   * several lanes one cannot have them all.
   */
  public ConsumerBuilder<R> mostUnderWay(int most) {
    this.mostUnderWay = Limits.requirePositive("most under way", most, MOST_UNDER_WAY);
    return this;
  }

  /** Sets how many handlers may run at the same time. */
  public ConsumerBuilder<R> concurrency(int most) {
    this.concurrency = Limits.requirePositive("concurrency", most, MOST_UNDER_WAY);
    return this;
  }

  /**
   * Sets how long handlers may go on when the broker takes their lanes away, or the consumer is
   * closed. Shorter than what the broker waits for a consumer.
   */
  public ConsumerBuilder<R> grace(Duration replacement) {
    this.grace = Limits.requireNotNegative("grace", replacement);
    return this;
  }

  /**
   * Starts to consume. The source is the consumer's from here on, which closes it. Its thread keeps
   * the program alive until it is closed.
   *
   * @throws IllegalStateException if keys, handler or dead letters are missing, or the engine has
   *     been closed
   */
  public MessageConsumer start() {
    requireOneHandler();
    ConsumerPlan<R> plan =
        new ConsumerPlan<>(
            set(keys, "keys must be set: a KeyExtractor that finds the business key"),
            fingerprints,
            orderingKeys,
            handler,
            transaction,
            savesPositions,
            set(
                deadLetters,
                "deadLetters must be chosen, there is no default: DeadLetters.to(publisher,"
                    + " destination) or DeadLetters.discard()"),
            retries,
            acknowledge,
            bypassUnkeyed,
            batch,
            mostUnderWay,
            concurrency,
            grace);
    ConsumerLoop<R> loop = new ConsumerLoop<>(source, driver, events, plan);
    loop.start();
    return new MessageConsumer(loop);
  }

  private void requireOneHandler() {
    if ((handler == null) == (transaction == null)) {
      throw new IllegalStateException("either handler or transaction must be set");
    }
    if (savesPositions && transaction == null) {
      throw new IllegalStateException("positions are saved by a transaction, and none is set");
    }
    if (transaction != null && bypassUnkeyed) {
      throw new IllegalStateException(
          "a transaction claims keys: what has none cannot be handled in it, so the engine must not"
              + " bypassUnkeyed()");
    }
    if (savesPositions && acknowledge == Acknowledge.MANUAL) {
      throw new IllegalStateException(
          "positions that a transaction saves are acknowledgements: these cannot be manual");
    }
    if (retries != null && transaction != null) {
      throw new IllegalStateException(
          "retries must not be set with a transaction: its attempts are counted while a message is"
              + " in the consumer");
    }
    if (transaction != null && !transaction.scope().equals(driver.plan().scope())) {
      throw new IllegalStateException(
          "the transaction's scope must be that of the engine, which is "
              + driver.plan().scope()
              + ", was "
              + transaction.scope());
    }
  }

  private static <T> T set(@Nullable T value, String otherwise) {
    if (value == null) {
      throw new IllegalStateException(otherwise);
    }
    return value;
  }
}
