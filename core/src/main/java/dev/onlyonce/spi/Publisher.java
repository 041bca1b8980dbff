package dev.onlyonce.spi;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages and tells of each whether the broker has it for good.
 *
 * <p><b>Guarantee.</b> {@link Confirmed} is said only when the broker has taken responsibility and
 * the message has reached somewhere; an unroutable message is {@link Refused}. Nothing is retried
 * behind the caller's back in a way that could change the order of messages with one ordering key.
 *
 * <p><b>Thread-safety.</b> Any number of threads. <b>Failure.</b> It does not throw for a single
 * message: a message of which nothing is known is {@link Unknown} and may be sent again with the
 * same id.
 */
public interface Publisher extends AutoCloseable {

  /** Sends a batch and waits for the broker; the receipts are in the order of the messages. */
  List<Receipt> publish(List<Message> batch);

  /** Frees what the publisher holds. Never throws. */
  @Override
  void close();

  /**
   * A message to send.
   *
   * @param id stays the same when the message is sent again
   * @param destination a topic, an exchange and routing key, a queue: as the broker spells it
   * @param recordKey the broker's own key of the message (a partition key), if it is to have one
   * @param orderingKey what must stay in order; null if nothing must
   * @param headers names as the broker spells them; a name may have several values
   * @param body the payload, not to be changed by anybody
   */
  record Message(
      String id,
      String destination,
      byte @Nullable [] recordKey,
      @Nullable String orderingKey,
      Map<String, List<byte[]>> headers,
      byte[] body) {}

  /** What became of a message. */
  sealed interface Receipt permits Confirmed, Refused, Unknown {}

  /** The broker has it for good. */
  record Confirmed() implements Receipt {}

  /**
   * The broker does not have it.
   *
   * @param reason in the broker's words
   */
  record Refused(String reason) implements Receipt {}

  /**
   * The broker may have it.
   *
   * @param reason why that is not known
   */
  record Unknown(String reason) implements Receipt {}
}
