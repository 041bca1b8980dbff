package dev.onlyonce.spi;

/**
 * What becomes of a key whose holder's lease ran out. The claimer chooses, and the choice is stored
 * in the record: a later claimer's own choice does not count until it has the claim.
 */
public enum Lapse {
  /** The next claim takes over, with a larger token. */
  TAKE(1),
  /**
   * Nobody takes over: the key is in doubt until somebody decides with the lapsed claim's token.
   */
  PARK(2);

  private final int code;

  Lapse(int code) {
    this.code = code;
  }

  /** Returns the number that stands for this in every stored format. */
  public int code() {
    return code;
  }

  /** Returns the choice with that number; one that is not known reads as {@link #PARK}. */
  public static Lapse ofCode(int code) {
    return code == TAKE.code ? TAKE : PARK;
  }
}
