package dev.onlyonce.metrics;

import dev.onlyonce.spi.Event;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** Which meters an event moves: every kind of event has a line here. */
final class EventMeters {

  private static final Map<Class<?>, BiConsumer<ScopeMeters, Event>> ALL = new HashMap<>();

  static {
    map(Event.Received.class, (meters, e) -> meters.count(Metric.RECEIVED));
    map(Event.Claimed.class, EventMeters::claimed);
    map(Event.Completed.class, EventMeters::completed);
    map(Event.Duplicate.class, (meters, e) -> meters.count(Metric.DUPLICATES, "done"));
    map(Event.FailedBefore.class, (meters, e) -> meters.count(Metric.DUPLICATES, "failed"));
    map(Event.InProgress.class, (meters, e) -> meters.count(Metric.IN_PROGRESS));
    map(Event.Deferred.class, (meters, e) -> meters.count(Metric.DEFERRED));
    map(Event.Mismatch.class, (meters, e) -> meters.count(Metric.MISMATCHES));
    map(Event.NotCompared.class, (meters, e) -> meters.count(Metric.NOT_COMPARED));
    map(Event.InDoubt.class, (meters, e) -> meters.count(Metric.IN_DOUBT));
    map(Event.Resolved.class, (meters, e) -> meters.count(Metric.RESOLVED, e.verdict()));
    map(Event.Released.class, (meters, e) -> meters.count(Metric.RELEASED));
    map(Event.Failed.class, (meters, e) -> meters.count(Metric.FAILED));
    map(Event.Refused.class, (meters, e) -> meters.count(Metric.ZOMBIES_REFUSED));
    map(Event.LeaseLost.class, (meters, e) -> meters.count(Metric.LEASES_LOST));
    map(Event.RenewalFailed.class, (meters, e) -> meters.count(Metric.RENEWALS_FAILED));
    map(Event.ResultNotKept.class, (meters, e) -> meters.count(Metric.RESULTS_NOT_KEPT));
    map(Event.Unkeyed.class, EventMeters::unkeyed);
    map(Event.Unprotected.class, (meters, e) -> meters.count(Metric.UNPROTECTED, "store"));
    map(Event.DeadLettered.class, (meters, e) -> meters.count(Metric.DEAD_LETTERS, e.reason()));
    map(Event.DeadLetterFailed.class, (meters, e) -> meters.count(Metric.DEAD_LETTERS_FAILED));
    map(
        Event.SourceFailed.class,
        (meters, e) -> meters.count(Metric.SOURCE_FAILURES, e.cause().kind()));
    map(
        Event.StoreFailed.class,
        (meters, e) -> meters.count(Metric.STORE_FAILURES, e.cause().kind()));
  }

  private EventMeters() {}

  private static <E extends Event> void map(Class<E> kind, BiConsumer<ScopeMeters, E> meters) {
    ALL.put(kind, (of, event) -> meters.accept(of, kind.cast(event)));
  }

  /** Tells whether events of this kind move a meter. */
  static boolean knows(Class<?> kind) {
    return ALL.containsKey(kind);
  }

  /** Moves the meters; a kind of event that a later version brings moves none. */
  static void move(ScopeMeters meters, Event event) {
    BiConsumer<ScopeMeters, Event> known = ALL.get(event.getClass());
    if (known != null) {
      known.accept(meters, event);
    }
  }

  private static void claimed(ScopeMeters meters, Event.Claimed event) {
    meters.count(Metric.CLAIMS);
    if (event.claim().attempt() > 1) {
      meters.count(Metric.RETRIES);
    }
  }

  private static void completed(ScopeMeters meters, Event.Completed event) {
    meters.count(Metric.PROCESSED);
    meters.time(Metric.LATENCY, event.total());
    meters.time(Metric.HANDLING, event.handling());
    meters.time(Metric.CHECK, event.total().minus(event.handling()));
  }

  private static void unkeyed(ScopeMeters meters, Event.Unkeyed event) {
    meters.count(Metric.UNKEYED, event.why().reason());
    if (event.bypassed()) {
      meters.count(Metric.UNPROTECTED, "unkeyed");
    } else {
      meters.count(Metric.RECEIVED); // what is handled all the same is received, too
    }
  }
}
