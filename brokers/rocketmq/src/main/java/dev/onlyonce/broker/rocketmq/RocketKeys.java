package dev.onlyonce.broker.rocketmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Key;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import dev.onlyonce.spi.KeyExtractor.Reason;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import java.util.List;

/**
 * Idempotency keys of RocketMQ's messages. A key inside of the body is found by {@code JsonKeys}.
 * There is none for RocketMQ's own message ids: what a producer sends again has new ones.
 *
 * <p>Keys that are too long are replaced by their digest. Immutable; any number of threads.
 */
public final class RocketKeys {
  private RocketKeys() {}

  /**
   * Returns the extractor of the message's keys ({@code Message.setKeys}), which must name the
   * operation. Where there are several, separated by blanks, all of them together are the key.
   */
  public static KeyExtractor messageKeys() {
    return delivery ->
        delivery.recordKey() == null
            ? because(Reason.MISSING, "keys are missing", delivery)
            : keyed("keys are", delivery.recordKey(), delivery);
  }

  /**
   * Returns the extractor of the value of a property.
   *
   * @param name of the property, such as {@link RocketHeaders#ID}
   */
  public static KeyExtractor header(String name) {
    return delivery -> {
      List<byte[]> values = delivery.headers().getOrDefault(name, List.of());
      return values.isEmpty()
          ? because(Reason.MISSING, "header " + name + " is missing", delivery)
          : keyed("header " + name + " is", values.get(0), delivery);
    };
  }

  private static Extracted keyed(String place, byte[] key, Delivery delivery) {
    return new String(key, UTF_8).isBlank()
        ? because(Reason.EMPTY, place + " blank", delivery)
        : new Keyed(Key.fitting(key, 0, key.length));
  }

  private static Unkeyed because(Reason reason, String why, Delivery delivery) {
    return new Unkeyed(
        reason, "%s at offset %s: %s".formatted(delivery.source(), delivery.position(), why));
  }
}
