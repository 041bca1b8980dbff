package dev.onlyonce.broker.kafka;

import static org.apache.kafka.clients.consumer.ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.AUTO_OFFSET_RESET_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.GROUP_ID_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.ISOLATION_LEVEL_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.METADATA_MAX_AGE_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The settings of a consumer: the user's, checked, and those that follow from what it is for. */
final class ConsumerSettings {
  private static final List<String> SHOWN =
      List.of("auto.offset.reset", "group.instance.id", "group.protocol", "isolation.level");

  private final Map<String, Object> all;

  private ConsumerSettings(Map<String, Object> all) {
    this.all = all;
  }

  /**
   * @throws IllegalArgumentException if one of them contradicts what a source promises
   */
  static ConsumerSettings of(Map<?, ?> given) {
    Map<String, Object> all = Settings.copy(given);
    all.putIfAbsent(ENABLE_AUTO_COMMIT_CONFIG, false);
    all.putIfAbsent(AUTO_OFFSET_RESET_CONFIG, "earliest");
    all.putIfAbsent(ISOLATION_LEVEL_CONFIG, "read_committed");
    all.putIfAbsent(ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    Settings.requireUnbroken(KafkaSettings.ofConsumer(all));
    for (String side : List.of(KEY_DESERIALIZER_CLASS_CONFIG, VALUE_DESERIALIZER_CLASS_CONFIG)) {
      Settings.requireOurs(all, side, ByteArrayDeserializer.class);
      all.put(side, ByteArrayDeserializer.class);
    }
    return new ConsumerSettings(all);
  }

  Map<String, Object> forConsumer() {
    return Map.copyOf(all);
  }

  /** Those that an administrative client knows, too: where the brokers are, and who we are. */
  Map<String, Object> forAdmin() {
    Map<String, Object> shared = new HashMap<>(all);
    shared.keySet().retainAll(AdminClientConfig.configNames());
    return shared;
  }

  /** How long the client believes what it knows of topics. */
  Duration maxAge() {
    long millis = new ConsumerConfig(all).getLong(METADATA_MAX_AGE_CONFIG);
    return Duration.ofMillis(millis);
  }

  /** What works and may lose or double something. */
  List<KafkaFinding> findings() {
    return KafkaSettings.ofConsumer(all);
  }

  String group() {
    return Settings.text(all, GROUP_ID_CONFIG);
  }

  String servers() {
    return Settings.text(all, "bootstrap.servers");
  }

  /** What matters and is no secret. */
  @Override
  public String toString() {
    Map<String, Object> shown = new TreeMap<>(all);
    shown.keySet().retainAll(SHOWN);
    return shown.toString();
  }
}
