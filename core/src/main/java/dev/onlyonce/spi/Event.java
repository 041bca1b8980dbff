package dev.onlyonce.spi;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.messaging.DeadLetters;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened in an engine: the one stream from which metrics, history, log and console
 * are made. More kinds may come with a version, so listeners ignore what they do not know.
 */
public sealed interface Event {

  /** Returns the scope that it happened in. */
  Scope scope();

  /** Takes events. */
  @FunctionalInterface
  interface Listener {

    /**
     * Takes one event, on the thread that it happened on; so be quick, and do not call the engine.
     * What it throws is logged and does no harm.
     */
    void on(Event event);
  }

  /**
   * A message with a key came: one for each, before anything else happens to it. A message without
   * a key is {@link Unkeyed}, and this too if it is handled all the same.
   */
  record Received(Scope scope, Key key) implements Event {}

  /** A key was claimed; an attempt above 1 says that it was claimed before. */
  record Claimed(Claim claim) implements Event {
    @Override
    public Scope scope() {
      return claim.scope();
    }
  }

  /**
   * A key was completed.
   *
   * @param total from the first look at the message to its settlement
   * @param handling the part of it that the handler took
   * @param lease what it was claimed for at first; zero if it did not have to be settled in time
   */
  record Completed(Claim claim, Duration total, Duration handling, Duration lease)
      implements Event {
    @Override
    public Scope scope() {
      return claim.scope();
    }
  }

  /** A copy of a key that is done was suppressed. */
  record Duplicate(Scope scope, Key key, Duration age) implements Event {}

  /** A copy of a key that is being handled was turned away. */
  record InProgress(Scope scope, Key key, Duration leaseLeft) implements Event {}

  /** A key that is not due yet was turned away. */
  record Deferred(Scope scope, Key key, Duration left) implements Event {}

  /** A copy of a key that has failed was suppressed. */
  record FailedBefore(Scope scope, Key key, String reason) implements Event {}

  /** A key came with another payload than before. */
  record Mismatch(Scope scope, Key key) implements Event {}

  /**
   * A duplicate was suppressed without its payload being compared, since the record or the message
   * has no fingerprint, although the engine uses them.
   */
  record NotCompared(Scope scope, Key key) implements Event {}

  /** Whether a key's effect happened is not known. */
  record InDoubt(Scope scope, Key key, long token, int attempt) implements Event {}

  /** A resolver was asked about a key in doubt. */
  record Resolved(Scope scope, Key key, long token, Verdict verdict) implements Event {

    /** What it said. */
    public enum Verdict {
      /** The effect happened. */
      HAPPENED,
      /** It did not. */
      DID_NOT_HAPPEN,
      /** It does not know, or threw. */
      UNKNOWN
    }
  }

  /** A handler threw and its key was released. */
  record Released(Claim claim, Throwable cause, Duration retryAfter) implements Event {
    @Override
    public Scope scope() {
      return claim.scope();
    }
  }

  /** A key failed for good. */
  record Failed(Claim claim, String reason) implements Event {
    @Override
    public Scope scope() {
      return claim.scope();
    }
  }

  /** A holder was too late: another had taken over, and its settlement was refused. */
  record Refused(Claim claim) implements Event {
    @Override
    public Scope scope() {
      return claim.scope();
    }
  }

  /** A lease is over or taken while the handler runs; the handler was told. */
  record LeaseLost(Claim claim) implements Event {
    @Override
    public Scope scope() {
      return claim.scope();
    }
  }

  /** A renewal failed; it is tried again while the lease lasts. */
  record RenewalFailed(Claim claim, StoreException cause) implements Event {
    @Override
    public Scope scope() {
      return claim.scope();
    }
  }

  /** A result was not kept: it is too large or cannot be encoded. */
  record ResultNotKept(Claim claim, String reason) implements Event {
    @Override
    public Scope scope() {
      return claim.scope();
    }
  }

  /** A delivery without a key was refused, or handled without protection if {@code bypassed}. */
  record Unkeyed(Scope scope, KeyExtractor.Unkeyed why, boolean bypassed) implements Event {}

  /** The store could not be asked and the handler ran without protection, as was chosen. */
  record Unprotected(Scope scope, Key key, StoreException cause) implements Event {}

  /** The store failed at a verb. */
  record StoreFailed(Scope scope, Key key, StoreException cause) implements Event {}

  /**
   * A message was put aside as a dead letter, and its publisher has confirmed it.
   *
   * @param key null if the message has none
   * @param reason why, see {@link dev.onlyonce.messaging.DeadLetters.Reason}
   * @param attempt the last one; zero if the message was never tried here
   * @param token of the last claim; zero if there was none
   */
  record DeadLettered(
      Scope scope, @Nullable Key key, DeadLetters.Reason reason, int attempt, long token)
      implements Event {}

  /**
   * A message could not be put aside as a dead letter; it stays unacknowledged and is tried again
   * after a back-off.
   *
   * @param key null if the message has none
   * @param why in the publisher's words
   * @param tries how often it was tried
   */
  record DeadLetterFailed(Scope scope, @Nullable Key key, String why, int tries) implements Event {}

  /** A broker could not be asked for messages; it is asked again after a back-off. */
  record SourceFailed(Scope scope, SourceException cause) implements Event {}
}
