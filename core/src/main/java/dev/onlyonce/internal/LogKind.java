package dev.onlyonce.internal;

import dev.onlyonce.spi.Event;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How the log says one kind of event: every kind has a line here.
 *
 * @param type the kind
 * @param name what the log calls it
 * @param level how much it matters
 * @param words what the line says of an event, beside its scope
 */
record LogKind<E extends Event>(
    Class<E> type, String name, Level level, BiConsumer<LogLine, E> words) {

  private static final Map<Class<?>, LogKind<?>> ALL =
      List.<LogKind<?>>of(
              // Every message
              of(Event.Received.class, "received", Level.TRACE, (line, e) -> line.with(e.key())),
              of(Event.Claimed.class, "claimed", Level.TRACE, (line, e) -> line.with(e.claim())),
              of(Event.Completed.class, "completed", Level.TRACE, LogKind::completed),
              // What is turned away as it should be
              of(Event.Duplicate.class, "duplicate", Level.DEBUG, LogKind::duplicate),
              of(Event.InProgress.class, "in_progress", Level.DEBUG, LogKind::inProgress),
              of(Event.Deferred.class, "deferred", Level.DEBUG, LogKind::deferred),
              of(Event.FailedBefore.class, "failed_before", Level.DEBUG, LogKind::failedBefore),
              // What goes on by itself
              of(Event.Released.class, "released", Level.INFO, LogKind::released),
              of(Event.Resolved.class, "resolved", Level.INFO, LogKind::resolved),
              of(Event.NotCompared.class, "not_compared", Level.INFO, (l, e) -> l.with(e.key())),
              // What somebody should look at
              of(Event.InDoubt.class, "in_doubt", Level.WARNING, LogKind::inDoubt),
              of(Event.Failed.class, "failed", Level.WARNING, LogKind::failed),
              of(Event.Mismatch.class, "mismatch", Level.WARNING, (l, e) -> l.with(e.key())),
              of(Event.Unkeyed.class, "unkeyed", Level.WARNING, LogKind::unkeyed),
              of(Event.Refused.class, "zombie_refused", Level.WARNING, (l, e) -> l.with(e.claim())),
              of(Event.LeaseLost.class, "lease_lost", Level.WARNING, (l, e) -> l.with(e.claim())),
              of(
                  Event.RenewalFailed.class,
                  "renewal_failed",
                  Level.WARNING,
                  LogKind::renewalFailed),
              of(Event.ResultNotKept.class, "result_not_kept", Level.WARNING, LogKind::notKept),
              of(Event.StoreFailed.class, "store_failed", Level.WARNING, LogKind::storeFailed),
              of(Event.DeadLettered.class, "dead_letter", Level.WARNING, LogKind::deadLettered),
              of(
                  Event.DeadLetterFailed.class,
                  "dead_letter_failed",
                  Level.WARNING,
                  LogKind::deadLetterFailed),
              of(Event.SourceFailed.class, "source_failed", Level.WARNING, LogKind::sourceFailed),
              of(Event.Unprotected.class, "unprotected", Level.WARNING, LogKind::unprotected))
          .stream()
          .collect(Collectors.toUnmodifiableMap(LogKind::type, Function.identity()));

  private static <E extends Event> LogKind<E> of(
      Class<E> type, String name, Level level, BiConsumer<LogLine, E> words) {
    return new LogKind<>(type, name, level, words);
  }

  /** Returns the kind of an event; null if this version does not know it. */
  static @Nullable LogKind<?> of(Class<? extends Event> type) {
    return ALL.get(type);
  }

  /** Adds to a line what an event of this kind says. */
  void say(LogLine line, Event event) {
    words.accept(line, type.cast(event));
  }

  private static void completed(LogLine line, Event.Completed e) {
    line.with(e.claim()).with("total", e.total()).with("handling", e.handling());
  }

  private static void duplicate(LogLine line, Event.Duplicate e) {
    line.with(e.key()).with("age", e.age());
  }

  private static void inProgress(LogLine line, Event.InProgress e) {
    line.with(e.key()).with("lease_left", e.leaseLeft());
  }

  private static void deferred(LogLine line, Event.Deferred e) {
    line.with(e.key()).with("left", e.left());
  }

  private static void failedBefore(LogLine line, Event.FailedBefore e) {
    line.with(e.key()).withWords("reason", e.reason());
  }

  private static void released(LogLine line, Event.Released e) {
    line.with(e.claim()).with("retry_after", e.retryAfter()).with(e.cause());
  }

  private static void resolved(LogLine line, Event.Resolved e) {
    line.with(e.key()).with("token", e.token()).with("verdict", e.verdict());
  }

  private static void inDoubt(LogLine line, Event.InDoubt e) {
    line.with(e.key()).with("token", e.token()).with("attempt", e.attempt());
  }

  private static void failed(LogLine line, Event.Failed e) {
    line.with(e.claim()).withWords("reason", e.reason());
  }

  private static void unkeyed(LogLine line, Event.Unkeyed e) {
    line.with("why", e.why().reason()).with("handled", e.bypassed());
    line.withWords("detail", e.why().detail());
  }

  private static void renewalFailed(LogLine line, Event.RenewalFailed e) {
    line.with(e.claim()).with(e.cause());
  }

  private static void notKept(LogLine line, Event.ResultNotKept e) {
    line.with(e.claim()).withWords("reason", e.reason());
  }

  private static void storeFailed(LogLine line, Event.StoreFailed e) {
    line.with(e.key()).with(e.cause());
  }

  private static void unprotected(LogLine line, Event.Unprotected e) {
    line.with(e.key()).with(e.cause());
  }

  private static void deadLettered(LogLine line, Event.DeadLettered e) {
    if (e.key() != null) {
      line.with(e.key());
    }
    line.with("reason", e.reason()).with("attempt", e.attempt()).with("token", e.token());
  }

  private static void deadLetterFailed(LogLine line, Event.DeadLetterFailed e) {
    if (e.key() != null) {
      line.with(e.key());
    }
    line.with("tries", e.tries()).withWords("reason", e.why());
  }

  private static void sourceFailed(LogLine line, Event.SourceFailed e) {
    line.with(e.cause());
  }
}
