package dev.onlyonce.broker.rocketmq;

import static dev.onlyonce.broker.rocketmq.Cluster.message;
import static dev.onlyonce.broker.rocketmq.Cluster.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.services.RocketMqServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.spi.Source.Arrival;
import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.SourceException.Kind;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.remoting.protocol.heartbeat.MessageModel;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class RocketSourceTest {
  private final String group = Cluster.name("billing");
  private Cluster cluster;

  @BeforeEach
  void connect(@Shared RocketMqServer server) {
    cluster = new Cluster(server);
  }

  @Test
  void a_topic_that_is_not_there_is_said_to_be_so() {
    try (Reader reader = new Reader(cluster.source(group, "nowhere"))) {
      assertThatThrownBy(reader::poll)
          .isInstanceOf(SourceException.class)
          .hasMessageContaining("topic nowhere is not there: create it")
          .extracting(it -> ((SourceException) it).kind())
          .isEqualTo(Kind.FINAL);
    }
  }

  @Test
  void a_name_server_that_is_away_may_come_back() {
    DefaultLitePullConsumer consumer = cluster.puller(group);
    consumer.setNamesrvAddr("127.0.0.1:1");
    try (Reader reader = new Reader(RocketSource.with(consumer).topic("orders", "*").open())) {
      Reader.until(() -> !reader.passing.isEmpty(), reader::poll);
      assertThat(reader.passing.get(0)).hasMessageContaining("which may pass");
    }
  }

  @Test
  void only_messages_with_the_tags_arrive() {
    String topic = cluster.topic(1);
    try (RocketPublisher publisher = cluster.publisher()) {
      for (String tag : List.of("paid", "sent", "paid")) {
        Map<String, List<byte[]>> headers = Map.of(RocketHeaders.TAG, List.of(Cluster.bytes(tag)));
        Message message = new Message("id", topic, null, null, headers, Cluster.bytes(tag));
        assertThat(publisher.publish(List.of(message))).containsExactly(new Confirmed());
      }
    }
    try (Reader reader =
        new Reader(RocketSource.with(cluster.puller(group)).topic(topic, "paid").open())) {
      assertThat(reader.read(2).bodies()).containsExactly("paid", "paid");
    }
  }

  @Test
  void a_lane_that_is_full_for_long_is_bounded_and_goes_on() {
    String topic = cluster.topic(1);
    int count = 2_500;
    try (RocketPublisher publisher = cluster.publisher()) {
      List<Message> all =
          numbers(0, count).stream().map(it -> message(it, topic, "a", it)).toList();
      assertThat(publisher.publish(all)).hasOnlyElementsOfType(Confirmed.class);
    }
    try (Reader reader = new Reader(cluster.source(group, topic))) {
      reader.read(1);
      Set<String> full = Set.of(reader.arrivals.get(0).lane());
      for (int i = 0; i < 20; i++) {
        assertThat(reader.poll(500, full)).isEmpty();
      }
      assertThat(reader.read(count).bodies()).isEqualTo(numbers(0, count));
    }
  }

  @Test
  void consumers_that_come_and_go_lose_nothing() {
    String topic = cluster.topic(4);
    int sent = 0;
    Set<String> seen = new HashSet<>();
    try (RocketPublisher publisher = cluster.publisher();
        Reader steady = new Reader(cluster.source(group, topic))) {
      for (int round = 0; round < 4; round++) {
        try (Reader passing = new Reader(cluster.source(group, topic))) {
          for (int step = 0; step < 10; step++) {
            publisher.publish(batch(topic, sent, sent + 20));
            sent += 20;
            pollOnce(steady, seen);
            pollOnce(passing, seen);
          }
          Reader.until(
              () -> !passing.arrivals.isEmpty(),
              () -> {
                pollOnce(steady, seen);
                pollOnce(passing, seen);
              });
        }
      }
      List<String> all = numbers(0, sent);
      Reader.until(() -> seen.containsAll(all), () -> pollOnce(steady, seen));
      assertThat(steady.lost).isNotEmpty();
    }
  }

  private static void pollOnce(Reader reader, Set<String> seen) {
    List<Arrival> got = reader.poll();
    seen.addAll(Reader.bodies(got));
    reader.source.acknowledge(got);
  }

  private static List<Message> batch(String topic, int from, int to) {
    return numbers(from, to).stream().map(it -> message(it, topic, "order-" + it, it)).toList();
  }

  @Test
  void settings_that_lose_messages_are_refused() {
    DefaultLitePullConsumer broadcasting = cluster.puller(group);
    broadcasting.setMessageModel(MessageModel.BROADCASTING);
    assertThatThrownBy(() -> RocketSource.with(broadcasting))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("was BROADCASTING");
    assertThatThrownBy(() -> RocketSource.with(cluster.puller(group)).topic("orders", " "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tags must be *");
    assertThatThrownBy(() -> RocketSource.with(cluster.puller(group)).open())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("topics must be set");
  }
}
