package dev.onlyonce.app.claims;

import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import java.time.Duration;

/** How a key stands at a moment: its state, and what that and the time mean together. */
public enum Standing {
  /** Somebody holds the claim, as far as the lease tells. */
  CLAIMED("claimed", ClaimState.CLAIMED),
  /** The lease is over, and the next claim takes over. */
  LAPSED("lapsed", ClaimState.CLAIMED),
  /** The lease is over, and nobody may take over. */
  IN_DOUBT("in doubt", ClaimState.CLAIMED),
  /** The effect has happened. */
  DONE("done", ClaimState.DONE),
  /** Failed for good. */
  FAILED("failed", ClaimState.FAILED),
  /** May be claimed again, at once or later. */
  RELEASED("released", ClaimState.RELEASED),
  /** A newer version wrote it. */
  UNKNOWN("unknown", ClaimState.UNKNOWN);

  private static final ClaimMachine MACHINE = new ClaimMachine(Duration.ZERO, "");

  private final String words;
  private final ClaimState state;

  Standing(String words, ClaimState state) {
    this.words = words;
    this.state = state;
  }

  /** Returns how a record stands. */
  public static Standing of(ClaimRecord record, long now) {
    return switch (record.state()) {
      case UNKNOWN -> UNKNOWN;
      case DONE -> DONE;
      case FAILED -> FAILED;
      case RELEASED -> RELEASED;
      case CLAIMED -> {
        if (MACHINE.matches(Query.inDoubt(1), record, now)) {
          yield IN_DOUBT;
        }
        yield now < record.leaseUntilMillis() ? CLAIMED : LAPSED;
      }
    };
  }

  /** Returns the word for a person. */
  public String words() {
    return words;
  }

  /** Returns the state that a store has for it. */
  ClaimState state() {
    return state;
  }

  /** Says in a sentence what this means for the key. */
  static String meaning(ClaimRecord record, long now) {
    return switch (of(record, now)) {
      case DONE -> "It has taken effect; later copies are answered as duplicates.";
      case IN_DOUBT ->
          "It was begun and not ended: whether it has taken effect is not known, and it stays so"
              + " until somebody decides (claims resolve).";
      case LAPSED ->
          "It was begun and not ended, and its lease is over: the next copy runs it again.";
      case CLAIMED ->
          "It is being handled, as far as its lease tells; when that is over, "
              + (record.lapse() == Lapse.PARK ? "it is in doubt." : "the next copy runs it again.");
      case FAILED ->
          "It has failed for good; later copies are not run until it is reset (claims reset).";
      case RELEASED ->
          record.owner().startsWith(Operator.PREFIX)
              ? "An operator has set it free: the next copy runs it, whatever happened before (claims"
                  + " history)."
              : now < record.notBeforeMillis()
                  ? "It has not taken effect and is to be tried again; a copy that comes before that is"
                      + " told to come later."
                  : "It has not taken effect and is free; the next copy runs it.";
      case UNKNOWN -> "A newer version wrote it; this one takes it for being handled.";
    };
  }

  /** Tells whether the state is a claim, in whatever standing. */
  static boolean isClaim(ClaimRecord record) {
    return record.state() == ClaimState.CLAIMED;
  }
}
