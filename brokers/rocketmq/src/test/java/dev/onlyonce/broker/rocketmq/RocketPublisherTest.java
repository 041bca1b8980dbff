package dev.onlyonce.broker.rocketmq;

import static dev.onlyonce.broker.rocketmq.Cluster.bytes;
import static dev.onlyonce.broker.rocketmq.Cluster.message;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.services.RocketMqServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.spi.Publisher.Receipt;
import dev.onlyonce.spi.Publisher.Refused;
import dev.onlyonce.spi.Publisher.Unknown;
import dev.onlyonce.spi.Source.Arrival;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class RocketPublisherTest {
  private Cluster cluster;
  private RocketPublisher publisher;

  @BeforeEach
  void connect(@Shared RocketMqServer server) {
    cluster = new Cluster(server);
    publisher = cluster.publisher();
  }

  @AfterEach
  void disconnect() {
    publisher.close();
  }

  private List<Arrival> read(String topic, int count) {
    try (Reader reader = new Reader(cluster.source(Cluster.name("readers"), topic))) {
      return reader.read(count).arrivals;
    }
  }

  @Test
  void a_message_arrives_with_all_that_it_has() {
    String topic = cluster.topic(4);
    Map<String, List<byte[]>> headers =
        Map.of("type", List.of(bytes("pay pal")), RocketHeaders.TAG, List.of(bytes("paid")));
    Message keyed =
        new Message("id-1", topic, bytes("record key"), "order-1", headers, bytes("body"));

    assertThat(publisher.publish(List.of(keyed, message("id-2", topic, null, "other"))))
        .containsExactly(new Confirmed(), new Confirmed());

    List<Delivery> deliveries = read(topic, 2).stream().map(Arrival::delivery).toList();
    assertThat(deliveries)
        .anySatisfy(
            it -> {
              assertThat(it.recordKey()).isEqualTo(bytes("record key"));
              assertThat(it.orderingKey()).isEqualTo("order-1");
              assertThat(it.headers())
                  .containsOnlyKeys("type", RocketHeaders.TAG, RocketHeaders.ID);
              assertThat(it.headers().get("type")).containsExactly(bytes("pay pal"));
              assertThat(it.headers().get(RocketHeaders.TAG)).containsExactly(bytes("paid"));
              assertThat(it.headers().get(RocketHeaders.ID)).containsExactly(bytes("id-1"));
              assertThat(it.body()).isEqualTo(bytes("body"));
              assertThat(it.source()).startsWith(topic + "-");
              assertThat(it.sentAt()).isNotNull();
            })
        .anySatisfy(
            it -> {
              assertThat(it.recordKey()).isEqualTo(bytes("id-2"));
              assertThat(it.orderingKey()).isNull();
            });
  }

  @Test
  void copies_of_a_message_meet_in_one_queue() {
    String topic = cluster.topic(8);
    List<Message> once = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      once.add(message("id-" + i, topic, i % 2 == 0 ? null : "order-" + i, "body"));
    }
    publisher.publish(once);
    publisher.publish(once);

    Map<String, List<String>> lanesById = new HashMap<>();
    for (Arrival arrival : read(topic, 80)) {
      String id = new String(arrival.delivery().headers().get(RocketHeaders.ID).get(0), UTF_8);
      lanesById.computeIfAbsent(id, it -> new ArrayList<>()).add(arrival.lane());
    }
    assertThat(lanesById).hasSize(40);
    assertThat(lanesById.values())
        .allSatisfy(lanes -> assertThat(lanes).hasSize(2))
        .allSatisfy(lanes -> assertThat(new HashSet<>(lanes)).hasSize(1));
    assertThat(Set.copyOf(lanesById.values())).hasSizeGreaterThan(3);
  }

  @Test
  void each_message_has_its_own_receipt() {
    String topic = cluster.topic(1);
    byte[] noText = {(byte) 0xff};
    Map<String, List<byte[]>> two = Map.of("type", List.of(bytes("a"), bytes("b")));

    List<Receipt> receipts =
        publisher.publish(
            List.of(
                message("1", topic, "a", "first"),
                message("2", topic, "a", "x".repeat(5_000_000)),
                message("3", "nowhere", "a", "lost"),
                message("4", topic, "a", ""),
                new Message("5", topic, noText, "a", Map.of(), bytes("binary key")),
                new Message("6", topic, null, "a", two, bytes("two values")),
                new Message(
                    "7", topic, null, "a", Map.of("WAIT", List.of(bytes("false"))), bytes("own")),
                message("8", topic, "a", "last")));

    assertThat(receipts.get(0)).isEqualTo(new Confirmed());
    assertThat(receipts.subList(1, 7)).allSatisfy(it -> assertThat(it).isInstanceOf(Refused.class));
    assertThat(receipts.get(2).toString()).contains("nowhere");
    assertThat(receipts.get(4).toString()).contains("record key is no text");
    assertThat(receipts.get(5).toString()).contains("header type has 2 values");
    assertThat(receipts.get(6).toString()).contains("header WAIT");
    assertThat(receipts.get(7)).isEqualTo(new Confirmed());
    assertThat(Reader.bodies(read(topic, 2))).containsExactly("first", "last");
  }

  @Test
  void what_no_broker_answers_is_unknown(RocketMqServer own) {
    Cluster lonely = new Cluster(own);
    String topic = lonely.topic(1);
    try (RocketPublisher sender = lonely.publisher()) {
      assertThat(sender.publish(List.of(message("1", topic, "a", "before"))))
          .containsExactly(new Confirmed());
      own.kill();
      assertThat(sender.publish(List.of(message("2", topic, "a", "nowhere"))))
          .first()
          .isInstanceOf(Unknown.class);
      own.restart();
    }
  }
}
