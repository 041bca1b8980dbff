package dev.onlyonce;

import dev.onlyonce.spi.Limits;
import java.time.Duration;

/**
 * What is done with a copy of a message that is being handled right now, or that was released to be
 * tried later. It is never taken for done: the running one may fail.
 *
 * <p>Immutable.
 *
 * @param kind what is done
 * @param bound how long to wait at the most; zero unless it waits
 */
public record OnInProgress(Kind kind, Duration bound) {

  /** The ways. */
  public enum Kind {
    /** The caller is refused, as with 409 over HTTP. */
    REJECT,
    /** The caller is told when to deliver it again. */
    RETRY_LATER,
    /** The caller waits for the outcome, and is told when to deliver it again after the bound. */
    WAIT
  }

  /** Refuses the copy. */
  public static OnInProgress reject() {
    return new OnInProgress(Kind.REJECT, Duration.ZERO);
  }

  /** Has the copy delivered again later. */
  public static OnInProgress retryLater() {
    return new OnInProgress(Kind.RETRY_LATER, Duration.ZERO);
  }

  /**
   * Waits for the running one: the copy gets its result, or claims anew when it was released.
   *
   * @throws IllegalArgumentException if the bound is not positive
   */
  public static OnInProgress waitUpTo(Duration bound) {
    return new OnInProgress(Kind.WAIT, Limits.requirePositive("bound", bound));
  }
}
