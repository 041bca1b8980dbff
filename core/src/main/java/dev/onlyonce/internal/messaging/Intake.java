package dev.onlyonce.internal.messaging;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Outcome;
import dev.onlyonce.Scope;
import dev.onlyonce.internal.Events;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.KeyExtractor;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the user's functions say of a delivery: its key, its fingerprint, its ordering key. */
final class Intake<R extends @Nullable Object> {

  private final Scope scope;
  private final ConsumerPlan<R> plan;
  private final Events events;

  Intake(Scope scope, ConsumerPlan<R> plan, Events events) {
    this.scope = scope;
    this.plan = plan;
    this.events = events;
  }

  /**
   * A delivery has no key, or its functions have thrown.
   *
   * @param isBypassed whether it is to be handled without protection
   */
  record Refused(String detail, boolean isBypassed) {}

  /** Finds key and fingerprint; returns why there is none, or null. */
  @Nullable Refused read(Work<R> work) {
    KeyExtractor.Extracted found = extract(work);
    if (found instanceof KeyExtractor.Keyed keyed) {
      work.key = keyed.key();
    }
    try {
      work.orderingKey = plan.orderingKeys().apply(work.delivery());
      if (plan.fingerprints() != null) {
        work.fingerprint = plan.fingerprints().apply(work.delivery());
      }
    } catch (RuntimeException | Error e) {
      work.key = null;
      return refuse(undecodable("its ordering key or fingerprint cannot be made: ", e), false);
    }
    if (found instanceof KeyExtractor.Unkeyed unkeyed) {
      return refuse(unkeyed, plan.bypassUnkeyed());
    }
    events.publish(new Event.Received(scope, Objects.requireNonNull(work.key)));
    return null;
  }

  private KeyExtractor.Extracted extract(Work<R> work) {
    try {
      return Objects.requireNonNull(plan.keys().extract(work.delivery()), "no answer");
    } catch (RuntimeException | Error e) {
      return undecodable("its key cannot be found: ", e);
    }
  }

  private static KeyExtractor.Unkeyed undecodable(String what, Throwable thrown) {
    return new KeyExtractor.Unkeyed(KeyExtractor.Reason.UNDECODABLE, what + Events.text(thrown));
  }

  private Refused refuse(KeyExtractor.Unkeyed unkeyed, boolean isBypassed) {
    events.publish(new Event.Unkeyed(scope, unkeyed, isBypassed));
    return new Refused(unkeyed.reason() + ": " + unkeyed.detail(), isBypassed);
  }

  /**
   * Tells whether a copy is finished with the first of its key, which has ended so; if it is, that
   * is published.
   */
  boolean follows(Work<R> copy, Work<R> first, Outcome<R> outcome) {
    Fingerprint ofCopy = copy.fingerprint;
    Fingerprint ofFirst = first.fingerprint;
    if (ofCopy != null && ofFirst != null && !ofCopy.equals(ofFirst)) {
      return false;
    }
    var key = Objects.requireNonNull(copy.key);
    if (outcome instanceof Outcome.Processed || outcome instanceof Outcome.Duplicate) {
      events.publish(new Event.Duplicate(scope, key, Duration.ZERO));
      return true;
    }
    if (outcome instanceof Outcome.Failed<R> failed) {
      events.publish(new Event.FailedBefore(scope, key, failed.reason()));
      return true;
    }
    return false;
  }
}
