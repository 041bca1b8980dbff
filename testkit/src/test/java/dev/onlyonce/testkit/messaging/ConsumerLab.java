package dev.onlyonce.testkit.messaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Backoff;
import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.OnlyOnceBuilder;
import dev.onlyonce.Scope;
import dev.onlyonce.messaging.ConsumerBuilder;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.DeliveryHandler;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Publisher;
import dev.onlyonce.spi.Source;
import dev.onlyonce.testkit.FaultyStore;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/**
 * A consumer on a broker in memory, and what is seen of it. Bodies are {@code key} or {@code
 * key=payload}; what comes before the first slash is the order.
 */
abstract class ConsumerLab {

  static final Duration PATIENCE = Duration.ofSeconds(60);
  static final Scope SCOPE = Scope.of("billing");

  final MemoryBroker broker = new MemoryBroker(4);
  final MemoryStore store = MemoryStore.create();
  final FaultyStore faulty = FaultyStore.over(store);
  final List<Event> events = Collections.synchronizedList(new ArrayList<>());
  final List<String> effects = Collections.synchronizedList(new ArrayList<>());
  final List<AutoCloseable> opened = new ArrayList<>();
  OnFailure onFailure =
      OnFailure.defaults().backoff(Backoff.fixed(Duration.ofMillis(20))).attempts(3);

  Duration lease = PATIENCE;

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable it : opened) {
      it.close();
    }
  }

  OnlyOnceBuilder<@Nullable Void> engine() {
    return OnlyOnce.builder(faulty)
        .scope(SCOPE)
        .onInDoubt(OnInDoubt.RERUN)
        .onFailure(onFailure)
        .lease(lease)
        .listener(events::add);
  }

  ConsumerBuilder<@Nullable Void> consumer(DeliveryHandler.Action handler) {
    return consumer(broker.join(), handler);
  }

  ConsumerBuilder<@Nullable Void> consumer(Source source, DeliveryHandler.Action handler) {
    return consumer(engine().build(), source, handler);
  }

  ConsumerBuilder<@Nullable Void> consumer(
      OnlyOnce<@Nullable Void> engine, Source source, DeliveryHandler.Action handler) {
    opened.add(engine);
    return engine
        .consume(source)
        .keys(ConsumerLab::key)
        .handler(handler)
        .deadLetters(DeadLetters.to(broker.publisher(), "letters"))
        .orderBy(it -> body(it).split("/", 2)[0]);
  }

  MessageConsumer start(OnlyOnce<@Nullable Void> engine, DeliveryHandler.Action handler) {
    return start(consumer(engine, broker.join(), handler));
  }

  MessageConsumer start(ConsumerBuilder<@Nullable Void> builder) {
    MessageConsumer consumer = builder.start();
    opened.add(0, consumer);
    return consumer;
  }

  static KeyExtractor.Extracted key(Delivery delivery) {
    String body = body(delivery);
    if (body.equals("!")) {
      throw new IllegalArgumentException("boom");
    }
    return body.isEmpty()
        ? new KeyExtractor.Unkeyed(KeyExtractor.Reason.EMPTY, "the body is empty")
        : new KeyExtractor.Keyed(Key.of(body.split("=", 2)[0]));
  }

  static String body(Delivery delivery) {
    return new String(delivery.body(), UTF_8);
  }

  void effect(Delivery delivery) {
    effects.add(body(delivery));
  }

  void send(String body) {
    broker.send(body.split("/", 2)[0], body);
  }

  static ClaimRequest request(String key) {
    return ClaimRequest.of(SCOPE, Key.of(key), 1, Duration.ofSeconds(1), Lapse.PARK);
  }

  @Nullable ClaimState state(String key) {
    return store.find(SCOPE, Key.of(key)).map(it -> it.state()).orElse(null);
  }

  void awaitEmpty() {
    Await.until("all to be acknowledged", PATIENCE, broker::isEmpty);
  }

  List<String> effectsOf(String order) {
    synchronized (effects) {
      return effects.stream().filter(it -> it.startsWith(order + "/")).toList();
    }
  }

  static List<String> numbered(String order, int count) {
    List<String> all = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      all.add(order + "/" + i);
    }
    return all;
  }

  long count(Class<? extends Event> kind) {
    synchronized (events) {
      return events.stream().filter(kind::isInstance).count();
    }
  }

  Publisher.Message onlyLetter() {
    List<Publisher.Message> letters = broker.published("letters");
    assertThat(letters).hasSize(1);
    return letters.get(0);
  }

  static String header(Publisher.Message message, String name) {
    return new String(message.headers().getOrDefault(name, List.of(new byte[0])).get(0), UTF_8);
  }

  static void await(CountDownLatch latch) {
    Await.until("a latch", PATIENCE, () -> latch.getCount() == 0);
  }

  static void join(Thread thread) {
    Await.until("a thread to end", PATIENCE, () -> !thread.isAlive());
  }
}
