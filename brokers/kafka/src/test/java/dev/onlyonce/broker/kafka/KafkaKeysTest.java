package dev.onlyonce.broker.kafka;

import static dev.onlyonce.broker.kafka.Cluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.services.KafkaBroker;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import dev.onlyonce.spi.KeyExtractor.Reason;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KafkaKeysTest {

  @Test
  void a_record_key_is_the_key_byte_by_byte() {
    assertThat(KafkaKeys.recordKey().extract(delivery(bytes("order-1"), Map.of())))
        .isEqualTo(new Keyed(Key.of("order-1")));
    byte[] noText = {(byte) 0xFF, 0, 1};
    assertThat(KafkaKeys.recordKey().extract(delivery(noText, Map.of())))
        .isEqualTo(new Keyed(Key.ofBytes(noText)));
    byte[] large = new byte[2_000];
    Arrays.fill(large, (byte) 'x');
    assertThat(KafkaKeys.recordKey().extract(delivery(large, Map.of())))
        .isEqualTo(new Keyed(Key.digestOf(large)));
  }

  @Test
  @Semantics({36, 49})
  @Case(5)
  void what_is_missing_or_blank_is_no_key() {
    assertThat(reason(KafkaKeys.recordKey(), delivery(null, Map.of()))).isEqualTo(Reason.MISSING);
    assertThat(reason(KafkaKeys.recordKey(), delivery(bytes(""), Map.of())))
        .isEqualTo(Reason.EMPTY);
    assertThat(reason(KafkaKeys.recordKey(), delivery(bytes(" \t"), Map.of())))
        .isEqualTo(Reason.EMPTY);
    assertThat(reason(KafkaKeys.header("id"), delivery(null, Map.of()))).isEqualTo(Reason.MISSING);
    assertThat(reason(KafkaKeys.header("id"), delivery(null, Map.of("id", List.of(bytes(""))))))
        .isEqualTo(Reason.EMPTY);
    Unkeyed found = (Unkeyed) KafkaKeys.header("id").extract(delivery(null, Map.of()));
    assertThat(found.detail()).isEqualTo("orders-3 at offset 17: header id is missing");
  }

  @Test
  void a_header_that_comes_twice_is_a_key_only_if_it_says_the_same() {
    assertThat(
            KafkaKeys.header("id")
                .extract(delivery(null, Map.of("id", List.of(bytes("a"), bytes("a"))))))
        .isEqualTo(new Keyed(Key.of("a")));
    assertThat(
            reason(
                KafkaKeys.header("id"),
                delivery(null, Map.of("id", List.of(bytes("a"), bytes("b"))))))
        .isEqualTo(Reason.UNDECODABLE);
  }

  @Test
  @Semantics({90, 91})
  void a_place_is_that_of_one_record_and_stays_when_the_broker_comes_back() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start();
        Cluster cluster = new Cluster(broker)) {
      String topic = cluster.topic(2);
      cluster.send(topic, 0, 0, 10);
      cluster.send(topic, 1, 0, 10);
      List<Extracted> first = places(cluster, topic, 20);
      assertThat(first).hasOnlyElementsOfType(Keyed.class).doesNotHaveDuplicates();

      broker.kill();
      broker.restart();
      assertThat(places(cluster, topic, 20)).containsExactlyInAnyOrderElementsOf(first);

      cluster.admin().deleteTopics(List.of(topic)).all().get();
      cluster.create(topic, 2, Map.of());
      cluster.send(topic, 0, 0, 10);
      assertThat(places(cluster, topic, 10)).doesNotContainAnyElementsOf(first);
    }
  }

  @Test
  void a_delivery_of_another_source_has_no_place() {
    assertThat(reason(KafkaKeys.place(), delivery(null, Map.of()))).isEqualTo(Reason.MISSING);
  }

  private static List<Extracted> places(Cluster cluster, String topic, int count) {
    KafkaSource source =
        KafkaSource.with(cluster.settings("group.id", Cluster.name("readers")))
            .topics(topic)
            .open();
    try (Reader reader = new Reader(source).read(count)) {
      return reader.arrivals.stream().map(it -> KafkaKeys.place().extract(it.delivery())).toList();
    }
  }

  private static Reason reason(KeyExtractor keys, Delivery delivery) {
    return ((Unkeyed) keys.extract(delivery)).reason();
  }

  private static Delivery delivery(byte[] recordKey, Map<String, List<byte[]>> headers) {
    return new Delivery("orders-3", "17", recordKey, null, null, headers, bytes("body"));
  }
}
