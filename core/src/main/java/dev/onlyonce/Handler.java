package dev.onlyonce;

import org.jspecify.annotations.Nullable;

/**
 * What must take effect once for each key.
 *
 * <p>It runs on the caller's thread. What it throws decides what becomes of the key, see {@link
 * OnFailure}.
 *
 * @param <R> what it returns, kept for duplicates
 * @param <X> what it may throw
 */
@FunctionalInterface
public interface Handler<R extends @Nullable Object, X extends Exception> {

  /** Handles the message; {@code attempt} is good until this method returns. */
  R handle(Attempt attempt) throws X;

  /** A handler that does not ask for its attempt. */
  @FunctionalInterface
  interface Plain<R extends @Nullable Object, X extends Exception> {

    /** Handles the message. */
    R handle() throws X;
  }

  /** A handler without a result, which does not ask for its attempt either. */
  @FunctionalInterface
  interface Action<X extends Exception> {

    /** Handles the message. */
    void handle() throws X;
  }
}
