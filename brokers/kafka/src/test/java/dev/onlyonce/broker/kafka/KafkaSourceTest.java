package dev.onlyonce.broker.kafka;

import static dev.onlyonce.broker.kafka.Cluster.bytes;
import static dev.onlyonce.broker.kafka.Cluster.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.services.KafkaBroker;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Source.Arrival;
import dev.onlyonce.spi.Source.Demand;
import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.SourceException.Kind;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(Servers.class)
class KafkaSourceTest {
  private final String group = Cluster.name("billing");
  private Cluster cluster;

  @BeforeEach
  void connect(@Shared KafkaBroker broker) {
    cluster = new Cluster(broker);
  }

  @AfterEach
  void disconnect() {
    cluster.close();
  }

  @Test
  void a_delivery_has_all_that_the_record_has() throws Exception {
    String topic = cluster.topic(1);
    try (Producer<byte[], byte[]> producer = cluster.producer()) {
      ProducerRecord<byte[], byte[]> record =
          new ProducerRecord<>(topic, 0, 1_700_000_000_123L, bytes("order-1"), bytes("paid"));
      record.headers().add("type", bytes("a")).add("type", bytes("b")).add("none", null);
      record.headers().add(KafkaHeaders.TOPIC_ID, bytes("forged"));
      producer.send(record).get();
      producer.send(new ProducerRecord<>(topic, 0, new byte[] {(byte) 0xFE}, null)).get();
    }

    try (Reader reader = reader(topic).read(2)) {
      Delivery first = reader.arrivals.get(0).delivery();
      assertThat(first.source()).isEqualTo(topic + "-0");
      assertThat(first.position()).isEqualTo("0");
      assertThat(first.recordKey()).isEqualTo(bytes("order-1"));
      assertThat(first.orderingKey()).isEqualTo("order-1");
      assertThat(first.sentAt()).isEqualTo(Instant.ofEpochMilli(1_700_000_000_123L));
      assertThat(first.body()).isEqualTo(bytes("paid"));
      assertThat(first.headers().get("type")).containsExactly(bytes("a"), bytes("b"));
      assertThat(first.headers().get("none")).containsExactly(new byte[0]);
      assertThat(first.headers().get(KafkaHeaders.TOPIC_ID)).containsExactly(bytes(id(topic)));
      assertThat(first.headers()).doesNotContainKey(KafkaHeaders.TOMBSTONE);

      Delivery second = reader.arrivals.get(1).delivery();
      assertThat(second.orderingKey()).isEqualTo("0xfe");
      assertThat(second.body()).isEmpty();
      assertThat(second.headers()).containsKey(KafkaHeaders.TOMBSTONE);

      assertThat(reader.arrivals).extracting(Arrival::lane).containsOnly(topic + "-0@" + id(topic));
      assertThat(reader.arrivals).extracting(Arrival::number).containsExactly(0L, 1L);
    }
  }

  @Test
  @Semantics(83)
  void the_offset_of_the_first_unfinished_record_is_committed() throws Exception {
    String topic = cluster.topic(1);
    cluster.send(topic, 0, 0, 5);
    try (Reader reader = reader(topic).read(5)) {
      reader.acknowledge(0, 1, 3);
      reader.pollOnUntil(() -> committed(topic) == 2);
      reader.acknowledge(4);
      reader.pollOn();
      reader.acknowledge(2);
      reader.pollOnUntil(() -> committed(topic) == 5);
    }
  }

  @Test
  void the_end_commits_what_is_finished_and_leaves_the_rest_to_the_next_one() throws Exception {
    String topic = cluster.topic(1);
    cluster.send(topic, 0, 0, 5);
    try (Reader reader = reader(topic).read(5)) {
      reader.acknowledge(0, 1, 4);
    }
    assertThat(committed(topic)).isEqualTo(2);
    try (Reader next = reader(topic).read(3)) {
      assertThat(next.bodies()).isEqualTo(numbers(2, 5));
    }
  }

  @Test
  void no_more_is_handed_out_than_is_wanted_and_nothing_is_lost() throws Exception {
    String topic = cluster.topic(3);
    for (int partition = 0; partition < 3; partition++) {
      cluster.send(topic, partition, 100 * partition, 100 * partition + 100);
    }
    try (Reader reader = reader(topic)) {
      Reader.until(
          () -> reader.arrivals.size() == 300,
          () -> assertThat(reader.poll(7, Set.of())).hasSizeLessThanOrEqualTo(7));
      for (int partition = 0; partition < 3; partition++) {
        String lane = lane(topic, partition);
        assertThat(
                Reader.bodies(
                    reader.arrivals.stream().filter(it -> it.lane().equals(lane)).toList()))
            .isEqualTo(numbers(100 * partition, 100 * partition + 100));
      }
    }
  }

