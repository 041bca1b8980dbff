package dev.onlyonce.store.redis;

import dev.onlyonce.spi.Limits;
import java.time.Duration;

/**
 * A second, smaller way of keeping keys that are done, chosen when a store is made. Immutable.
 *
 * @param after how long after its completion a key moves there
 * @param keys how many keys it has room for before it becomes slower
 */
public record RedisCompactTier(Duration after, long keys) {

  /**
   * @throws IllegalArgumentException if the time is negative or the number is not positive
   */
  public RedisCompactTier {
    Limits.requireNotNegative("time before a key moves", after);
    if (keys < 1) {
      throw new IllegalArgumentException(
          "keys of the compact tier must be at least 1, was " + keys);
    }
  }
}
