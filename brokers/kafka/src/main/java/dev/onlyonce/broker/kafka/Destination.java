package dev.onlyonce.broker.kafka;

import dev.onlyonce.spi.Publisher.Receipt;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * A topic that messages are sent to.
 *
 * @param partitions how many it has
 * @param refusal what becomes of all messages to it; null if they can be sent
 */
record Destination(int partitions, @Nullable Receipt refusal) {

  /**
   * Looks the topic up, once for all messages of a batch: each would wait as long for one that is
   * not there.
   */
  static Destination find(String topic, Producer<?, ?> producer) {
    try {
      return new Destination(producer.partitionsFor(topic).size(), null);
    } catch (KafkaException | IllegalStateException e) {
      return new Destination(0, Receipts.of(topic, e));
    }
  }
}
