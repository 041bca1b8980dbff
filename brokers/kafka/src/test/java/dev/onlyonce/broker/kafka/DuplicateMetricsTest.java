package dev.onlyonce.broker.kafka;

import static dev.onlyonce.broker.kafka.Cluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.services.KafkaBroker;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.JMX;
import javax.management.ObjectName;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class DuplicateMetricsTest {

  @Test
  void copies_redeliveries_and_what_has_no_key_are_counted_in_any_application(
      @Shared KafkaBroker broker) throws Exception {
    try (Cluster cluster = new Cluster(broker)) {
      TopicPartition partition = new TopicPartition(cluster.topic(1), 0);
      try (Producer<byte[], byte[]> producer = cluster.producer()) {
        for (String id : new String[] {"a", "b", "a", null, null, "a", ""}) {
          ProducerRecord<byte[], byte[]> record =
              new ProducerRecord<>(partition.topic(), 0, bytes("order"), bytes("paid"));
          if (id != null) {
            record.headers().add("payment-id", bytes(id));
          }
          producer.send(record).get();
        }
      }
      try (Consumer<String, String> application =
          new KafkaConsumer<>(
              cluster.settings(
                  "client.id", partition.topic(),
                  "interceptor.classes", DuplicateMetrics.class.getName(),
                  "onlyonce.duplicates.key", "header:payment-id"),
              new StringDeserializer(),
              new StringDeserializer())) {
        application.assign(List.of(partition));
        application.seekToBeginning(List.of(partition));
        read(application, 7);
        application.seek(partition, 5);
        read(application, 2);

        DuplicateMetricsMXBean figures = figures(partition.topic());
        assertThat(figures.getRecords()).isEqualTo(9);
        assertThat(figures.getCopies()).isEqualTo(2);
        assertThat(figures.getRedeliveries()).isEqualTo(2);
        assertThat(figures.getKeyless()).isEqualTo(3);
        assertThat(figures.getRemembered()).isEqualTo(2);
      }
      assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(name(partition.topic())))
          .isFalse();
    }
  }

  @Test
  void no_more_keys_are_remembered_than_was_said() {
    DuplicateCounts counts = new DuplicateCounts(2);
    TopicPartition partition = new TopicPartition("orders", 0);
    long offset = 0;
    for (String key : List.of("a", "b", "b", "c", "a")) {
      counts.count(partition, offset++, bytes(key));
    }
    assertThat(counts.getCopies()).isEqualTo(1); // a was forgotten for c
    assertThat(counts.getRemembered()).isEqualTo(2);
  }

  @Test
  void two_consumers_of_one_client_id_are_both_shown() throws Exception {
    DuplicateMetrics first = new DuplicateMetrics();
    DuplicateMetrics second = new DuplicateMetrics();
    first.configure(Map.of("client.id", "twins"));
    second.configure(Map.of("client.id", "twins"));
    assertThat(figures("twins").getRecords()).isZero();
    assertThat(figures("twins-2").getRecords()).isZero();
    first.close();
    second.close();
    assertThat(
            ManagementFactory.getPlatformMBeanServer()
                .queryNames(
                    new ObjectName("dev.onlyonce.kafka:type=Duplicates,client-id=\"twins*\""),
                    null))
        .isEmpty();
  }

  @Test
  void settings_without_a_meaning_are_refused() {
    assertThatThrownBy(
            () -> new DuplicateMetrics().configure(Map.of("onlyonce.duplicates.key", "heder:id")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("must be record-key, or header: and a name");
    assertThatThrownBy(
            () -> new DuplicateMetrics().configure(Map.of("onlyonce.duplicates.remember", "0")))
        .hasMessageContaining("must be 1 to 10000000");
  }

  private static void read(Consumer<?, ?> consumer, int count) {
    AtomicInteger read = new AtomicInteger();
    Reader.until(
        () -> read.get() >= count,
        () -> read.addAndGet(consumer.poll(Duration.ofMillis(100)).count()));
  }

  private static ObjectName name(String clientId) throws Exception {
    return new ObjectName(
        "dev.onlyonce.kafka:type=Duplicates,client-id=" + ObjectName.quote(clientId));
  }

  private static DuplicateMetricsMXBean figures(String clientId) throws Exception {
    return JMX.newMXBeanProxy(
        ManagementFactory.getPlatformMBeanServer(), name(clientId), DuplicateMetricsMXBean.class);
  }
}
