package dev.onlyonce.broker.kafka;

import static dev.onlyonce.broker.kafka.Cluster.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.services.KafkaBroker;
import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.SourceException.Kind;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A broker that dies, and one that does not allow everything. */
class BrokerFailureTest {
  private static KafkaBroker broker;

  private final String group = Cluster.name("billing");
  private Cluster cluster;

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
  }

  @AfterEach
  void disconnect() {
    cluster.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void a_broker_that_is_killed_and_comes_back_is_told_and_nothing_is_lost(String protocol)
      throws Exception {
    String topic = cluster.topic(1);
    cluster.send(topic, 0, 0, 100);
    try (Reader reader = reader(topic, protocol).read(100)) {
      broker.kill();
      reader.pollUntil(() -> !reader.passing.isEmpty());
      reader.acknowledge(0, 1, 2);
      broker.restart();
      cluster.send(topic, 0, 100, 200);
      reader.pollUntil(() -> reader.bodies().contains("199"));
      assertThat(reader.bodies().stream().distinct()).containsExactlyElementsOf(numbers(0, 200));
      reader.acknowledgeAll();
      reader.pollOnUntil(() -> committed(topic) == 200);
    }
  }

  @Test
  void a_topic_that_may_not_be_read_ends_the_source_with_a_remedy() throws Exception {
    String topic = cluster.topic(1);
    cluster.deny(ResourceType.TOPIC, topic, AclOperation.READ);
    try (Reader reader = reader(topic, "classic")) {
      assertThatThrownBy(() -> reader.read(1))
          .isInstanceOfSatisfying(
              SourceException.class, it -> assertThat(it.kind()).isEqualTo(Kind.FINAL))
          .hasMessageContaining("READ on topic " + topic + " is not allowed")
          .hasMessageContaining("kafka-acls --add");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void a_group_that_may_not_be_joined_ends_the_source_with_a_remedy(String protocol)
      throws Exception {
    String topic = cluster.topic(1);
    cluster.deny(ResourceType.GROUP, group, AclOperation.READ);
    try (Reader reader = reader(topic, protocol)) {
      assertThatThrownBy(() -> reader.read(1))
          .isInstanceOfSatisfying(
              SourceException.class, it -> assertThat(it.kind()).isEqualTo(Kind.FINAL))
          .hasMessageContaining("READ on group " + group + " is not allowed");
    }
  }

  private Reader reader(String topic, String protocol) {
    return new Reader(
        KafkaSource.with(cluster.settings("group.id", group, "group.protocol", protocol))
            .topics(topic)
            .open());
  }

  private long committed(String topic) {
    try {
      return cluster.committed(group, topic, 0);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
