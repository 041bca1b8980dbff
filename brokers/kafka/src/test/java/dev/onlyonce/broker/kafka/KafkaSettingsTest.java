package dev.onlyonce.broker.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.broker.kafka.KafkaFinding.Level;
import dev.onlyonce.services.KafkaBroker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaSettingsTest {

  @ParameterizedTest
  @CsvSource({
    "enable.idempotence, false, BROKEN",
    "acks, 1, BROKEN",
    "acks, 0, BROKEN",
    "retries, 0, BROKEN",
    "max.in.flight.requests.per.connection, 6, BROKEN",
    "transactional.id, app-6f1c2f0e-8c4b-4a51-9f0c-2f6f0f6f9b11, UNSAFE",
  })
  void a_producer_that_loses_doubles_or_reorders_is_named(
      String setting, String value, Level level) {
    assertThat(KafkaSettings.ofProducer(Map.of(setting, value)))
        .singleElement()
        .satisfies(
            it -> {
              assertThat(it.level()).isEqualTo(level);
              assertThat(it.setting()).isEqualTo(setting);
              assertThat(it.value()).isEqualTo(value);
              assertThat(it.sentence()).startsWith("producer: " + setting);
            });
  }

  @Test
  void a_producer_as_it_should_be_is_not_mentioned() {
    assertThat(KafkaSettings.ofProducer(Map.of())).isEmpty();
    assertThat(
            KafkaSettings.ofProducer(
                Map.of(
                    "enable.idempotence",
                    true,
                    "acks",
                    "-1",
                    "retries",
                    5,
                    "max.in.flight.requests.per.connection",
                    5,
                    "transactional.id",
                    "billing-1")))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "enable.auto.commit, true, BROKEN",
    "isolation.level, read_uncommitted, UNSAFE",
    "auto.offset.reset, latest, UNSAFE",
    "auto.offset.reset, by_duration:PT1H, UNSAFE",
    "group.id, '', BROKEN",
  })
  void a_consumer_that_skips_or_handles_what_it_should_not_is_named(
      String setting, String value, Level level) {
    Map<String, Object> settings = new HashMap<>(good());
    settings.put(setting, value);
    assertThat(KafkaSettings.ofConsumer(settings))
        .singleElement()
        .satisfies(
            it -> {
              assertThat(it.level()).isEqualTo(level);
              assertThat(it.setting()).isEqualTo(setting);
            });
  }

  @Test
  void a_plain_consumer_has_what_kafka_chooses() {
    assertThat(KafkaSettings.ofConsumer(Map.of("group.id", "billing")))
        .extracting(KafkaFinding::setting)
        .containsExactly("enable.auto.commit", "isolation.level", "auto.offset.reset");
    assertThat(KafkaSettings.ofConsumer(good())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"3, 1, UNSAFE", "3, 3, NOTE", "2, 3, NOTE", "3, 2,"})
  void as_many_replicas_are_in_sync_as_one_may_lose_without_losing_anything(
      int replicas, int least, Level level) {
    Config config =
        new Config(List.of(new ConfigEntry("min.insync.replicas", Integer.toString(least))));
    assertThat(TopicSettings.check("orders", replicas, config))
        .extracting(KafkaFinding::level)
        .isEqualTo(level == null ? List.of() : List.of(level));
  }

  @Test
  void topics_that_lose_what_was_acknowledged_are_named() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(Cluster.WITH_PERMISSIONS);
        Cluster cluster = new Cluster(broker)) {
      String topic =
          cluster.topic(
              1, Map.of("unclean.leader.election.enable", "true", "cleanup.policy", "compact"));
      String hidden = cluster.topic(1);
      cluster.deny(ResourceType.TOPIC, hidden, AclOperation.DESCRIBE_CONFIGS);

      List<KafkaFinding> found =
          KafkaSettings.ofTopics(cluster.admin(), List.of(topic, hidden, "nowhere"));

      assertThat(found.stream().filter(it -> it.place().equals("topic " + topic)))
          .extracting(KafkaFinding::setting)
          .containsExactly(
              "replication.factor", "unclean.leader.election.enable", "cleanup.policy");
      assertThat(found.stream().filter(it -> it.place().equals("topic " + hidden)))
          .extracting(KafkaFinding::level)
          .containsExactly(Level.UNSAFE, Level.NOTE);
      assertThat(found.stream().filter(it -> it.place().equals("topic nowhere")))
          .extracting(KafkaFinding::sentence)
          .containsExactly("topic nowhere: name is not there: create it");
    }
  }

  private static Map<String, Object> good() {
    return Map.of(
        "group.id", "billing",
        "enable.auto.commit", false,
        "isolation.level", "read_committed",
        "auto.offset.reset", "earliest");
  }
}
