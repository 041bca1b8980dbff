package dev.onlyonce.broker.kafka;

import static dev.onlyonce.broker.kafka.Cluster.bytes;
import static dev.onlyonce.broker.kafka.Cluster.numbers;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Backoff;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.messaging.Retries;
import dev.onlyonce.services.KafkaBroker;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The consumer of core over Kafka. */
@ExtendWith(Servers.class)
class KafkaConsumerTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int PARTITIONS = 4;

  private final String group = Cluster.name("billing");
  private final List<String> handled = new CopyOnWriteArrayList<>();
  private final MemoryStore store = MemoryStore.builder().forgetful().build();
  private final OnlyOnce<@Nullable Void> once =
      OnlyOnce.builder(store).scope("billing").onInDoubt(OnInDoubt.RERUN).build();
  private Cluster cluster;
  private KafkaPublisher publisher;
  private String topic;

  @BeforeEach
  void connect(@Shared KafkaBroker broker) throws Exception {
    cluster = new Cluster(broker);
    publisher = KafkaPublisher.open(cluster.settings());
    topic = cluster.topic(PARTITIONS);
  }

  @AfterEach
  void disconnect() {
    once.close();
    publisher.close();
    cluster.close();
  }

  @ParameterizedTest
  @EnumSource
  @Semantics({3, 84, 86})
  void copies_are_handled_once_while_consumers_come_and_go(RebalanceTest.Protocol protocol)
      throws Exception {
    String[] settings = {protocol.setting(), protocol.value()};
    send(0, 1_000);
    MessageConsumer first = consumer(this::handle, settings);
    Await.until("some", PATIENCE, () -> handled.size() > 100);
    try (MessageConsumer second = consumer(this::handle, settings)) {
      send(0, 2_000); // each of the first thousand again
      Await.until("most", PATIENCE, () -> handled.size() > 1_500);
      first.close();
      Await.until("all", PATIENCE, () -> handled.size() == 2_000 && isDone());
    }
    assertThat(handled).containsExactlyInAnyOrderElementsOf(numbers(0, 2_000));
  }

  @Test
  @Semantics(85)
  void a_handler_may_take_longer_than_the_poll_interval() throws Exception {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    try (MessageConsumer slow =
            consumer(
                it -> {
                  mayGoOn.await();
                  handle(it);
                },
                "max.poll.interval.ms",
                "1000");
        Reader other = new Reader(KafkaSource.with(settings()).topics(topic).open())) {
      send(0, 1);
      long end = System.nanoTime() + Duration.ofSeconds(4).toNanos();
      other.pollUntil(() -> System.nanoTime() - end > 0);
      mayGoOn.countDown();
      Await.until("handled", PATIENCE, () -> handled.size() == 1 && slow.underWay() == 0);
      assertThat(handled).containsExactly("0");
    }
  }

  @Test
  @Semantics({6, 88})
  void a_message_that_fails_waits_in_a_retry_topic_and_its_offset_is_passed() throws Exception {
    String retries = cluster.topic(PARTITIONS);
    Set<String> failed = ConcurrentHashMap.newKeySet();
    OnlyOnce<@Nullable Void> patient =
        OnlyOnce.builder(store)
            .scope("retries")
            .onInDoubt(OnInDoubt.RERUN)
            .onFailure(OnFailure.defaults().backoff(Backoff.fixed(Duration.ofSeconds(1))))
            .build();
    send(0, 100);
    try (patient;
        MessageConsumer consumer =
            patient
                .consume(KafkaSource.with(settings()).topics(topic, retries).open())
                .keys(KafkaKeys.header("payment-id"))
                .orderBy(delivery -> null)
                .handler(
                    delivery -> {
                      if (failed.add(new String(delivery.body(), UTF_8))) {
                        throw new IllegalStateException("not yet");
                      }
                      handle(delivery);
                    })
                .retries(Retries.to(publisher, (delivery, delay) -> Optional.of(retries)))
                .deadLetters(DeadLetters.discard())
                .start()) {
      Await.until(
          "all",
          PATIENCE,
          () -> handled.size() == 100 && committed(topic) + committed(retries) == 200);
      assertThat(consumer.underWay()).isZero();
    }
    assertThat(handled).containsExactlyInAnyOrderElementsOf(numbers(0, 100));
  }

  private void handle(Delivery delivery) {
    handled.add(new String(delivery.body(), UTF_8));
  }

  private interface Handling {
    void handle(Delivery delivery) throws Exception;
  }

  private MessageConsumer consumer(Handling handling, String... more) {
    return once.consume(KafkaSource.with(settings(more)).topics(topic).open())
        .keys(KafkaKeys.header("payment-id"))
        .handler(delivery -> handling.handle(delivery))
        .deadLetters(DeadLetters.discard())
        .start();
  }

  private Map<String, Object> settings(String... more) {
    Map<String, Object> settings = cluster.settings(more);
    settings.put("group.id", group);
    return settings;
  }

  private void send(int from, int to) {
    List<Message> batch = new ArrayList<>();
    for (String id : numbers(from, to)) {
      batch.add(
          new Message(
              id, topic, null, "order-" + id, Map.of("payment-id", List.of(bytes(id))), bytes(id)));
    }
    assertThat(publisher.publish(batch)).hasOnlyElementsOfType(Confirmed.class);
  }

  /** Whether all that was sent is committed. */
  private boolean isDone() {
    return committed(topic) == 3_000;
  }

  private long committed(String of) {
    try {
      return cluster.committed(group, of, 0, 1, 2, 3).stream()
          .mapToLong(it -> Math.max(0, it))
          .sum();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
