package dev.onlyonce.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.services.KafkaBroker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** What tests do at a broker beside what they test. */
final class Cluster implements AutoCloseable {
  /** Of a broker that allows what nobody was denied. */
  static final Map<String, String> WITH_PERMISSIONS =
      Map.of(
          "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
          "allow.everyone.if.no.acl.found", "true");

  private static final AtomicInteger NAMES = new AtomicInteger();

  private final String servers;
  private final Admin admin;

  Cluster(KafkaBroker broker) {
    this(broker.url());
  }

  Cluster(String servers) {
    this.servers = servers;
    admin = Admin.create(Map.of("bootstrap.servers", servers));
  }

  String servers() {
    return servers;
  }

  Admin admin() {
    return admin;
  }

  /** A name that no other test uses. */
  static String name(String prefix) {
    return prefix + "-" + NAMES.incrementAndGet();
  }

  /** Makes a topic of a new name. */
  String topic(int partitions) throws Exception {
    return topic(partitions, Map.of());
  }

  String topic(int partitions, Map<String, String> configs) throws Exception {
    String name = name("orders");
    create(name, partitions, configs);
    return name;
  }

  void create(String name, int partitions, Map<String, String> configs) throws Exception {
    admin
        .createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(configs)))
        .all()
        .get();
  }

  /** Has everybody do anything there but this. */
  void deny(ResourceType type, String name, AclOperation operation) throws Exception {
    ResourcePattern resource = new ResourcePattern(type, name, PatternType.LITERAL);
    AccessControlEntry no =
        new AccessControlEntry("User:ANONYMOUS", "*", operation, AclPermissionType.DENY);
    AccessControlEntry other =
        new AccessControlEntry("User:*", "*", AclOperation.ALL, AclPermissionType.ALLOW);
    admin
        .createAcls(List.of(new AclBinding(resource, no), new AclBinding(resource, other)))
        .all()
        .get();
  }

  /** Settings of a client, with pairs of names and values. */
  Map<String, Object> settings(String... more) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", servers);
    for (int i = 0; i < more.length; i += 2) {
      settings.put(more[i], more[i + 1]);
    }
    return settings;
  }

  Producer<byte[], byte[]> producer(String... settings) {
    return new KafkaProducer<>(
        settings(settings), new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Sends numbers as text: {@code from} to {@code to - 1}. */
  void send(String topic, int partition, int from, int to) throws Exception {
    try (Producer<byte[], byte[]> producer = producer()) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = from; i < to; i++) {
        sent.add(
            producer.send(
                new ProducerRecord<>(topic, partition, null, bytes(Integer.toString(i)))));
      }
      for (Future<RecordMetadata> each : sent) {
        each.get();
      }
    }
  }

  static List<String> numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(Integer::toString).toList();
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  /** What the group has committed; -1 for nothing. */
  long committed(String group, String topic, int partition) throws Exception {
    OffsetAndMetadata offset =
        admin
            .listConsumerGroupOffsets(group)
            .partitionsToOffsetAndMetadata()
            .get()
            .get(new TopicPartition(topic, partition));
    return offset == null ? -1 : offset.offset();
  }

  List<Long> committed(String group, String topic, int... partitions) throws Exception {
    List<Long> all = new ArrayList<>();
    for (int partition : partitions) {
      all.add(committed(group, topic, partition));
    }
    return all;
  }

  @Override
  public void close() {
    admin.close();
  }
}
