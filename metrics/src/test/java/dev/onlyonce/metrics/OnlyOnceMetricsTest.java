package dev.onlyonce.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Backoff;
import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.OnlyOnceBuilder;
import dev.onlyonce.Resolver;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.KeyExtractor.Reason;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.FaultyStore;
import dev.onlyonce.testkit.FaultyStore.Moment;
import dev.onlyonce.testkit.FaultyStore.Verb;
import dev.onlyonce.testkit.ManualTime;
import dev.onlyonce.testkit.process.Await;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What Prometheus reads of engines over a memory store. */
class OnlyOnceMetricsTest {

  private static final Scope SCOPE = Scope.of("billing");
  private static final Key KEY = Key.of("order-4711/paid");
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration BACKOFF = Duration.ofSeconds(5);

  private final ManualTime time = new ManualTime();
  private final MemoryStore memory =
      MemoryStore.builder().time(time).capacity(20_000).forgetful().build();
  private final FaultyStore store = FaultyStore.over(memory);
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final OnlyOnceMetrics metrics = OnlyOnceMetrics.with(registry);

  @AfterEach
  void close() {
    memory.close();
    registry.close();
  }

  private OnlyOnceBuilder<String> engine() {
    return OnlyOnce.builder(store)
        .scope(SCOPE)
        .time(time)
        .lease(LEASE)
        .purgeEvery(Duration.ZERO)
        .onFailure(
            OnFailure.defaults()
                .backoff(Backoff.fixed(BACKOFF))
                .failOn(IllegalArgumentException.class))
        .onInDoubt(OnInDoubt.PARK)
        .results(ResultCodec.TEXT)
        .listener(metrics);
  }

  private Claim claimedByAnother(Lapse lapse) {
    ClaimRequest request = ClaimRequest.of(SCOPE, KEY, 17, LEASE, lapse);
    return ((Answer.Claimed) memory.claim(List.of(request)).get(0)).claim();
  }

  private static String fails(RuntimeException with) {
    throw with;
  }

  /** Returns the value of a line of the scrape; NaN if there is none. */
  private double scraped(String series) {
    return registry
        .scrape()
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElse(Double.NaN);
  }

  private double of(String name) {
    return scraped(name + "{scope=\"billing\"}");
  }

  private double of(String name, String tag) {
    // In the scrape, tags are in the order of their names.
    String scope = "scope=\"billing\"";
    return scraped(
        name + "{" + (tag.compareTo(scope) < 0 ? tag + "," + scope : scope + "," + tag) + "}");
  }

  @Test
  void messages_and_duplicates_are_counted() {
    OnlyOnce<String> once = engine().build();
    for (int copy = 0; copy < 3; copy++) {
      once.attempt(KEY, null, attempt -> "receipt");
    }
    once.attempt(Key.of("other"), null, attempt -> "receipt");
    assertThat(of("onlyonce_received_total")).isEqualTo(4);
    assertThat(of("onlyonce_claims_total")).isEqualTo(2);
    assertThat(of("onlyonce_processed_total")).isEqualTo(2);
    assertThat(of("onlyonce_duplicates_total", "reason=\"done\"")).isEqualTo(2);
    assertThat(of("onlyonce_duplicates_total", "reason=\"failed\"")).isZero();
    assertThat(of("onlyonce_retries_total")).isZero();
  }

  @Test
  void the_latency_is_measured_with_the_check_and_without() {
    OnlyOnce<String> once =
        OnlyOnce.builder(new SlowStore(memory, time, Duration.ofMillis(250)))
            .scope(SCOPE)
            .time(time)
            .purgeEvery(Duration.ZERO)
            .onInDoubt(OnInDoubt.PARK)
            .results(ResultCodec.TEXT)
            .listener(metrics)
            .build();
    once.attempt(
        KEY,
        null,
        attempt -> {
          time.advance(Duration.ofSeconds(2));
          return "receipt";
        });
    once.attempt(KEY, null, attempt -> "never");
    assertThat(of("onlyonce_latency_seconds_count")).as("processed").isEqualTo(1);
    assertThat(of("onlyonce_latency_seconds_sum")).isEqualTo(2.5);
    assertThat(of("onlyonce_latency_handling_seconds_sum")).isEqualTo(2);
    assertThat(of("onlyonce_latency_check_seconds_sum")).isEqualTo(0.5);
  }

