package dev.onlyonce.services;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class KafkaBrokerTest extends ServerContract<KafkaBroker> {
  private static final Duration GUARD = Duration.ofMinutes(1);

  private static final String NOTES = "notes";

  @Override
  KafkaBroker start(IntSupplier ports, Map<String, String> settings) {
    return Server.start(new KafkaBroker(settings), ports);
  }

  @Override
  void write(KafkaBroker to, String value) throws Exception {
    create(to, NOTES);
    try (Producer<String, String> producer = producer(to, Map.of("acks", "all"))) {
      producer.send(new ProducerRecord<>(NOTES, value)).get();
    }
  }

  @Override
  List<String> read(KafkaBroker from) {
    return read(from, NOTES);
  }

  private static List<String> read(KafkaBroker from, String topic) {
    TopicPartition partition = new TopicPartition(topic, 0);
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer =
        consumer(from, Map.of("isolation.level", "read_committed"))) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        consumer.poll(Duration.ofSeconds(1)).forEach(it -> values.add(it.value()));
      }
    }
    return values;
  }

  @Override
  String settingOf(KafkaBroker of, String name) throws Exception {
    ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
    try (Admin admin = admin(of)) {
      return admin.describeConfigs(List.of(broker)).all().get().get(broker).get(name).value();
    }
  }

  @Override
  Map.Entry<String, String> unsafeSetting() {
    return Map.entry("unclean.leader.election.enable", "true");
  }

  @Override
  Map.Entry<String, String> refusedSetting() {
    return Map.entry("num.partitions", "seventeen");
  }

  @Test
  void a_transaction_commits_what_it_sent_and_its_offsets_together() throws Exception {
    create(server(), "in");
    create(server(), "out");
    TopicPartition in = new TopicPartition("in", 0);
    try (Consumer<String, String> consumer = consumer(server(), Map.of("group.id", "copiers"));
        Producer<String, String> producer =
            producer(server(), Map.of("transactional.id", "copier"))) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("out", "copied")).get();
      producer.sendOffsetsToTransaction(
          Map.of(in, new OffsetAndMetadata(1)), consumer.groupMetadata());
      producer.commitTransaction();
    }

    // A commit is decided when it is answered; its markers follow.
    assertThat(Await.until(GUARD, () -> read(server(), "out").equals(List.of("copied")))).isTrue();
    var settled = new ListConsumerGroupOffsetsOptions().requireStable(true);
    try (Admin admin = admin(server())) {
      assertThat(
              admin
                  .listConsumerGroupOffsets("copiers", settled)
                  .partitionsToOffsetAndMetadata()
                  .get())
          .containsEntry(in, new OffsetAndMetadata(1, Optional.empty(), ""));
    }
  }

  @Test
  void a_topic_is_not_made_by_being_used() {
    try (Admin admin = admin(server())) {
      assertThatThrownBy(() -> admin.describeTopics(List.of("nowhere")).allTopicNames().get())
          .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
    }
  }

  private static void create(KafkaBroker in, String topic) throws Exception {
    try (Admin admin = admin(in)) {
      admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
  }

  private static Admin admin(KafkaBroker of) {
    return Admin.create(Map.of("bootstrap.servers", of.url()));
  }

  private static Producer<String, String> producer(KafkaBroker of, Map<String, Object> settings) {
    return new KafkaProducer<>(of(of, settings), new StringSerializer(), new StringSerializer());
  }

  private static Consumer<String, String> consumer(KafkaBroker of, Map<String, Object> settings) {
    return new KafkaConsumer<>(
        of(of, settings), new StringDeserializer(), new StringDeserializer());
  }

  private static Map<String, Object> of(KafkaBroker broker, Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put("bootstrap.servers", broker.url());
    return all;
  }
}
