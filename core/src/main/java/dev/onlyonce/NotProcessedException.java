package dev.onlyonce;

import org.jspecify.annotations.Nullable;

/**
 * {@link OnlyOnce#process} could not end with a result: the outcome says why, and whether and when
 * to deliver the message again.
 */
public final class NotProcessedException extends OnlyOnceException {

  private static final long serialVersionUID = 1L;

  private final transient Outcome<?> outcome;

  NotProcessedException(String message, Outcome<?> outcome, @Nullable Throwable cause) {
    super(message, cause);
    this.outcome = outcome;
  }

  /** Returns what came of the message. */
  public Outcome<?> outcome() {
    return outcome;
  }
}
