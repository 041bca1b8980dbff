package dev.onlyonce;

/** How often a key may take effect when something goes wrong. */
public enum DeliveryMode {
  /**
   * The key is completed before the handler runs, in one step. A crash in between, or a failing
   * handler, loses the effect; nothing ever runs twice within the retention.
   */
  AT_MOST_ONCE,
  /**
   * The handler runs for every delivery and the store is not asked. For handlers that are
   * idempotent by themselves.
   */
  AT_LEAST_ONCE,
  /**
   * The key is claimed, the handler runs, the key is completed. A crash in between leaves the key
   * in doubt, and {@link OnInDoubt} or a {@link Resolver} decides.
   */
  EFFECTIVELY_ONCE
}
