package dev.onlyonce.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Key;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import dev.onlyonce.spi.KeyExtractor.Reason;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Idempotency keys of Kafka's records. A key inside of the value is found by {@code JsonKeys}.
 *
 * <p>Keys are bytes as they are in the record; those that are too long are replaced by their
 * digest. Immutable; any number of threads.
 */
public final class KafkaKeys {
  private static final Keyless NO_RECORD_KEY = new Keyless("the record's key");

  private KafkaKeys() {}

  /**
   * Returns the extractor of the record's key. It is right only if the record key names an
   * operation: mostly it names what is to stay in order (the order, the account), of which there
   * are many operations, and each but the first would be taken for a duplicate.
   */
  public static KeyExtractor recordKey() {
    return delivery -> {
      byte[] key = delivery.recordKey();
      return key == null ? NO_RECORD_KEY.missing(delivery) : keyed(key, NO_RECORD_KEY, delivery);
    };
  }

  /**
   * Returns the extractor of the value of a header. Where the header comes several times with
   * different values the delivery is undecodable: which of them is meant would be left to chance.
   *
   * @param name of the header, such as {@link KafkaHeaders#ID}
   */
  public static KeyExtractor header(String name) {
    Keyless place = new Keyless("header " + name);
    return delivery -> {
      List<byte[]> values = delivery.headers().getOrDefault(name, List.of());
      if (values.isEmpty()) {
        return place.missing(delivery);
      }
      byte[] first = values.get(0);
      return values.stream().allMatch(it -> Arrays.equals(it, first))
          ? keyed(first, place, delivery)
          : place.because(Reason.UNDECODABLE, "has different values", delivery);
    };
  }

  /**
   * Returns the extractor of a record's place: topic id, partition, offset and the epoch of the
   * leader that appended it. No two records have the same one, also when a topic is made anew or a
   * log loses its end.
   *
   * <p><b>Limits.</b> The place recognizes a record that is delivered again, and nothing else. What
   * a producer sends twice, what is copied to another topic or cluster, and what is redriven from a
   * dead-letter topic are new records with new places. Use it where messages have no key of their
   * own, and nowhere else.
   */
  public static KeyExtractor place() {
    Keyless place = new Keyless("the record's place");
    return delivery -> {
      String topicId = text(delivery, KafkaHeaders.TOPIC_ID);
      if (topicId == null) {
        return place.because(
            Reason.MISSING, "is known of deliveries of a KafkaSource only", delivery);
      }
      List<String> more = new ArrayList<>(List.of(delivery.position()));
      String epoch = text(delivery, KafkaHeaders.LEADER_EPOCH);
      if (epoch != null) {
        more.add(epoch);
      }
      String source = delivery.source();
      String partition = source.substring(source.lastIndexOf('-') + 1);
      return new Keyed(Key.of(topicId, partition, more.toArray(String[]::new)));
    };
  }

  private static @Nullable String text(Delivery delivery, String header) {
    List<byte[]> values = delivery.headers().getOrDefault(header, List.of());
    return values.isEmpty() ? null : new String(values.get(0), UTF_8);
  }

  private static Extracted keyed(byte[] key, Keyless place, Delivery delivery) {
    return new String(key, UTF_8).isBlank()
        ? place.because(Reason.EMPTY, "is empty", delivery)
        : new Keyed(Key.fitting(key, 0, key.length));
  }

  /**
   * Says why there is no key.
   *
   * @param what would be it
   */
  private record Keyless(String what) {

    Unkeyed missing(Delivery delivery) {
      return because(Reason.MISSING, "is missing", delivery);
    }

    Unkeyed because(Reason reason, String why, Delivery delivery) {
      return new Unkeyed(
          reason,
          "%s at offset %s: %s %s".formatted(delivery.source(), delivery.position(), what, why));
    }
  }
}
