package dev.onlyonce.broker.rocketmq;

import static dev.onlyonce.broker.rocketmq.Cluster.message;
import static dev.onlyonce.broker.rocketmq.Cluster.numbers;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.messaging.Acknowledge;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.services.RocketMqServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The consumer of core over RocketMQ, each time beside a reader that handles what comes. */
@ExtendWith(Servers.class)
class RocketConsumerTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int QUEUES = 4;
  private static final int MESSAGES = 200;

  private final String group = Cluster.name("billing");
  private final String naiveGroup = Cluster.name("naive");
  private final List<String> handled = new CopyOnWriteArrayList<>();
  private final MemoryStore store = MemoryStore.builder().forgetful().build();
  private final OnlyOnce<@Nullable Void> once =
      OnlyOnce.builder(store)
          .scope("billing")
          .onInDoubt(OnInDoubt.PARK)
          .onFailure(OnFailure.defaults().attempts(1))
          .build();
  private Cluster cluster;
  private RocketPublisher publisher;
  private String topic;

  @BeforeEach
  void connect(@Shared RocketMqServer server) {
    cluster = new Cluster(server);
    publisher = cluster.publisher();
    topic = cluster.topic(QUEUES);
  }

  @AfterEach
  void disconnect() {
    once.close();
    publisher.close();
  }

  @Test
  void what_a_producer_sends_again_is_handled_once() {
    send(0, MESSAGES);
    send(0, MESSAGES);

    try (MessageConsumer consumer = consumer(Acknowledge.EACH)) {
      Await.until("some", PATIENCE, () -> handled.size() >= MESSAGES);
    }
    assertThat(handled).containsExactlyInAnyOrderElementsOf(numbers(0, MESSAGES));

    try (Reader naive = new Reader(cluster.source(naiveGroup, topic))) {
      assertThat(naive.read(2 * MESSAGES).bodies()).hasSize(2 * MESSAGES);
    }
  }

  @Test
  void what_the_broker_delivers_again_is_handled_once() {
    send(0, MESSAGES);
    MessageConsumer unacknowledged = consumer(Acknowledge.MANUAL);
    Await.until("all", PATIENCE, () -> handled.size() == MESSAGES);
    unacknowledged.close();
    send(MESSAGES, MESSAGES + 1);

    try (MessageConsumer consumer = consumer(Acknowledge.EACH)) {
      Await.until("the new one", PATIENCE, () -> handled.size() > MESSAGES);
    }
    assertThat(handled).containsExactlyInAnyOrderElementsOf(numbers(0, MESSAGES + 1));

    try (Reader naive = new Reader(cluster.source(naiveGroup, topic))) {
      naive.read(MESSAGES + 1);
    }
    try (Reader naive = new Reader(cluster.source(naiveGroup, topic))) {
      assertThat(naive.read(MESSAGES + 1).bodies()).contains("0");
    }
  }

  @Test
  void what_changes_hands_is_handled_once() {
    send(0, MESSAGES);
    MessageConsumer first = consumer(Acknowledge.MANUAL);
    Await.until("all", PATIENCE, () -> handled.size() == MESSAGES);
    try (MessageConsumer second = consumer(Acknowledge.EACH)) {
      send(MESSAGES, 2 * MESSAGES);
      Await.until("all", PATIENCE, () -> handled.size() >= 2 * MESSAGES);
      first.close();
      send(2 * MESSAGES, 3 * MESSAGES);
      Await.until("the others", PATIENCE, () -> handled.size() >= 3 * MESSAGES);
    }
    assertThat(handled).containsExactlyInAnyOrderElementsOf(numbers(0, 3 * MESSAGES));

    try (Reader naive = new Reader(cluster.source(naiveGroup, topic))) {
      naive.read(3 * MESSAGES);
      try (Reader other = new Reader(cluster.source(naiveGroup, topic))) {
        Reader.until(
            () -> !naive.lost.isEmpty() && !other.arrivals.isEmpty(),
            () -> {
              naive.poll();
              other.poll();
            });
        assertThat(naive.bodies()).containsAll(other.bodies());
      }
    }
  }

  @Test
  void a_broker_that_is_killed_loses_nothing_and_has_nothing_handled_twice(RocketMqServer own) {
    cluster = new Cluster(own);
    topic = cluster.topic(QUEUES);
    publisher.close();
    publisher = cluster.publisher();
    send(0, MESSAGES);
    try (MessageConsumer consumer = consumer(Acknowledge.EACH)) {
      Await.until("all", PATIENCE, () -> handled.size() == MESSAGES);
      own.kill();
      own.restart();
      Await.until("it can be reached", PATIENCE, () -> isSent(MESSAGES));
      send(MESSAGES + 1, 2 * MESSAGES);
      Await.until("all", PATIENCE, () -> handled.size() >= 2 * MESSAGES);
      assertThat(consumer.ended()).isNotDone();
    }
    assertThat(handled).containsExactlyInAnyOrderElementsOf(numbers(0, 2 * MESSAGES));
  }

  private boolean isSent(int number) {
    String id = Integer.toString(number);
    return publisher
        .publish(List.of(message(id, topic, "order-" + id, id)))
        .equals(List.of(new Confirmed()));
  }

  private MessageConsumer consumer(Acknowledge acknowledge) {
    return once.consume(cluster.source(group, topic))
        .keys(RocketKeys.messageKeys())
        .handler(this::handle)
        .deadLetters(DeadLetters.discard())
        .acknowledge(acknowledge)
        .start();
  }

  private void handle(Delivery delivery) {
    handled.add(new String(delivery.body(), UTF_8));
  }

  private void send(int from, int to) {
    List<Message> batch = new ArrayList<>();
    for (String id : numbers(from, to)) {
      batch.add(message(id, topic, "order-" + id, id));
    }
    assertThat(publisher.publish(batch)).hasOnlyElementsOfType(Confirmed.class);
  }
}
