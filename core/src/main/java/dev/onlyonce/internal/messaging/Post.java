package dev.onlyonce.internal.messaging;

import dev.onlyonce.spi.Publisher;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Publishes messages one by one. Any number of threads. */
record Post(Publisher publisher) {

  /**
   * Publishes a message; returns why it is not sure that the broker has it, or nothing if it is.
   *
   * @param toSend what it throws is a reason, too
   */
  Optional<String> send(Supplier<Publisher.Message> toSend) {
    try {
      Publisher.Message message = toSend.get();
      List<Publisher.Receipt> receipts = publisher.publish(List.of(message));
      if (receipts.size() != 1) {
        return Optional.of("the publisher gave " + receipts.size() + " receipts for one message");
      }
      return refusal(receipts.get(0), message.destination());
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
}
