package dev.onlyonce;

import org.jspecify.annotations.Nullable;

/** Turns outcomes into results and exceptions, for those who would rather have these. */
final class Outcomes {

  private Outcomes() {}

  static <R extends @Nullable Object> Outcome<R> withoutError(Outcome<R> outcome) {
    if (outcome.cause() instanceof Error error) {
      throw error;
    }
    return outcome;
  }

  /** Returns the result; throws what the handler threw, or why there is no result. */
  static <R extends @Nullable Object, X extends Exception> R resultOf(Key key, Outcome<R> outcome)
      throws X {
    if (outcome instanceof Outcome.Processed<R> processed) {
      return processed.result();
    }
    if (outcome instanceof Outcome.Duplicate<R> duplicate) {
      return duplicate.result();
    }
    Throwable cause = outcome.cause();
    if (cause != null && !(outcome instanceof Outcome.Lost)) {
      if (cause instanceof InterruptedException) {
        Thread.interrupted(); // thrown, it says so by itself
      }
      throw Outcomes.<X>unchecked(cause);
    }
    throw new NotProcessedException("key " + key + " " + sentence(outcome), outcome, cause);
  }

  private static String sentence(Outcome<?> outcome) {
    if (outcome instanceof Outcome.InProgress<?> busy) {
      return "is being handled by another, whose lease lasts " + busy.leaseLeft() + " more";
    }
    if (outcome instanceof Outcome.Deferred<?> deferred) {
      return "is to be tried again in " + deferred.left();
    }
    if (outcome instanceof Outcome.Failed<?> failed) {
      return "has failed for good " + failed.age() + " ago: " + failed.reason();
    }
    if (outcome instanceof Outcome.InDoubt<?> doubt) {
      return "is in doubt since attempt "
          + doubt.attempt()
          + " (token "
          + doubt.token()
          + ") did not end; a resolver or an operator must decide";
    }
    if (outcome instanceof Outcome.Mismatch<?> mismatch) {
      return "is known with another payload, of fingerprint " + mismatch.stored();
    }
    if (outcome instanceof Outcome.Lost<?> lost) {
      return "was taken over by another while its handler ran with token "
          + lost.claim().token()
          + "; the effect may have happened twice if it does not check tokens";
    }
    return "was not processed: " + outcome;
  }

  // What the handler declares is what it threw, or it is unchecked.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <X extends Exception> X unchecked(Throwable thrown) throws X {
    throw (X) thrown;
  }
}