  @Test
  void a_lane_that_is_full_waits_and_the_others_go_on() throws Exception {
    String topic = cluster.topic(2);
    cluster.send(topic, 0, 0, 1_000);
    try (Reader reader = reader(topic).read(1)) {
      Set<String> full = Set.of(lane(topic, 0));
      int before = reader.arrivals.size();
      cluster.send(topic, 1, 0, 1_000);
      Reader.until(() -> reader.arrivals.size() == before + 1_000, () -> reader.poll(500, full));
      assertThat(reader.arrivals.subList(before, before + 1_000))
          .extracting(Arrival::lane)
          .containsOnly(lane(topic, 1));
      reader.read(2_000);
    }
  }

  @Test
  @Semantics(85)
  void a_consumer_that_wants_nothing_for_longer_than_the_poll_interval_stays_in_the_group()
      throws Exception {
    String topic = cluster.topic(1);
    cluster.send(topic, 0, 0, 10);
    try (Reader reader = reader(topic, "max.poll.interval.ms", "2000").read(10)) {
      long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
      reader.pollOnUntil(() -> System.nanoTime() - end > 0);
      reader.acknowledgeAll();
      reader.pollOnUntil(() -> committed(topic) == 10);
      assertThat(reader.lost).isEmpty();
      assertThat(reader.revoked).isEmpty();
    }
  }

  @Test
  void waking_up_ends_the_wait_and_loses_nothing() throws Exception {
    String topic = cluster.topic(1);
    cluster.send(topic, 0, 0, 1);
    try (Reader reader = reader(topic).read(1)) {
      CompletableFuture<Void> polling =
          CompletableFuture.runAsync(
              () -> reader.source.poll(new Demand(1, Duration.ofHours(1), Set.of()), reader));
      Reader.until(
          polling::isDone,
          () -> {
            reader.source.wakeUp();
            Thread.onSpinWait();
          });
      cluster.send(topic, 0, 1, 2_000);
      Reader.until(
          () -> reader.arrivals.size() == 2_000,
          () -> {
            reader.source.wakeUp();
            reader.poll();
          });
      assertThat(reader.bodies()).isEqualTo(numbers(0, 2_000));
    }
  }

  @Test
  void a_topic_that_is_not_there_ends_the_source_with_a_remedy() {
    try (Reader reader = reader("nowhere")) {
      assertThatThrownBy(() -> reader.read(1))
          .isInstanceOfSatisfying(
              SourceException.class, it -> assertThat(it.kind()).isEqualTo(Kind.FINAL))
          .hasMessageContaining("topic nowhere is not there")
          .hasMessageContaining("create it");
    }
  }

  @Test
  void a_topic_that_is_deleted_ends_the_source() throws Exception {
    String topic = cluster.topic(1);
    cluster.send(topic, 0, 0, 1);
    try (Reader reader = reader(topic, "metadata.max.age.ms", "500").read(1)) {
      cluster.admin().deleteTopics(List.of(topic)).all().get();
      assertThatThrownBy(() -> reader.read(2)).hasMessageContaining(topic + " is not there");
    }
  }

  @Test
  void a_broker_that_is_away_is_a_passing_failure() {
    KafkaSource source =
        KafkaSource.with(Map.of("bootstrap.servers", "127.0.0.1:1", "group.id", group))
            .topics("orders")
            .open();
    try (Reader reader = new Reader(source)) {
      reader.pollUntil(() -> !reader.passing.isEmpty());
      assertThat(reader.passing.get(0)).hasMessageContaining("127.0.0.1:1");
    }
  }

  @Test
  void a_group_without_an_offset_ends_the_source_if_none_is_to_be_made_up() throws Exception {
    String topic = cluster.topic(1);
    try (Reader reader = reader(topic, "auto.offset.reset", "none")) {
      assertThatThrownBy(() -> reader.read(1))
          .isInstanceOfSatisfying(
              SourceException.class, it -> assertThat(it.kind()).isEqualTo(Kind.FINAL))
          .hasMessageContaining("auto.offset.reset is none")
          .hasMessageContaining("kafka-consumer-groups --reset-offsets");
    }
  }

