package dev.onlyonce;

/**
 * What is done with a key whose holder vanished between claim and completion, so that nobody knows
 * whether the effect happened. There is no default: only the author of the handler knows which is
 * right. Where the effect can be asked about, use a {@link Resolver}.
 */
public enum OnInDoubt {
  /**
   * Run the handler again, with a larger token. Right where the effect is idempotent or its
   * resource refuses an older token; otherwise the effect may happen twice.
   */
  RERUN,
  /** Leave the key until an operator decides. Nothing happens twice; something may be missing. */
  PARK
}
