package dev.onlyonce.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.spi.Publisher.Message;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Makes records of messages. */
final class Records {

  private Records() {}

  static ProducerRecord<byte[], byte[]> of(Message message, int partitions) {
    byte[] key = key(message);
    Integer partition = key == null ? partitionOf(message.id(), partitions) : null;
    boolean tombstone =
        message.body().length == 0 && message.headers().containsKey(KafkaHeaders.TOMBSTONE);
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            message.destination(), partition, key, tombstone ? null : message.body());
    record.headers().add(KafkaHeaders.ID, message.id().getBytes(UTF_8));
    message
        .headers()
        .forEach(
            (name, values) -> {
              if (!KafkaHeaders.ABOUT_PLACE.contains(name) && !name.equals(KafkaHeaders.ID)) {
                values.forEach(value -> record.headers().add(name, value));
              }
            });
    return record;
  }

  private static byte @Nullable [] key(Message message) {
    if (message.recordKey() != null) {
      return message.recordKey();
    }
    String ordering = message.orderingKey();
    return ordering == null ? null : ordering.getBytes(UTF_8);
  }

  private static int partitionOf(String id, int partitions) {
    CRC32C hash = new CRC32C();
    hash.update(id.getBytes(UTF_8));
    return (int) (hash.getValue() % partitions);
  }
}
