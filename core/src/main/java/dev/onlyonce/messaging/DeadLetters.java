package dev.onlyonce.messaging;

import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Publisher;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where messages go that failed for good, that cannot be decoded, that have no key, or that have
 * the key of another payload.
 *
 * <p><b>Guarantee.</b> A message is acknowledged only after its dead letter was confirmed; a crash
 * in between makes a second letter of the same id. A publisher that fails is tried again after a
 * back-off, for as long as the consumer runs, and the message is not lost.
 *
 * <p>A dead letter has the key, the headers and the body of its message, and headers that are named
 * here. Immutable; safe for use by several threads if its publisher is.
 */
public final class DeadLetters {

  /** Why the message was put aside: the name of a {@link Reason}. */
  public static final String REASON = "onlyonce-reason";

  /** What happened, in a human's words. */
  public static final String DETAIL = "onlyonce-detail";

  /** Where the message came from: a topic and partition, a queue. */
  public static final String SOURCE = "onlyonce-source";

  /** Where in the source it was: an offset, a delivery tag. */
  public static final String POSITION = "onlyonce-position";

  /** The scope of the consumer that gave up. */
  public static final String SCOPE = "onlyonce-scope";

  /** The idempotency key in its text form, if there is one. */
  public static final String KEY = "onlyonce-key";

  /** How many attempts were made; zero if there was none. */
  public static final String ATTEMPTS = "onlyonce-attempts";

  /** The fencing token of the last attempt; zero if there was none. */
  public static final String TOKEN = "onlyonce-token";

  /** Why a message is put aside. */
  public enum Reason {
    /** Its handler failed for good, or used up its attempts. The key is FAILED. */
    FAILED,
    /** Whether its effect happened is not known, and an operator decides. The key is in doubt. */
    IN_DOUBT,
    /** Its key is known with another payload. Nothing was done. */
    MISMATCH,
    /** It has no key, or cannot be decoded. Nothing was done. */
    UNKEYED
  }

  private static final DeadLetters DISCARDED = new DeadLetters(null, delivery -> "");

  private final @Nullable Publisher publisher;
  private final Function<Delivery, String> destination;

  private DeadLetters(@Nullable Publisher publisher, Function<Delivery, String> destination) {
    this.publisher = publisher;
    this.destination = destination;
  }

  /**
   * Publishes them to one destination.
   *
   * @param publisher stays the caller's to close, after the consumer
   * @param destination as the publisher spells it
   */
  public static DeadLetters to(Publisher publisher, String destination) {
    Objects.requireNonNull(destination, "destination must not be null");
    return to(publisher, delivery -> destination);
  }

  /** Publishes them to a destination that depends on the message, such as its topic's. */
  public static DeadLetters to(Publisher publisher, Function<Delivery, String> destination) {
    return new DeadLetters(Objects.requireNonNull(publisher), Objects.requireNonNull(destination));
  }

  /**
   * Has no dead letters: such messages are acknowledged and gone. What failed is on record in the
   * store as FAILED with its reason, what was refused only as an {@link dev.onlyonce.spi.Event}. A
   * message whose key is in doubt is not given up: it waits for the operator.
   */
  public static DeadLetters discard() {
    return DISCARDED;
  }

  /** Returns what publishes them; nothing if they are discarded. */
  public Optional<Publisher> publisher() {
    return Optional.ofNullable(publisher);
  }

  /** Returns where the letter of this message goes. */
  public String destination(Delivery delivery) {
    return destination.apply(delivery);
  }
}