  @Test
  void topics_of_a_pattern_are_read_also_if_they_are_made_later() throws Exception {
    String prefix = Cluster.name("pattern");
    cluster.create(prefix + "-a", 1, Map.of());
    KafkaSource source =
        KafkaSource.with(cluster.settings("group.id", group, "metadata.max.age.ms", "500"))
            .topics(Pattern.compile(prefix + "-.*"))
            .open();
    try (Reader reader = new Reader(source)) {
      cluster.send(prefix + "-a", 0, 0, 1);
      reader.read(1);
      cluster.create(prefix + "-b", 1, Map.of());
      cluster.send(prefix + "-b", 0, 1, 2);
      reader.read(2);
    }
  }

  @Test
  void records_of_an_aborted_transaction_are_not_delivered_and_leave_no_lag() throws Exception {
    String topic = cluster.topic(1);
    try (Producer<byte[], byte[]> producer = cluster.producer("transactional.id", topic)) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic, 0, null, bytes("0"))).get();
      producer.commitTransaction();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic, 0, null, bytes("aborted"))).get();
      producer.abortTransaction();
    }
    try (Reader reader = reader(topic).read(1)) {
      reader.acknowledgeAll();
      reader.pollUntil(() -> committed(topic) == 4); // with two markers
      assertThat(reader.bodies()).containsExactly("0");
    }
  }

  @Test
  void where_it_began_is_committed_so_that_a_crash_skips_nothing() throws Exception {
    String topic = cluster.topic(1);
    cluster.send(topic, 0, 0, 3);
    try (Reader reader = reader(topic, "auto.offset.reset", "latest")) {
      reader.pollUntil(() -> committed(topic) == 3);
      cluster.send(topic, 0, 3, 5);
      reader.read(2);
    }
    try (Reader next = reader(topic, "auto.offset.reset", "latest").read(2)) {
      assertThat(next.bodies()).isEqualTo(numbers(3, 5));
    }
  }

  @ParameterizedTest
  @Semantics(91)
  @ValueSource(ints = {8, 25})
  void a_topic_that_is_made_anew_is_another_lane(int end) throws Exception {
    String topic = cluster.topic(1);
    cluster.send(topic, 0, 0, 5);
    try (Reader reader = reader(topic, "metadata.max.age.ms", "500").read(5)) {
      String old = lane(topic, 0);
      reader.acknowledgeAll();
      reader.pollUntil(() -> committed(topic) == 5);
      cluster.admin().deleteTopics(List.of(topic)).all().get();
      cluster.create(topic, 1, Map.of());
      cluster.send(topic, 0, 5, end);
      String renewed = lane(topic, 0);
      reader.pollUntil(() -> read(reader, renewed).containsAll(numbers(5, end)));
      assertThat(renewed).isNotEqualTo(old);
      assertThat(read(reader, old)).containsAll(numbers(0, 5));
    }
  }

  @Test
  void its_description_names_the_place_and_no_secrets() {
    KafkaSource source =
        KafkaSource.with(
                cluster.settings(
                    "group.id",
                    group,
                    "sasl.jaas.config",
                    "org.apache.kafka.common.security.plain.PlainLoginModule required password=geheim;"))
            .topics("orders")
            .open();
    try (source) {
      assertThat(source.description())
          .contains("orders", group, "isolation.level=read_committed", "auto.offset.reset=earliest")
          .doesNotContain("geheim");
    }
  }

  private static List<String> read(Reader reader, String lane) {
    return Reader.bodies(reader.arrivals.stream().filter(it -> it.lane().equals(lane)).toList());
  }

  private Reader reader(String topic, String... more) {
    Map<String, Object> settings = cluster.settings(more);
    settings.put("group.id", group);
    return new Reader(KafkaSource.with(settings).topics(topic).open());
  }

  private long committed(String topic) {
    try {
      return cluster.committed(group, topic, 0);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private String id(String topic) throws Exception {
    return cluster
        .admin()
        .describeTopics(List.of(topic))
        .allTopicNames()
        .get()
        .get(topic)
        .topicId()
        .toString();
  }

  private String lane(String topic, int partition) throws Exception {
    return topic + "-" + partition + "@" + id(topic);
  }
}
