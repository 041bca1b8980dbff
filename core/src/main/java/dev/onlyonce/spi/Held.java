package dev.onlyonce.spi;

/** What a store says to a settlement or a renewal. */
public enum Held {
  /** The claim was held and the change is made. */
  HELD,
  /** This very kind of settlement was made before with this claim's token; the first one stands. */
  ALREADY,
  /**
   * The claim is not held: it was overtaken, settled otherwise, or is not known. Nothing changed.
   */
  LOST,
  /**
   * Nobody knows, and it may be asked again. Said of a renewal only, and only beside others of its
   * batch that are known: a holder is not to lose its lease because another's record is locked, or
   * is on a server that does not answer.
   */
  UNKNOWN
}
