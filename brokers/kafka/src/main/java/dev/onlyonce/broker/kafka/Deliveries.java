package dev.onlyonce.broker.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.spi.Delivery;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Makes deliveries of records. */
final class Deliveries {
  private static final byte[] NOTHING = {};

  private Deliveries() {}

  static Delivery of(ConsumerRecord<byte[], byte[]> record, Uuid topicId) {
    byte[] value = record.value();
    return new Delivery(
        record.topic() + "-" + record.partition(),
        Long.toString(record.offset()),
        record.key(),
        orderingKey(record.key()),
        record.timestamp() < 0 ? null : Instant.ofEpochMilli(record.timestamp()),
        headers(record, topicId),
        value == null ? NOTHING : value);
  }

  private static Map<String, List<byte[]>> headers(
      ConsumerRecord<byte[], byte[]> record, Uuid topicId) {
    Map<String, List<byte[]>> headers = new LinkedHashMap<>();
    for (Header header : record.headers()) {
      if (!KafkaHeaders.ABOUT_PLACE.contains(header.key())) {
        byte[] value = header.value();
        headers
            .computeIfAbsent(header.key(), name -> new ArrayList<>(1))
            .add(value == null ? NOTHING : value);
      }
    }
    headers.put(KafkaHeaders.TOPIC_ID, List.of(ascii(topicId.toString())));
    record
        .leaderEpoch()
        .ifPresent(
            epoch -> headers.put(KafkaHeaders.LEADER_EPOCH, List.of(ascii(epoch.toString()))));
    if (record.value() == null) {
      headers.put(KafkaHeaders.TOMBSTONE, List.of(NOTHING));
    }
    return headers;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }

  /**
   * The text of a key, or its digits where it is none. Two keys with one text are kept in order.
   */
  static @Nullable String orderingKey(byte @Nullable [] recordKey) {
    if (recordKey == null) {
      return null;
    }
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(recordKey)).toString();
    } catch (CharacterCodingException e) {
      return "0x" + HexFormat.of().formatHex(recordKey);
    }
  }
}
