package dev.onlyonce.internal.messaging;

import dev.onlyonce.Backoff;
import dev.onlyonce.internal.Events;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Publisher;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Publishes dead letters, one at a time for each thread that asks. */
final class DeadLetterDesk {

  private static final System.Logger LOG = System.getLogger("dev.onlyonce.messaging");

  /** At most about twenty tries in the first minutes, and one a minute after that. */
  private static final Backoff BACKOFF =
      Backoff.exponential(Duration.ofSeconds(1), 2, Duration.ofMinutes(1));

  private final DeadLetters letters;
  private final Events events;

  DeadLetterDesk(DeadLetters letters, Events events) {
    this.letters = letters;
    this.events = events;
  }

  /** Tells whether letters are published at all. */
  boolean isOpen() {
    return letters.publisher().isPresent();
  }

  /** Publishes a letter; returns why it is not sure that the broker has it, or nothing if it is. */
  Optional<String> publish(DeadLetterMessage letter) {
    Publisher publisher = letters.publisher().orElse(null);
    if (publisher == null) {
      return Optional.empty();
    }
    try {
      String destination = letters.destination(letter.delivery());
      List<Publisher.Receipt> receipts = publisher.publish(List.of(letter.toMessage(destination)));
      if (receipts.size() != 1) {
        return Optional.of("the publisher gave " + receipts.size() + " receipts for one message");
      }
      return refusal(receipts.get(0), destination);
    } catch (RuntimeException | Error e) {
      return Optional.of("the publisher failed: " + e);
    }
  }

  private static Optional<String> refusal(Publisher.Receipt receipt, String destination) {
    if (receipt instanceof Publisher.Refused refused) {
      return Optional.of(destination + " refused it: " + refused.reason());
    }
    if (receipt instanceof Publisher.Unknown unknown) {
      return Optional.of("whether " + destination + " has it is not known: " + unknown.reason());
    }
    return Optional.empty();
  }

  /** A letter is published, or was discarded. */
  void published(DeadLetterMessage letter) {
    events.publish(
        new Event.DeadLettered(
            letter.scope(), letter.key(), letter.reason(), letter.attempts(), letter.token()));
  }

  /** A letter was not published; returns how long to wait before it is tried again. */
  Duration failed(DeadLetterMessage letter, String why, int tries) {
    events.publish(new Event.DeadLetterFailed(letter.scope(), letter.key(), why, tries));
    if (Integer.bitCount(tries) == 1) {
      String sentence =
          "the message of %s at %s could not be put aside as a dead letter (tried %d times) and"
              + " stays unacknowledged: %s";
      LOG.log(
          Level.WARNING,
          sentence.formatted(letter.delivery().source(), letter.delivery().position(), tries, why));
    }
    return BACKOFF.withoutJitter().delay(tries);
  }
}
