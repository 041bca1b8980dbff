package dev.onlyonce.spi;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One message as a broker, a file or a request delivers it, in terms that every source has. A
 * message that is delivered again is another delivery.
 *
 * <p>Arrays and maps are not to be changed by anybody.
 *
 * @param source where it comes from, for people: a topic and partition, a queue, a file
 * @param position where in the source it is, for people: an offset, a delivery tag, a line
 * @param recordKey the broker's own key of the message (a partition key), if it has one
 * @param orderingKey what must stay in order (the order, the account), which is another thing than
 *     the idempotency key; null if nothing must
 * @param sentAt when the message was sent or its event happened, by the clock of whoever said so
 * @param headers names as the source spells them; a name may have several values
 * @param body the payload
 */
public record Delivery(
    String source,
    String position,
    byte @Nullable [] recordKey,
    @Nullable String orderingKey,
    @Nullable Instant sentAt,
    Map<String, List<byte[]>> headers,
    byte[] body) {

  /** Returns a delivery that has a body and nothing else that anybody would ask for. */
  public static Delivery of(String source, String position, byte[] body) {
    return new Delivery(source, position, null, null, null, Map.of(), body);
  }
}