  @Test
  void copies_that_are_turned_away_are_counted_by_why() {
    OnlyOnce<String> once = engine().build();
    Claim other = claimedByAnother(Lapse.TAKE);
    once.attempt(KEY, null, attempt -> "never");
    memory.settle(
        List.of(
            new Settlement.Release(other, BACKOFF, Settlement.Attempts.KEEP, Duration.ofDays(1))));
    once.attempt(KEY, null, attempt -> "never");
    once.attempt(KEY, null, attempt -> "never");
    assertThat(of("onlyonce_in_progress_total")).isEqualTo(1);
    assertThat(of("onlyonce_deferred_total")).isEqualTo(2);
    assertThat(of("onlyonce_received_total")).isEqualTo(3);
  }

  @Test
  void payloads_that_differ_and_those_that_cannot_be_compared_are_counted() {
    OnlyOnce<String> once = engine().build();
    once.attempt(KEY, Fingerprint.sha256(new byte[] {1}), attempt -> "receipt");
    once.attempt(KEY, Fingerprint.sha256(new byte[] {2}), attempt -> "never");
    once.attempt(Key.of("bare"), null, attempt -> "receipt");
    once.attempt(Key.of("bare"), Fingerprint.sha256(new byte[] {3}), attempt -> "never");
    assertThat(of("onlyonce_mismatches_total")).isEqualTo(1);
    assertThat(of("onlyonce_not_compared_total")).isEqualTo(1);
  }

  @Test
  void failures_retries_and_dead_letters_are_counted() {
    OnlyOnce<String> once = engine().build();
    once.attempt(KEY, null, attempt -> fails(new IllegalStateException("busy")));
    time.advance(BACKOFF);
    once.attempt(KEY, null, attempt -> fails(new IllegalArgumentException("card declined")));
    once.attempt(KEY, null, attempt -> "never");
    assertThat(of("onlyonce_released_total")).isEqualTo(1);
    assertThat(of("onlyonce_retries_total")).isEqualTo(1);
    assertThat(of("onlyonce_failed_total")).isEqualTo(1);
    assertThat(of("onlyonce_duplicates_total", "reason=\"failed\"")).isEqualTo(1);
    assertThat(of("onlyonce_processed_total")).isZero();
    assertThat(registry.scrape()).as("the words of failures").doesNotContain("declined");
  }

  @Test
  void keys_in_doubt_and_what_resolvers_say_are_counted() {
    claimedByAnother(Lapse.PARK);
    time.advance(LEASE);
    engine().build().attempt(KEY, null, attempt -> "never");
    OnlyOnce<String> unsure = engine().onInDoubt(doubt -> new Resolver.Unknown<>()).build();
    unsure.attempt(KEY, null, attempt -> "never");
    OnlyOnce<String> sure = engine().onInDoubt(doubt -> new Resolver.DidNotHappen<>()).build();
    sure.attempt(KEY, null, attempt -> "receipt");
    assertThat(of("onlyonce_in_doubt_total")).isEqualTo(3);
    assertThat(of("onlyonce_resolved_total", "verdict=\"unknown\"")).isEqualTo(1);
    assertThat(of("onlyonce_resolved_total", "verdict=\"did_not_happen\"")).isEqualTo(1);
    assertThat(of("onlyonce_resolved_total", "verdict=\"happened\"")).isZero();
    assertThat(of("onlyonce_processed_total")).isEqualTo(1);
  }

  @Test
  void zombies_that_are_refused_are_counted() {
    OnlyOnce<String> once = engine().onInDoubt(OnInDoubt.RERUN).build();
    once.attempt(
        KEY,
        null,
        attempt -> {
          time.advance(LEASE.plusSeconds(1));
          claimedByAnother(Lapse.TAKE);
          return "late";
        });
    assertThat(of("onlyonce_zombies_refused_total")).isEqualTo(1);
    assertThat(of("onlyonce_processed_total")).isZero();
  }

  @Test
  void leases_that_are_lost_and_renewals_that_fail_are_counted() throws Exception {
    MemoryStore real = MemoryStore.builder().forgetful().build();
    FaultyStore failing = FaultyStore.over(real);
    failing.failAlways(Moment.BEFORE, Verb.RENEW);
    try (OnlyOnce<String> once =
        OnlyOnce.builder(failing)
            .scope(SCOPE)
            .lease(Duration.ofSeconds(2))
            .onInDoubt(OnInDoubt.PARK)
            .results(ResultCodec.TEXT)
            .listener(metrics)
            .build()) {
      once.attempt(
          KEY,
          null,
          attempt -> {
            Await.until(
                "the loss", Duration.ofMinutes(1), () -> of("onlyonce_leases_lost_total") == 1);
            return "late";
          });
    }
    assertThat(of("onlyonce_renewals_failed_total")).isPositive();
    real.close();
  }

