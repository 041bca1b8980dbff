package dev.onlyonce.broker.kafka;

import static org.apache.kafka.clients.producer.ProducerConfig.ACKS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.MAX_BLOCK_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION;
import static org.apache.kafka.clients.producer.ProducerConfig.TRANSACTIONAL_ID_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The settings of a producer: the user's, checked, and those that follow from what it is for. */
final class ProducerSettings {
  private static final int BLOCK_MILLIS = 10_000;

  private ProducerSettings() {}

  /** Settings of a producer without transactions. */
  static Map<String, Object> of(Map<?, ?> given) {
    Map<String, Object> all = checked(given);
    if (!Settings.text(all, TRANSACTIONAL_ID_CONFIG).isEmpty()) {
      throw new IllegalArgumentException(
          "transactional.id must be left out, was %s: this producer has no transactions"
              .formatted(Settings.text(all, TRANSACTIONAL_ID_CONFIG)));
    }
    return Map.copyOf(all);
  }

  /** Settings of a producer with transactions. */
  static Map<String, Object> transactional(Map<?, ?> given) {
    Map<String, Object> all = checked(given);
    if (Settings.text(all, TRANSACTIONAL_ID_CONFIG).isEmpty()) {
      throw new IllegalArgumentException(
          "transactional.id must be set: a name that this instance keeps, and no other one has");
    }
    return Map.copyOf(all);
  }

  /**
   * @throws IllegalArgumentException if one of them makes the producer lose, double or reorder
   */
  private static Map<String, Object> checked(Map<?, ?> given) {
    Map<String, Object> all = Settings.copy(given);
    Settings.requireUnbroken(KafkaSettings.ofProducer(all));
    for (String side : List.of(KEY_SERIALIZER_CLASS_CONFIG, VALUE_SERIALIZER_CLASS_CONFIG)) {
      Settings.requireOurs(all, side, ByteArraySerializer.class);
      all.put(side, ByteArraySerializer.class);
    }
    all.put(ENABLE_IDEMPOTENCE_CONFIG, true);
    all.put(ACKS_CONFIG, "all");
    all.putIfAbsent(MAX_BLOCK_MS_CONFIG, BLOCK_MILLIS);
    // A broker takes any sequence from a producer of which it has nothing: also the second one,
    // when
    // it refused the first because it was not the leader yet. The first is out of order ever after.
    all.putIfAbsent(MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    return all;
  }
}
