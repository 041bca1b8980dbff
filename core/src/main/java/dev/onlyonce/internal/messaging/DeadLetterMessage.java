package dev.onlyonce.internal.messaging;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Publisher;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message that is put aside.
 *
 * @param key null if it has none
 * @param claim of the last attempt, null if there was none
 * @param detail what happened, in a human's words
 */
record DeadLetterMessage(
    Delivery delivery,
    Scope scope,
    @Nullable Key key,
    @Nullable Claim claim,
    DeadLetters.Reason reason,
    String detail) {

  private static final int LONGEST_NAME = 64;

  int attempts() {
    return claim == null ? 0 : claim.attempt();
  }

  long token() {
    return claim == null ? 0 : claim.token();
  }

  /**
   * Returns it as it is published, with an id that stays the same when the message comes again: of
   * its key, or without one of its body.
   */
  Publisher.Message toMessage(String destination) {
    Map<String, List<byte[]>> headers = new LinkedHashMap<>(delivery.headers());
    put(headers, DeadLetters.REASON, reason.name());
    put(headers, DeadLetters.DETAIL, detail);
    put(headers, DeadLetters.SOURCE, delivery.source());
    put(headers, DeadLetters.POSITION, delivery.position());
    put(headers, DeadLetters.SCOPE, scope.toString());
    put(headers, DeadLetters.ATTEMPTS, Integer.toString(attempts()));
    put(headers, DeadLetters.TOKEN, Long.toString(token()));
    headers.remove(DeadLetters.KEY);
    if (key != null) {
      put(headers, DeadLetters.KEY, key.toString());
    }
    return new Publisher.Message(
        "dead-letter/" + scope + "/" + name(),
        destination,
        delivery.recordKey(),
        delivery.orderingKey(),
        headers,
        delivery.body());
  }

  /** A key may be longer than a broker takes for an id. */
  private String name() {
    if (key == null) {
      return Fingerprint.sha256(delivery.body()).toString();
    }
    String text = key.toString();
    return text.length() <= LONGEST_NAME ? text : Fingerprint.sha256(key.toBytes()).toString();
  }

  private static void put(Map<String, List<byte[]>> headers, String name, String value) {
    headers.put(name, List.of(value.getBytes(UTF_8)));
  }
}