  @Test
  void results_that_are_not_kept_are_counted() {
    engine().resultLimit(3).build().attempt(KEY, null, attempt -> "receipt");
    assertThat(of("onlyonce_results_not_kept_total")).isEqualTo(1);
  }

  @Test
  void messages_without_a_key_are_received_once_whether_they_are_handled_or_not() {
    Unkeyed found = new Unkeyed(Reason.EMPTY, "at /order/id of order-4711");
    engine().build().attempt(found, null, attempt -> "never");
    assertThat(of("onlyonce_received_total")).isEqualTo(1);
    engine().bypassUnkeyed().build().attempt(found, null, attempt -> "receipt");
    assertThat(of("onlyonce_received_total")).isEqualTo(2);
    assertThat(of("onlyonce_unkeyed_total", "reason=\"empty\"")).isEqualTo(2);
    assertThat(of("onlyonce_unkeyed_total", "reason=\"missing\"")).isZero();
    assertThat(of("onlyonce_unprotected_total", "reason=\"unkeyed\"")).isEqualTo(1);
    assertThat(of("onlyonce_unprotected_total", "reason=\"store\"")).isZero();
    assertThat(registry.scrape()).doesNotContain("4711");
  }

  @Test
  void a_store_that_fails_is_counted_by_how_and_so_is_what_runs_all_the_same() {
    store.failAlways(Moment.BEFORE, Verb.CLAIM);
    OnlyOnce<String> closed = engine().build();
    assertThatThrownBy(() -> closed.process(KEY, attempt -> "never"))
        .isInstanceOf(StoreException.class);
    engine().failOpen().build().attempt(KEY, null, attempt -> "receipt");
    assertThat(of("onlyonce_store_failures_total", "kind=\"unavailable\"")).isEqualTo(4);
    assertThat(of("onlyonce_store_failures_total", "kind=\"full\"")).isZero();
    assertThat(of("onlyonce_unprotected_total", "reason=\"store\"")).isEqualTo(1);
    assertThat(of("onlyonce_received_total")).isEqualTo(2);
  }

  @Test
  void the_lag_is_what_a_consumer_said_last() {
    assertThat(of("onlyonce_lag_messages")).as("nobody said").isNaN();
    metrics.lag(SCOPE, 4_711);
    metrics.lag(Scope.of("mail"), 3);
    System.gc();
    assertThat(of("onlyonce_lag_messages")).isEqualTo(4_711);
    metrics.lag(SCOPE, 0);
    assertThat(of("onlyonce_lag_messages")).isZero();
    assertThatThrownBy(() -> metrics.lag(SCOPE, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("lag must not be negative, was -1");
  }

  @Test
  void every_count_of_a_scope_is_there_from_its_first_event_on() {
    engine().build().attempt(KEY, null, attempt -> "receipt");
    Stream<Metric> counters =
        Stream.of(Metric.values()).filter(it -> it.isOfScopes() && it.kind == Metric.Kind.COUNTER);
    assertThat(counters)
        .allSatisfy(
            metric -> {
              int values = metric.labels.size() == 1 ? 1 : metric.labels.get(1).values().size();
              assertThat(registry.find(metric.id).counters()).hasSize(values);
            });
  }

  @Test
  void scopes_are_told_apart_until_they_are_too_many() {
    for (int i = 0; i < 1_200; i++) {
      metrics.on(new Event.Received(Scope.of("scope-" + i), KEY));
    }
    assertThat(scraped("onlyonce_received_total{scope=\"scope-7\"}")).isEqualTo(1);
    assertThat(scraped("onlyonce_received_total{scope=\"scope-1100\"}")).isNaN();
    assertThat(scraped("onlyonce_received_total{scope=\"(other)\"}")).isEqualTo(200);
  }

  @Test
  void no_tag_has_a_value_that_comes_from_a_message() {
    engine().build().attempt(KEY, null, attempt -> fails(new IllegalArgumentException("4711")));
    metrics.measured("claims", memory).claim(List.of());
    assertThat(registry.getMeters())
        .flatExtracting((Meter meter) -> meter.getId().getTags())
        .extracting(Tag::getValue)
        .noneMatch(value -> value.contains("4711"));
  }
}
