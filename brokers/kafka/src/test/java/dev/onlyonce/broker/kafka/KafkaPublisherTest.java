package dev.onlyonce.broker.kafka;

import static dev.onlyonce.broker.kafka.Cluster.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.services.KafkaBroker;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.spi.Publisher.Receipt;
import dev.onlyonce.spi.Publisher.Refused;
import dev.onlyonce.spi.Publisher.Unknown;
import dev.onlyonce.spi.Source.Arrival;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KafkaPublisherTest {
  private static KafkaBroker broker;

  private Cluster cluster;
  private KafkaPublisher publisher;

  @BeforeAll
  static void start() {
    broker = KafkaBroker.start(Cluster.WITH_PERMISSIONS);
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @BeforeEach
  void connect() {
    cluster = new Cluster(broker);
    publisher =
        KafkaPublisher.open(
            cluster.settings(
                "max.block.ms",
                "2000",
                "delivery.timeout.ms",
                "3000",
                "request.timeout.ms",
                "1000"));
  }

  @AfterEach
  void disconnect() {
    publisher.close();
    cluster.close();
  }

  @Test
  void a_message_arrives_with_all_that_it_has() throws Exception {
    String topic = cluster.topic(4);
    Message sent =
        new Message(
            "id-1",
            topic,
            bytes("record key"),
            "ordering key",
            Map.of("type", List.of(bytes("a"), bytes("b"))),
            bytes("body"));
    Message deleted =
        new Message(
            "id-2",
            topic,
            null,
            "order-1",
            Map.of(KafkaHeaders.TOMBSTONE, List.of(bytes(""))),
            bytes(""));

    assertThat(publisher.publish(List.of(sent, deleted)))
        .containsExactly(new Confirmed(), new Confirmed());

    List<Delivery> deliveries = read(topic, 2).stream().map(Arrival::delivery).toList();
    assertThat(deliveries)
        .anySatisfy(
            it -> {
              assertThat(it.recordKey()).isEqualTo(bytes("record key"));
              assertThat(it.headers().get("type")).containsExactly(bytes("a"), bytes("b"));
              assertThat(it.headers().get(KafkaHeaders.ID)).containsExactly(bytes("id-1"));
              assertThat(it.body()).isEqualTo(bytes("body"));
            })
        .anySatisfy(
            it -> {
              assertThat(it.orderingKey()).isEqualTo("order-1");
              assertThat(it.headers()).containsKey(KafkaHeaders.TOMBSTONE);
            });
  }

  @Test
  void copies_of_a_message_meet_in_one_partition() throws Exception {
    String topic = cluster.topic(16);
    List<Message> once = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      once.add(message("id-" + i, topic, i % 2 == 0 ? null : "order-" + i, "body"));
    }
    publisher.publish(once);
    try (KafkaPublisher restarted = KafkaPublisher.open(cluster.settings())) {
      restarted.publish(once);
    }

    Map<String, List<String>> lanesById = new HashMap<>();
    for (Arrival arrival : read(topic, 80)) {
      String id = new String(arrival.delivery().headers().get(KafkaHeaders.ID).get(0), UTF_8);
      lanesById.computeIfAbsent(id, it -> new ArrayList<>()).add(arrival.lane());
    }
    assertThat(lanesById).hasSize(40);
    assertThat(lanesById.values())
        .allSatisfy(lanes -> assertThat(lanes).hasSize(2))
        .allSatisfy(lanes -> assertThat(lanes.stream().distinct()).hasSize(1));
    assertThat(IntStream.range(0, 20).mapToObj(it -> lanesById.get("id-" + 2 * it)).distinct())
        .as("lanes of those without a key")
        .hasSizeGreaterThan(5);
  }

  @Test
  void each_message_has_its_own_receipt() throws Exception {
    String topic = cluster.topic(1);
    String denied = cluster.topic(1);
    cluster.deny(ResourceType.TOPIC, denied, AclOperation.WRITE);
    String tooLarge = "x".repeat(2_000_000);

    List<Receipt> receipts =
        publisher.publish(
            List.of(
                message("1", topic, "a", "first"),
                message("2", topic, "a", tooLarge),
                message("3", "nowhere", "a", "lost"),
                message("4", denied, "a", "secret"),
                message("5", "not a topic", "a", "lost"),
                message("6", topic, "a", "last")));

    assertThat(receipts.get(0)).isEqualTo(new Confirmed());
    assertThat(receipts.get(1))
        .isInstanceOfSatisfying(Refused.class, it -> assertThat(it.reason()).contains("TooLarge"));
    assertThat(receipts.get(2))
        .isInstanceOfSatisfying(
            Refused.class, it -> assertThat(it.reason()).contains("topic nowhere"));
    assertThat(receipts.get(3))
        .isInstanceOfSatisfying(
            Refused.class, it -> assertThat(it.reason()).contains("TopicAuthorization"));
    assertThat(receipts.get(4)).isInstanceOf(Refused.class);
    assertThat(receipts.get(5)).isEqualTo(new Confirmed());
    assertThat(Reader.bodies(read(topic, 2))).containsExactly("first", "last");
  }

  @Test
  void a_topic_that_is_not_there_is_waited_for_once_in_a_batch() {
    List<Message> batch =
        IntStream.range(0, 1_000).mapToObj(it -> message("" + it, "nowhere", null, "")).toList();
    assertThat(publisher.publish(batch)).hasSize(1_000).allMatch(Refused.class::isInstance);
  }

  /**
   * With several requests under way, the broker refused the first one, since it was not yet the
   * leader, and took the second; then the first was out of order until it expired.
   */
  @Test
  void what_is_sent_to_a_topic_that_was_just_made_arrives_in_order() throws Exception {
    for (int i = 0; i < 40; i++) {
      String topic = cluster.topic(4);
      try (KafkaPublisher fresh =
          KafkaPublisher.open(
              cluster.settings("delivery.timeout.ms", "3000", "request.timeout.ms", "2000"))) {
        List<Message> batch =
            IntStream.range(0, 500)
                .mapToObj(it -> message("" + it, topic, "order-" + it % 50, "" + it))
                .toList();
        assertThat(fresh.publish(batch)).hasOnlyElementsOfType(Confirmed.class);
        if (i % 10 == 0) {
          Map<String, Integer> last = new HashMap<>();
          for (Arrival arrival : read(topic, 500)) {
            int number = Integer.parseInt(Reader.bodies(List.of(arrival)).get(0));
            Integer before = last.put(arrival.delivery().orderingKey(), number);
            assertThat(number).isGreaterThan(before == null ? -1 : before);
          }
        }
      }
    }
  }

  @Test
  void nothing_is_known_of_a_message_that_is_not_answered() throws Exception {
    String topic = cluster.topic(1);
    publisher.publish(List.of(message("1", topic, "a", "before")));
    broker.pause();
    try {
      assertThat(publisher.publish(List.of(message("2", topic, "a", "meanwhile"))))
          .hasOnlyElementsOfType(Unknown.class);
    } finally {
      broker.resume();
    }
    assertThat(publisher.publish(List.of(message("3", topic, "a", "after"))))
        .containsExactly(new Confirmed());
  }

  @Test
  void settings_by_which_messages_are_lost_or_doubled_are_refused() {
    assertThatThrownBy(() -> KafkaPublisher.open(cluster.settings("acks", "1")))
        .hasMessageContaining("producer: acks is not all");
    assertThatThrownBy(() -> KafkaPublisher.open(cluster.settings("enable.idempotence", "false")))
        .hasMessageContaining("enable.idempotence is false");
    assertThatThrownBy(() -> KafkaPublisher.open(cluster.settings("transactional.id", "a")))
        .hasMessageContaining("transactional.id must be left out");
  }

  private static Message message(String id, String topic, String orderingKey, String body) {
    return new Message(id, topic, null, orderingKey, Map.of(), bytes(body));
  }

  private List<Arrival> read(String topic, int count) {
    KafkaSource source =
        KafkaSource.with(cluster.settings("group.id", Cluster.name("readers")))
            .topics(topic)
            .open();
    try (Reader reader = new Reader(source).read(count)) {
      return reader.arrivals;
    }
  }
}
