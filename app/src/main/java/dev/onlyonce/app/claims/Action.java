package dev.onlyonce.app.claims;

import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.Lapse;
import org.jspecify.annotations.Nullable;

/**
 * What an operator can do about a key, and when.
 *
 * <pre>
 *              COMPLETE   RERUN   RELEASE   RESET
 *   in doubt      yes      yes      -         -
 *   claimed      forced     -      yes, unless it will be in doubt
 *   lapsed       forced     -      yes        -
 *   failed       forced     -       -        yes
 *   released     forced     -       -        yes
 *   done           -        -       -       forced
 * </pre>
 */
public enum Action {
  /** It has taken effect: the key is done. */
  COMPLETE("done", "completed"),
  /** It has not taken effect: the key in doubt is free, and its attempts are counted anew. */
  RERUN("released, runs with its next copy", "released"),
  /** Whoever had the claim is gone: the key is free, and its attempts are counted on. */
  RELEASE("released, runs with its next copy", "released"),
  /** Forget how it ended: the key is free, and its attempts are counted anew. */
  RESET("reset, runs with its next copy", "reset");

  private final String outcome;
  private final String past;

  Action(String outcome, String past) {
    this.outcome = outcome;
    this.past = past;
  }

  /** Says what a key is when it was done. */
  public String outcome() {
    return outcome;
  }

  /** Says what was done to a key. */
  public String past() {
    return past;
  }

  /**
   * Says why this is not done about a record.
   *
   * @param forced whether the operator has said that it is meant all the same
   * @return null if it is done
   */
  public @Nullable String refusal(ClaimRecord record, long now, boolean forced) {
    Standing standing = Standing.of(record, now);
    if (standing == Standing.UNKNOWN) {
      return "is in a state that this version does not know; use the newer one";
    }
    return switch (this) {
      case COMPLETE -> refusesToComplete(standing, record, now, forced);
      case RERUN -> standing == Standing.IN_DOUBT ? null : notInDoubt(standing, record, now);
      case RELEASE -> refusesToRelease(standing, record, now);
      case RESET -> refusesToReset(standing, forced);
    };
  }

  private static @Nullable String refusesToComplete(
      Standing standing, ClaimRecord record, long now, boolean forced) {
    if (standing == Standing.IN_DOUBT || (forced && standing != Standing.DONE)) {
      return null;
    }
    return standing == Standing.DONE
        ? "is done already"
        : notInDoubt(standing, record, now) + "; --force completes it all the same";
  }

  private static String notInDoubt(Standing standing, ClaimRecord record, long now) {
    return switch (standing) {
      case CLAIMED -> "is not in doubt but claimed; its lease ends " + leaseEnd(record, now);
      case LAPSED, RELEASED -> "is not in doubt: its next copy runs it";
      default -> "is not in doubt but " + standing.words();
    };
  }

  private static @Nullable String refusesToRelease(
      Standing standing, ClaimRecord record, long now) {
    return switch (standing) {
      case LAPSED -> null;
      case CLAIMED ->
          record.lapse() == Lapse.TAKE
              ? null
              : "is in doubt when its lease ends, which is "
                  + leaseEnd(record, now)
                  + ": whether it has taken effect is then for claims resolve to say";
      case IN_DOUBT -> "is in doubt: claims resolve says whether it has taken effect";
      case RELEASED -> "is released already";
      case FAILED -> "has failed: claims reset lets it run again";
      default -> "is " + standing.words();
    };
  }

  private static @Nullable String refusesToReset(Standing standing, boolean forced) {
    return switch (standing) {
      case FAILED, RELEASED -> null;
      case DONE ->
          forced
              ? null
              : "is done: its effect would happen again; --done-too says that it is meant";
      case IN_DOUBT -> "is in doubt: claims resolve says whether it has taken effect";
      default -> "is claimed: claims release gives it back";
    };
  }

  private static String leaseEnd(ClaimRecord record, long now) {
    return Moments.distance(record.leaseUntilMillis(), now);
  }
}
