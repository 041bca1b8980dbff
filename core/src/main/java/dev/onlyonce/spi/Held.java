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
   * Nobody knows, and it may be asked again. Said by {@link ClaimStore#renew} and {@link
   * ClaimStore#settleFree} only, and only of a batch of several: nobody is to wait, or to lose a
   * lease, because another's record is locked, or is on a server that does not answer.
   */
  UNKNOWN
}
