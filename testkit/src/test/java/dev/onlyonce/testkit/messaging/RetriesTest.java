package dev.onlyonce.testkit.messaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Backoff;
import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Scope;
import dev.onlyonce.messaging.ConsumerBuilder;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.DeliveryHandler;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.messaging.Retries;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.DeliveryTransaction;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.spi.PositionStore;
import dev.onlyonce.spi.Publisher;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages that wait for their next attempt at the broker. Bodies are keys. */
class RetriesTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Scope SCOPE = Scope.of("billing");

  private final MemoryBroker broker = new MemoryBroker(1);
  private final List<String> effects = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger tries = new AtomicInteger();
  private final List<Duration> delays = Collections.synchronizedList(new ArrayList<>());
  private final List<AutoCloseable> opened = new ArrayList<>();
  private Duration backoff = Duration.ofMillis(20);

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable it : opened) {
      it.close();
    }
  }

  @Test
  void one_that_failed_is_handed_over_and_acknowledged_and_handled_when_it_comes_back() {
    start(consumer(failing(1)).retries(toQueue()));
    broker.send(null, "order-1", Map.of("tenant", List.of("a".getBytes(UTF_8))));
    Await.until("its copy", PATIENCE, () -> retried().size() == 1);
    Await.until("an empty broker", PATIENCE, broker::isEmpty);

    Publisher.Message copy = retried().get(0);
    assertThat(effects).isEmpty();
    assertThat(delays).containsExactly(backoff);
    assertThat(copy.headers().get("tenant")).containsExactly("a".getBytes(UTF_8));
    assertThat(copy.id()).isEqualTo("retry/billing/lane-0/0/1");

    bringBack(copy);
    Await.until("the effect", PATIENCE, () -> effects.contains("order-1"));
    Await.until("an empty broker", PATIENCE, broker::isEmpty);
    assertThat(tries).hasValue(2);
    assertThat(retried()).hasSize(1);
  }

  @Test
  void attempts_are_counted_on_and_the_last_one_makes_a_dead_letter() {
    start(consumer(failing(100)).retries(toQueue()));
    broker.send(null, "order-1");
    for (int attempt = 1; attempt < 3; attempt++) {
      int copies = attempt;
      Await.until("another copy", PATIENCE, () -> retried().size() == copies);
      bringBack(retried().get(attempt - 1));
    }

    Await.until("its letter", PATIENCE, () -> broker.published("letters").size() == 1);
    Await.until("an empty broker", PATIENCE, broker::isEmpty);
    assertThat(tries).hasValue(3);
    assertThat(retried()).hasSize(2);
  }

  @Test
  void one_that_comes_back_too_early_waits_in_the_consumer_for_the_rest() {
    backoff = Duration.ofMillis(500);
    start(consumer(failing(1)).retries(toQueue()));
    broker.send(null, "order-1");
    Await.until("its copy", PATIENCE, () -> retried().size() == 1);
    bringBack(retried().get(0));

    Await.until("the effect", PATIENCE, () -> effects.contains("order-1"));
    assertThat(tries).hasValue(2);
    assertThat(retried()).hasSize(1);
  }

  @Test
  void one_that_comes_back_twice_is_handled_once() {
    start(consumer(failing(1)).retries(toQueue()));
    broker.send(null, "order-1");
    Await.until("its copy", PATIENCE, () -> retried().size() == 1);
    bringBack(retried().get(0));
    bringBack(retried().get(0));

    Await.until("an empty broker", PATIENCE, broker::isEmpty);
    assertThat(effects).containsExactly("order-1");
  }

  @Test
  void one_that_the_broker_does_not_take_waits_in_the_consumer() {
    broker.refuse(1);
    start(consumer(failing(1)).retries(toQueue()));
    broker.send(null, "order-1");

    Await.until("the effect", PATIENCE, () -> effects.contains("order-1"));
    Await.until("an empty broker", PATIENCE, broker::isEmpty);
    assertThat(retried()).isEmpty();
    assertThat(delays).hasSize(1);
  }

  @Test
  void one_that_has_no_destination_or_whose_destination_cannot_be_found_waits_in_the_consumer() {
    AtomicInteger asked = new AtomicInteger();
    Retries none =
        Retries.to(
            broker.publisher(),
            (delivery, delay) -> {
              if (asked.incrementAndGet() == 1) {
                throw new IllegalStateException("as the test wants it");
              }
              return Optional.empty();
            });
    start(consumer(failing(2)).retries(none));
    broker.send(null, "order-1");

    Await.until("the effect", PATIENCE, () -> effects.contains("order-1"));
    assertThat(asked).hasValue(2);
  }

  @Test
  void one_with_an_ordering_key_waits_in_the_consumer_and_is_not_overtaken() {
    start(consumer(failing(1)).retries(toQueue()));
    broker.send("a", "a-1");
    broker.send("a", "a-2");

    Await.until("both", PATIENCE, () -> effects.size() == 2);
    assertThat(effects).containsExactly("a-1", "a-2");
    assertThat(retried()).isEmpty();
  }

  @Test
  void a_consumer_that_is_closed_meanwhile_loses_nothing() {
    CountDownLatch isClosing = new CountDownLatch(1);
    CountDownLatch isPublishing = new CountDownLatch(1);
    Publisher slow =
        new Publisher() {
          @Override
          public List<Receipt> publish(List<Message> batch) {
            isPublishing.countDown();
            await(isClosing);
            return broker.publisher().publish(batch);
          }

          @Override
          public void close() {
            // nothing is held
          }
        };
    MessageConsumer consumer =
        start(consumer(failing(1)).retries(Retries.to(slow, (it, delay) -> Optional.of("later"))));
    broker.send(null, "order-1");
    await(isPublishing);
    Thread closing = new Thread(consumer::close);
    closing.start();
    isClosing.countDown();
    consumer.ended().join();

    assertThat(broker.isEmpty()).isTrue();
    assertThat(retried()).hasSize(1);
  }

  @Test
  void retries_are_refused_with_a_transaction() {
    DeliveryTransaction transaction =
        new DeliveryTransaction() {
          @Override
          public Scope scope() {
            return SCOPE;
          }

          @Override
          public List<Handled> handleAll(
              List<Item> items, Map<String, PositionStore.Position> positions) {
            throw new IllegalStateException("not called");
          }

          @Override
          public void fail(Key key, String reason) {
            throw new IllegalStateException("not called");
          }
        };
    OnlyOnce<@Nullable Void> engine = engine();
    assertThatThrownBy(
            () ->
                engine
                    .consume(broker.join())
                    .keys(RetriesTest::key)
                    .transaction(transaction)
                    .deadLetters(DeadLetters.discard())
                    .retries(toQueue())
                    .start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("retries must not be set with a transaction");
  }

  private DeliveryHandler.Action failing(int times) {
    return delivery -> {
      String body = new String(delivery.body(), UTF_8);
      if (tries.incrementAndGet() <= times) {
        throw new IllegalStateException("not yet");
      }
      effects.add(body);
    };
  }

  private Retries toQueue() {
    return Retries.to(
        broker.publisher(),
        (delivery, delay) -> {
          delays.add(delay);
          return Optional.of("later");
        });
  }

  private List<Publisher.Message> retried() {
    return broker.published("later");
  }

  private void bringBack(Publisher.Message copy) {
    broker.send(null, new String(copy.body(), UTF_8), copy.headers());
  }

  private OnlyOnce<@Nullable Void> engine() {
    OnlyOnce<@Nullable Void> engine =
        OnlyOnce.builder(MemoryStore.create())
            .scope(SCOPE)
            .onInDoubt(OnInDoubt.RERUN)
            .onFailure(
                OnFailure.defaults().backoff(Backoff.fixed(backoff).withoutJitter()).attempts(3))
            .build();
    opened.add(engine);
    return engine;
  }

  private ConsumerBuilder<@Nullable Void> consumer(DeliveryHandler.Action handler) {
    return engine()
        .consume(broker.join())
        .keys(RetriesTest::key)
        .handler(handler)
        .deadLetters(DeadLetters.to(broker.publisher(), "letters"));
  }

  private MessageConsumer start(ConsumerBuilder<@Nullable Void> builder) {
    MessageConsumer consumer = builder.start();
    opened.add(0, consumer);
    return consumer;
  }

  private static KeyExtractor.Extracted key(Delivery delivery) {
    return new KeyExtractor.Keyed(Key.of(new String(delivery.body(), UTF_8)));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
