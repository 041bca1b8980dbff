package dev.onlyonce;

/**
 * What is done with a key whose holder vanished between claim and completion, so that nobody knows
 * whether the effect happened. There is no default: only the author of the handler knows which is
 * right. Where the effect can be asked about, use a {@link Resolver}.
 */
public enum OnInDoubt {
  /**
   * Run the handler again, with a larger token. Right where the effect is idempotent, for instance
   * since its resource knows the key; otherwise it happens twice if the vanished holder had got as
   * far. That the resource refuses an older token than it has seen keeps out a holder that was
   * overtaken and comes late, and nothing else.
   */
  RERUN,
  /** Leave the key until an operator decides. Nothing happens twice; something may be missing. */
  PARK
}
