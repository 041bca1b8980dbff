package dev.onlyonce;

import dev.onlyonce.spi.KeyExtractor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What came of a message. The list is complete: there will be no others.
 *
 * @param <R> what the handler returns
 */
public sealed interface Outcome<R extends @Nullable Object> {

  /** Returns what the handler threw just now, null if it returned or has not run. */
  default @Nullable Throwable cause() {
    return null;
  }

  /**
   * The handler has run and the key is done.
   *
   * @param result what the handler returned
   * @param claim the claim under which it ran; its token is zero where nothing was claimed
   */
  record Processed<R extends @Nullable Object>(R result, Claim claim) implements Outcome<R> {}

  /**
   * The key was done before; the handler has not run.
   *
   * @param stored what was kept of the result
   * @param age how long ago the key was completed
   * @param codec decodes the result
   */
  record Duplicate<R extends @Nullable Object>(Result stored, Duration age, ResultCodec<R> codec)
      implements Outcome<R> {

    /**
     * Returns the result of the handler that ran then, null if that was null.
     *
     * @throws ResultNotKeptException if it was not kept, or cannot be decoded
     */
    @SuppressWarnings("NullAway") // None stands for null, which R allows where None is stored
    public R result() {
      if (codec == ResultCodec.NONE) {
        return null;
      }
      if (stored instanceof Result.Value value) {
        try {
          return codec.decode(value);
        } catch (RuntimeException e) {
          throw new ResultNotKeptException(
              "the key is done, but its result of type " + value.type() + " cannot be read", e);
        }
      }
      if (stored instanceof Result.None) {
        return null;
      }
      throw new ResultNotKeptException("the key is done, but its result was not kept", null);
    }

    /** Leaves out the codec, which is no part of what came of the message. */
    @Override
    public String toString() {
      return "Duplicate[stored=" + stored + ", age=" + age + "]";
    }
  }

  /**
   * The key has failed for good: now, or before, in which case the handler has not run.
   *
   * @param reason in a human's words
   * @param age how long ago; zero if now
   * @param cause what the handler threw if it ran now
   */
  record Failed<R extends @Nullable Object>(String reason, Duration age, @Nullable Throwable cause)
      implements Outcome<R> {}

  /**
   * The handler has failed and the key may be claimed again.
   *
   * @param cause what the handler threw
   * @param attempt which attempt that was
   * @param retryAfter when the next one is due
   */
  record Released<R extends @Nullable Object>(Throwable cause, int attempt, Duration retryAfter)
      implements Outcome<R> {}

  /**
   * Another copy is being handled; this one has not been.
   *
   * @param leaseLeft when that one's lease ends if it is not renewed
   * @param retryAfter when to deliver this one again; null if the policy says to refuse it
   */
  record InProgress<R extends @Nullable Object>(Duration leaseLeft, @Nullable Duration retryAfter)
      implements Outcome<R> {}

  /**
   * The key was released to be tried later; the handler has not run.
   *
   * @param left when it is due
   */
  record Deferred<R extends @Nullable Object>(Duration left) implements Outcome<R> {}

  /**
   * Whether the effect of an earlier attempt happened is not known, and the policy is not to run it
   * again; or the handler has just thrown an exception that leaves it open.
   *
   * @param token the token of that attempt
   * @param attempt its number
   * @param askAgainAfter when to deliver the message again so that a resolver is asked; null if
   *     only an operator can decide
   * @param cause what the handler threw if it ran now
   */
  record InDoubt<R extends @Nullable Object>(
      long token, int attempt, @Nullable Duration askAgainAfter, @Nullable Throwable cause)
      implements Outcome<R> {}

  /**
   * The key is known with another payload; the handler has not run.
   *
   * @param stored the fingerprint of the payload that came first
   */
  record Mismatch<R extends @Nullable Object>(Fingerprint stored) implements Outcome<R> {}

  /**
   * The handler has run to its end, but another had taken over in the meantime, and what that one
   * says counts. If the effect does not check the token, it may have happened twice.
   *
   * @param result what the handler returned, null if it threw
   * @param claim the claim that was lost
   * @param cause what the handler threw, null if it returned
   */
  record Lost<R extends @Nullable Object>(
      @Nullable R result, Claim claim, @Nullable Throwable cause) implements Outcome<R> {}

  /**
   * The delivery has no key and was refused by policy; the handler has not run.
   *
   * @param why what the extractor found
   */
  record Unkeyed<R extends @Nullable Object>(KeyExtractor.Unkeyed why) implements Outcome<R> {}
}
