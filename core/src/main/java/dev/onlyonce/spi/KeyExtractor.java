package dev.onlyonce.spi;

import dev.onlyonce.Key;
import java.util.Objects;

/**
 * Finds the idempotency key of a delivery.
 *
 * <p>It does not throw: what has no key is {@link Unkeyed}, and the policy of the engine decides.
 * Any number of threads.
 */
@FunctionalInterface
public interface KeyExtractor {

  /** Returns the key, or why there is none. */
  Extracted extract(Delivery delivery);

  /** What was found. Two deliveries without a key are never equal to each other. */
  sealed interface Extracted permits Keyed, Unkeyed {}

  /** The key. */
  record Keyed(Key key) implements Extracted {
    /**
     * @throws NullPointerException if there is no key: that is {@link Unkeyed}
     */
    public Keyed {
      Objects.requireNonNull(key, "key must not be null: what has none is Unkeyed");
    }
  }

  /**
   * There is no key.
   *
   * @param reason why
   * @param detail one sentence with the place and what was found there
   */
  record Unkeyed(Reason reason, String detail) implements Extracted {}

  /** Why there is no key. */
  enum Reason {
    /** The place where it should be is not there. */
    MISSING,
    /** It is there, and is null. */
    NULL,
    /** It is there, and is empty or blank. */
    EMPTY,
    /** The delivery cannot be read, or the value there cannot be a key. */
    UNDECODABLE
  }
}
