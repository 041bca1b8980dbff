package dev.onlyonce.broker.kafka;

import static dev.onlyonce.broker.kafka.Cluster.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.services.KafkaBroker;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.spi.Source.Arrival;
import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.SourceException.Kind;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.Semantics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Positions that are kept beside claims and effects, and not in Kafka. */
@ExtendWith(Servers.class)
class StartPositionsTest {
  private final String group = Cluster.name("billing");
  private final Map<String, Position> kept = new HashMap<>();
  private Cluster cluster;

  @BeforeEach
  void connect(@Shared KafkaBroker broker) {
    cluster = new Cluster(broker);
  }

  @AfterEach
  void disconnect() {
    cluster.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void a_lane_begins_where_its_position_says_and_nothing_is_committed(String protocol)
      throws Exception {
    String topic = cluster.topic(2);
    cluster.send(topic, 0, 0, 50);
    cluster.send(topic, 1, 50, 100);
    try (Reader reader = reader(topic, protocol).read(100)) {
      for (Arrival arrival : reader.arrivals) {
        if (arrival.number() < 30) {
          kept.merge(
              arrival.lane(),
              new Position(0, arrival.number() + 1),
              (a, b) -> a.compareTo(b) > 0 ? a : b);
        }
      }
      reader.acknowledgeAll();
      reader.pollOn();
    }
    assertThat(cluster.committed(group, topic, 0, 1)).containsExactly(-1L, -1L);

    try (Reader next = reader(topic, protocol).read(40)) {
      next.pollOn();
      assertThat(next.arrivals).hasSize(40).extracting(Arrival::number).allMatch(it -> it >= 30);
    }
  }

  @Test
  void a_lane_that_changes_hands_begins_at_the_position_of_then() throws Exception {
    String topic = cluster.topic(2);
    cluster.send(topic, 0, 0, 50);
    cluster.send(topic, 1, 50, 100);
    try (Reader first = reader(topic, "classic").read(100)) {
      first.arrivals.forEach(it -> kept.put(it.lane(), new Position(0, 45)));
      try (Reader second = reader(topic, "classic")) {
        Reader.until(
            () -> !second.arrivals.isEmpty(),
            () -> {
              first.poll();
              second.poll();
            });
        assertThat(second.arrivals).extracting(Arrival::number).allMatch(it -> it >= 45);
      }
    }
  }

  @Test
  void nothing_is_read_while_the_positions_cannot_be() throws Exception {
    String topic = cluster.topic(1);
    cluster.send(topic, 0, 0, 10);
    AtomicBoolean isDown = new AtomicBoolean(true);
    KafkaSource source =
        KafkaSource.with(cluster.settings("group.id", group))
            .topics(topic)
            .startAt(
                lanes -> {
                  if (isDown.get()) {
                    throw new StoreException(StoreException.Kind.UNAVAILABLE, "database is down");
                  }
                  return Map.of(lanes.iterator().next(), new Position(0, 7));
                })
            .open();
    try (Reader reader = new Reader(source)) {
      reader.pollUntil(() -> reader.passing.size() >= 3);
      assertThat(reader.arrivals).isEmpty();
      assertThat(reader.passing.get(0)).hasMessageContaining("database is down");
      isDown.set(false);
      assertThat(reader.read(3).bodies()).isEqualTo(numbers(7, 10));
    }
  }

  @Test
  void positions_that_the_store_refuses_to_read_end_the_source() throws Exception {
    KafkaSource source =
        KafkaSource.with(cluster.settings("group.id", group))
            .topics(cluster.topic(1))
            .startAt(
                lanes -> {
                  throw new StoreException(StoreException.Kind.REJECTED, "no transaction");
                })
            .open();
    try (Reader reader = new Reader(source)) {
      assertThatThrownBy(() -> reader.read(1))
          .isInstanceOfSatisfying(
              SourceException.class, it -> assertThat(it.kind()).isEqualTo(Kind.FINAL))
          .hasMessageContaining("no transaction");
    }
  }

  @Test
  @Semantics(91)
  void a_topic_that_is_made_anew_is_read_from_its_beginning() throws Exception {
    String topic = cluster.topic(1);
    cluster.send(topic, 0, 0, 10);
    try (Reader reader = reader(topic, "classic").read(10)) {
      reader.arrivals.forEach(it -> kept.put(it.lane(), new Position(0, it.number() + 1)));
    }
    cluster.admin().deleteTopics(List.of(topic)).all().get();
    cluster.create(topic, 1, Map.of());
    cluster.send(topic, 0, 10, 30);
    try (Reader reader = reader(topic, "classic").read(20)) {
      assertThat(reader.bodies()).isEqualTo(numbers(10, 30));
    }
  }

  private Reader reader(String topic, String protocol) {
    return new Reader(
        KafkaSource.with(cluster.settings("group.id", group, "group.protocol", protocol))
            .topics(topic)
            .startAt(lanes -> Map.copyOf(kept))
            .open());
  }
}
