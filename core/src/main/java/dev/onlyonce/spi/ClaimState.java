package dev.onlyonce.spi;

/**
 * The states that are stored. In progress and in doubt are answers, not states: they depend on the
 * time.
 *
 * <pre>
 *   from       on                        to
 *   (absent)   claim                     CLAIMED    token above the store's floor
 *   CLAIMED    renew, token equal        CLAIMED    same token
 *   CLAIMED    complete, token equal     DONE
 *   CLAIMED    fail, token equal         FAILED
 *   CLAIMED    release, token equal      RELEASED
 *   CLAIMED    claim, lapsed, TAKE       CLAIMED    larger token
 *   RELEASED   claim, due                CLAIMED    larger token
 *   any        claim expecting its token CLAIMED    larger token
 *   settled    expiry                    (absent)   reads so at once, purged after a grace
 * </pre>
 *
 * <p>{@link ClaimMachine} is this table as code.
 */
public enum ClaimState {
  /** A state that a newer version wrote; it reads as in progress, never as absent. */
  UNKNOWN(0),
  /** Somebody has the claim; its lease may be over. */
  CLAIMED(1),
  /** The effect has happened. */
  DONE(2),
  /** Not to be run again until its retention is over or an operator resets it. */
  FAILED(3),
  /** May be claimed again; attempts are counted on. */
  RELEASED(4);

  private static final ClaimState[] ALL = values();

  private final int code;

  ClaimState(int code) {
    this.code = code;
  }

  /** Returns the number that stands for this state in every stored format. */
  public int code() {
    return code;
  }

  /** Returns the state with that number, {@link #UNKNOWN} if there is none. */
  public static ClaimState ofCode(int code) {
    for (ClaimState state : ALL) {
      if (state.code == code) {
        return state;
      }
    }
    return UNKNOWN;
  }

  /** Tells whether the record is settled, and so has an expiry. */
  public boolean isSettled() {
    return this == DONE || this == FAILED || this == RELEASED;
  }
}
