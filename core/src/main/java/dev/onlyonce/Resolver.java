package dev.onlyonce;

import org.jspecify.annotations.Nullable;

/**
 * Finds out whether the effect of a key that is in doubt has happened, by asking the one that would
 * know (the bank, the order table).
 *
 * <p>"It did not happen" must only be said when no earlier attempt can still arrive there: the old
 * connection is closed and drained, the effect's own time-out is over, or the resource was told
 * with the question to refuse the token in doubt, and smaller ones, from now on. That it refuses a
 * smaller token than it has seen is not enough: until the next attempt arrives it has not seen a
 * larger one. Otherwise say {@link Unknown}: the key stays in doubt and is asked about again later.
 *
 * <p>It runs on the thread that met the key; whatever it throws counts as {@link Unknown}.
 *
 * @param <R> the result of the handler whose effect is asked about
 */
@FunctionalInterface
public interface Resolver<R extends @Nullable Object> {

  /** Asks about one key. */
  Verdict<R> resolve(Doubt doubt) throws Exception;

  /**
   * What is in doubt.
   *
   * @param token the token of the attempt whose outcome is not known
   * @param attempt its number
   */
  record Doubt(Scope scope, Key key, long token, int attempt) {}

  /** What was found. */
  sealed interface Verdict<R extends @Nullable Object> {}

  /** The effect has happened: the key is completed with this result, and nothing is run. */
  record Happened<R extends @Nullable Object>(R result) implements Verdict<R> {}

  /** The effect has not happened and cannot any more: the handler is run. */
  record DidNotHappen<R extends @Nullable Object>() implements Verdict<R> {}

  /** Nobody knows yet. */
  record Unknown<R extends @Nullable Object>() implements Verdict<R> {}
}
