package dev.onlyonce.messaging;

import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Publisher;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Has messages wait for their next attempt at the broker, which brings them back, instead of in the
 * consumer: for back-offs that are longer than a message may stay unacknowledged, or so many that
 * they would fill the consumer.
 *
 * <p><b>Guarantee.</b> The key is released first; then a copy of the message is published, with its
 * headers and its body; when that is confirmed, the message is acknowledged. A crash in between
 * makes two copies, of which one is handled. What the broker does not take waits in the consumer,
 * and so does the rest of its time what the broker brings back too early.
 *
 * <p>A message with an ordering key always waits in the consumer: those behind it would overtake it
 * otherwise.
 *
 * <p>Immutable; safe for use by several threads if its publisher is.
 */
public final class Retries {

  private final Publisher publisher;
  private final Destinations destinations;

  /** Says where a message waits. */
  @FunctionalInterface
  public interface Destinations {

    /**
     * Returns where the broker keeps this message for about so long and then brings it back; empty
     * if it is to wait in the consumer. What it throws is logged, and the message waits there, too.
     */
    Optional<String> of(Delivery delivery, Duration delay);
  }

  private Retries(Publisher publisher, Destinations destinations) {
    this.publisher = publisher;
    this.destinations = destinations;
  }

  /**
   * Publishes them to destinations that depend on the delay.
   *
   * @param publisher stays the caller's to close, after the consumer
   */
  public static Retries to(Publisher publisher, Destinations destinations) {
    return new Retries(
        Objects.requireNonNull(publisher, "publisher must not be null"),
        Objects.requireNonNull(destinations, "destinations must not be null"));
  }

  /** Returns what publishes them. */
  public Publisher publisher() {
    return publisher;
  }

  /** Returns where this message waits for so long; empty if that is the consumer. */
  public Optional<String> destination(Delivery delivery, Duration delay) {
    return destinations.of(delivery, delay);
  }
}
