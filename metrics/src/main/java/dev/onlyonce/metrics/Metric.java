package dev.onlyonce.metrics;

import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.StoreException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The meters: their names, tags and meanings, said here and in docs/guides/metrics.md, which a test
 * compares.
 */
enum Metric {
  RECEIVED(Kind.COUNTER, "onlyonce.received", "messages that came", Label.SCOPE),
  PROCESSED(
      Kind.COUNTER,
      "onlyonce.processed",
      "messages whose handler has run and is done",
      Label.SCOPE),
  DUPLICATES(
      Kind.COUNTER,
      "onlyonce.duplicates",
      "copies that were suppressed, since their key was done or had failed",
      Label.SCOPE,
      Label.of("reason", "done", "failed")),
  IN_PROGRESS(
      Kind.COUNTER,
      "onlyonce.in.progress",
      "copies that were turned away while another was being handled",
      Label.SCOPE),
  DEFERRED(
      Kind.COUNTER,
      "onlyonce.deferred",
      "messages that were turned away, since their key was not due yet",
      Label.SCOPE),
  MISMATCHES(
      Kind.COUNTER,
      "onlyonce.mismatches",
      "messages whose key had come with another payload",
      Label.SCOPE),
  NOT_COMPARED(
      Kind.COUNTER,
      "onlyonce.not.compared",
      "duplicates whose payload could not be compared, of an engine that compares",
      Label.SCOPE),
  UNKEYED(
      Kind.COUNTER,
      "onlyonce.unkeyed",
      "messages without a key",
      Label.SCOPE,
      Label.of("reason", KeyExtractor.Reason.values())),
  CLAIMS(Kind.COUNTER, "onlyonce.claims", "keys that were claimed", Label.SCOPE),
  RETRIES(Kind.COUNTER, "onlyonce.retries", "claims of keys that were claimed before", Label.SCOPE),
  RELEASED(
      Kind.COUNTER,
      "onlyonce.released",
      "handlers that threw, and whose key may be claimed again",
      Label.SCOPE),
  FAILED(
      Kind.COUNTER,
      "onlyonce.failed",
      "keys that failed for good, whose messages are dead letters",
      Label.SCOPE),
  DEAD_LETTERS(
      Kind.COUNTER,
      "onlyonce.dead.letters",
      "messages that a consumer put aside as dead letters, or discarded as such",
      Label.SCOPE,
      Label.of("reason", DeadLetters.Reason.values())),
  DEAD_LETTERS_FAILED(
      Kind.COUNTER,
      "onlyonce.dead.letters.failed",
      "tries to publish a dead letter that failed",
      Label.SCOPE),
  SOURCE_FAILURES(
      Kind.COUNTER,
      "onlyonce.source.failures",
      "polls of a broker that failed",
      Label.SCOPE,
      Label.of("kind", SourceException.Kind.values())),
  IN_DOUBT(
      Kind.COUNTER,
      "onlyonce.in.doubt",
      "times that a key was found, or left, in doubt",
      Label.SCOPE),
  RESOLVED(
      Kind.COUNTER,
      "onlyonce.resolved",
      "answers of resolvers",
      Label.SCOPE,
      Label.of("verdict", Event.Resolved.Verdict.values())),
  ZOMBIES_REFUSED(
      Kind.COUNTER,
      "onlyonce.zombies.refused",
      "settlements of holders that had been overtaken",
      Label.SCOPE),
  LEASES_LOST(Kind.COUNTER, "onlyonce.leases.lost", "handlers that lost their lease", Label.SCOPE),
  RENEWALS_FAILED(
      Kind.COUNTER,
      "onlyonce.renewals.failed",
      "renewals that failed, and are tried again while the lease lasts",
      Label.SCOPE),
  RESULTS_NOT_KEPT(
      Kind.COUNTER,
      "onlyonce.results.not.kept",
      "results that were too large or could not be encoded",
      Label.SCOPE),
  UNPROTECTED(
      Kind.COUNTER,
      "onlyonce.unprotected",
      "handlers that ran without protection, as was chosen for a store that fails and for messages"
          + " without a key",
      Label.SCOPE,
      Label.of("reason", "store", "unkeyed")),
  STORE_FAILURES(
      Kind.COUNTER,
      "onlyonce.store.failures",
      "calls of the store that failed, for a message",
      Label.SCOPE,
      Label.of("kind", StoreException.Kind.values())),
  LATENCY(
      Kind.TIMER,
      "onlyonce.latency",
      "from the first look at a message to its settlement, if its handler is done",
      Label.SCOPE),
  HANDLING(
      Kind.TIMER, "onlyonce.latency.handling", "the part of it that the handler took", Label.SCOPE),
  CHECK(Kind.TIMER, "onlyonce.latency.check", "the rest of it: claim and settlement", Label.SCOPE),
  LAG(
      Kind.GAUGE,
      "onlyonce.lag",
      "how many messages wait to be received, as far as a consumer says so",
      Label.SCOPE),
  STORE_LATENCY(
      Kind.TIMER,
      "onlyonce.store.latency",
      "calls of a measured store",
      Label.STORE,
      Label.of("verb", StoreMeters.Verb.values()),
      Label.of("batch", BatchSize.TAGS),
      Label.of("outcome", StoreMeters.Outcome.values())),
  TIER_KEYS(
      Kind.COUNTER,
      "onlyonce.tier.keys",
      "keys that a tier of a measured store was asked about",
      Label.STORE,
      Label.TIER),
  TIER_ANSWERED(
      Kind.COUNTER,
      "onlyonce.tier.answered",
      "keys that it answered, so that no other tier was asked",
      Label.STORE,
      Label.TIER),
  TIER_FAILURES(
      Kind.COUNTER, "onlyonce.tier.failures", "calls of it that failed", Label.STORE, Label.TIER);

  /** What a meter is. */
  enum Kind {
    COUNTER,
    TIMER,
    GAUGE
  }

  /**
   * A tag.
   *
   * @param values all that it can have; empty if that is up to the application, which has few
   */
  record Label(String name, List<String> values) {

    static final Label SCOPE = new Label("scope", List.of());
    static final Label STORE = new Label("store", List.of());
    static final Label TIER = new Label("tier", List.of());

    static Label of(String name, String... values) {
      return new Label(name, List.of(values));
    }

    static Label of(String name, Enum<?>... values) {
      return new Label(name, Stream.of(values).map(Label::value).toList());
    }

    static String value(Enum<?> constant) {
      return constant.name().toLowerCase(Locale.ROOT);
    }
  }

  final Kind kind;
  final String id;
  final String meaning;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  final List<Label> labels;

  Metric(Kind kind, String id, String meaning, Label... labels) {
    this.kind = kind;
    this.id = id;
    this.meaning = meaning;
    this.labels = List.of(labels);
  }

  boolean isOfScopes() {
    return labels.contains(Label.SCOPE);
  }
}
