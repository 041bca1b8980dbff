package dev.onlyonce.broker.rocketmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Publisher;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageExt;
import org.jspecify.annotations.Nullable;

/** Makes RocketMQ's messages of ours, and deliveries of RocketMQ's. */
final class Messages {
  private static final Set<String> OWN_NAMES = Set.copyOf(MessageConst.STRING_HASH_SET);

  /** What separates properties. */
  private static final String SEPARATORS = "[\\x01\\x02]";

  private Messages() {}

  /**
   * Makes a message to send.
   *
   * @throws IllegalArgumentException if it has something that RocketMQ does not carry
   */
  static Message of(Publisher.Message message) {
    Message made = new Message(message.destination(), message.body());
    byte[] key = message.recordKey();
    made.setKeys(text("record key", key == null ? message.id().getBytes(UTF_8) : key));
    if (message.orderingKey() != null) {
      put(made, MessageConst.PROPERTY_SHARDING_KEY, message.orderingKey());
    }
    message.headers().forEach((name, values) -> putHeader(made, name, values));
    put(made, RocketHeaders.ID, message.id());
    return made;
  }

  private static void putHeader(Message to, String name, List<byte[]> values) {
    if (OWN_NAMES.contains(name) && !name.equals(RocketHeaders.TAG)) {
      throw new IllegalArgumentException(
          "header %s is a name that RocketMQ keeps for itself: rename it".formatted(name));
    }
    if (values.size() > 1) {
      throw new IllegalArgumentException(
          "header %s has %d values, and RocketMQ carries one: join them"
              .formatted(name, values.size()));
    }
    values.forEach(value -> put(to, name, text("header " + name, value)));
  }

  private static void put(Message to, String name, String value) {
    if (!(name + value).replaceAll(SEPARATORS, "").equals(name + value)) {
      throw new IllegalArgumentException(
          "property %s has a character U+0001 or U+0002, which RocketMQ does not carry"
              .formatted(name));
    }
    MessageAccessor.putProperty(to, name, value);
  }

  private static String text(String what, byte[] value) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          what + " is no text in UTF-8, and RocketMQ carries nothing else: encode it", e);
    }
  }

  static Delivery delivery(MessageExt message) {
    return new Delivery(
        source(message),
        Long.toString(message.getQueueOffset()),
        bytes(message.getKeys()),
        message.getProperty(MessageConst.PROPERTY_SHARDING_KEY),
        Instant.ofEpochMilli(message.getBornTimestamp()),
        headers(message),
        message.getBody());
  }

  private static String source(MessageExt message) {
    return "%s-%s-%d".formatted(message.getTopic(), message.getBrokerName(), message.getQueueId());
  }

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : text.getBytes(UTF_8);
  }

  private static Map<String, List<byte[]>> headers(MessageExt message) {
    Map<String, List<byte[]>> headers = new LinkedHashMap<>();
    message
        .getProperties()
        .forEach(
            (name, value) -> {
              if (name.equals(RocketHeaders.TAG) || !isOwn(name)) {
                headers.put(name, List.of(value.getBytes(UTF_8)));
              }
            });
    return headers;
  }

  private static boolean isOwn(String name) {
    return OWN_NAMES.contains(name)
        || name.equals(MessageConst.PROPERTY_SHARDING_KEY)
        || name.startsWith(MessageConst.PROPERTY_TRANSIENT_PREFIX);
  }
}
