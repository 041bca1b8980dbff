package dev.onlyonce.broker.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Consumers with one store, whose effects are lines in a list; the body of a message is its key.
 */
final class Billing implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  final List<String> effects = Collections.synchronizedList(new ArrayList<>());
  final List<Event> events = Collections.synchronizedList(new ArrayList<>());
  private final MemoryStore store = MemoryStore.create();
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private Backoff backoff = Backoff.fixed(Duration.ofMillis(20)).withoutJitter();
  private int attempts = 3;

  Billing backoff(Backoff replacement) {
    backoff = replacement;
    return this;
  }

  Billing attempts(int most) {
    attempts = most;
    return this;
  }

  /** What is closed with this, in the other order. */
  <T extends AutoCloseable> T with(T resource) {
    opened.push(resource);
    return resource;
  }

  ConsumerBuilder<@Nullable Void> consumer(
      RabbitBroker broker, String queue, DeliveryHandler.Action handler) {
    OnlyOnce<@Nullable Void> engine =
        with(
            OnlyOnce.builder(store)
                .scope(Scope.of("billing"))
                .onInDoubt(OnInDoubt.RERUN)
                .onFailure(OnFailure.defaults().backoff(backoff).attempts(attempts))
                .listener(events::add)
                .build());
    return engine
        .consume(RabbitSource.from(broker, queue).open())
        .keys(it -> new KeyExtractor.Keyed(Key.of(body(it))))
        .handler(handler)
        .deadLetters(DeadLetters.discard());
  }

  MessageConsumer start(ConsumerBuilder<@Nullable Void> builder) {
    return with(builder.start());
  }

  void effect(Delivery delivery) {
    effects.add(body(delivery));
  }

  long count(Class<? extends Event> kind) {
    synchronized (events) {
      return events.stream().filter(kind::isInstance).count();
    }
  }

  static String body(Delivery delivery) {
    return new String(delivery.body(), UTF_8);
  }

  static void await(String what, BooleanSupplier condition) {
    Await.until(what, PATIENCE, condition);
  }

  @Override
  public void close() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }
}
