package dev.onlyonce.broker.rocketmq;

import dev.onlyonce.Outcome;
import java.time.Duration;

/** What is to become of a message. */
sealed interface Verdict permits Verdict.Finished, Verdict.Aside, Verdict.Later {

  /** It is acknowledged. */
  record Finished() implements Verdict {}

  /** It is put aside as a dead letter, and acknowledged when it is there. */
  record Aside() implements Verdict {}

  /** It is delivered again. */
  record Later(Duration pause) implements Verdict {}

  /**
   * What an engine's answer means. A copy of a key that has failed before is put aside again: the
   * process may have died before the letter of the first one was sent.
   */
  static Verdict of(Outcome<?> outcome) {
    if (outcome instanceof Outcome.Processed || outcome instanceof Outcome.Duplicate) {
      return new Finished();
    }
    if (outcome instanceof Outcome.Released<?> released) {
      return new Later(released.retryAfter());
    }
    if (outcome instanceof Outcome.Deferred<?> deferred) {
      return new Later(deferred.left());
    }
    if (outcome instanceof Outcome.InProgress<?> other) {
      return new Later(other.retryAfter() == null ? other.leaseLeft() : other.retryAfter());
    }
    if (outcome instanceof Outcome.InDoubt<?> doubt && doubt.askAgainAfter() != null) {
      return new Later(doubt.askAgainAfter());
    }
    return outcome instanceof Outcome.Lost ? new Later(Duration.ZERO) : new Aside();
  }
}
