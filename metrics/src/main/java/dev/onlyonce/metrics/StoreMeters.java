package dev.onlyonce.metrics;

import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.TierCounts;
import dev.onlyonce.spi.TierCounts.TierCount;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/** The meters of one measured store. Safe for use by several threads. */
final class StoreMeters {

  /** What a store is asked to do. */
  enum Verb {
    CLAIM,
    SETTLE,
    RENEW,
    PURGE
  }

  /** What came of a call. */
  enum Outcome {
    /** It was answered. */
    ANSWERED,
    /** {@link StoreException.Kind#UNAVAILABLE}. */
    UNAVAILABLE,
    /** {@link StoreException.Kind#FULL}. */
    FULL,
    /** {@link StoreException.Kind#REJECTED}. */
    REJECTED,
    /** {@link StoreException.Kind#CLOSED}. */
    CLOSED,
    /** It threw what a store should not throw. */
    ERROR;

    static Outcome of(StoreException.Kind kind) {
      return switch (kind) {
        case UNAVAILABLE -> UNAVAILABLE;
        case FULL -> FULL;
        case REJECTED -> REJECTED;
        case CLOSED -> CLOSED;
      };
    }
  }

  private record Call(Verb verb, String batch, Outcome outcome) {}

  private final MeterRegistry registry;
  private final Tags tags;
  private final Map<Call, Timer> timers = new ConcurrentHashMap<>();

  StoreMeters(MeterRegistry registry, String store) {
    this.registry = registry;
    this.tags = Tags.of(Metric.Label.STORE.name(), store);
  }

  /**
   * Measures a call.
   *
   * @param size of the batch, from its answer
   * @param sizeOfFailed of the batch, if there is no answer
   */
  <A> A measure(Verb verb, Supplier<A> call, ToIntFunction<A> size, int sizeOfFailed) {
    Timer.Sample sample = Timer.start(registry);
    int items = sizeOfFailed;
    Outcome outcome = Outcome.ERROR;
    try {
      A answer = call.get();
      items = size.applyAsInt(answer);
      outcome = Outcome.ANSWERED;
      return answer;
    } catch (StoreException e) {
      outcome = Outcome.of(e.kind());
      throw e;
    } finally {
      sample.stop(timer(new Call(verb, BatchSize.of(items), outcome)));
    }
  }

  private Timer timer(Call call) {
    Timer known = timers.get(call);
    return known != null ? known : timers.computeIfAbsent(call, this::register);
  }

  private Timer register(Call call) {
    return Timer.builder(Metric.STORE_LATENCY.id)
        .description(Metric.STORE_LATENCY.meaning)
        .tags(tags)
        .tag("verb", Metric.Label.value(call.verb()))
        .tag("batch", call.batch())
        .tag("outcome", Metric.Label.value(call.outcome()))
        .register(registry);
  }

  void bindTiers(TierCounts store) {
    for (TierCount now : store.tierCounts()) {
      bind(Metric.TIER_KEYS, store, now.tier(), TierCount::keys);
      bind(Metric.TIER_ANSWERED, store, now.tier(), TierCount::answered);
      bind(Metric.TIER_FAILURES, store, now.tier(), TierCount::failures);
    }
  }

  private void bind(Metric metric, TierCounts store, String tier, ToLongFunction<TierCount> count) {
    FunctionCounter.builder(metric.id, store, it -> countOf(it, tier, count))
        .description(metric.meaning)
        .tags(tags)
        .tag(Metric.Label.TIER.name(), tier)
        .register(registry);
  }

  private static long countOf(TierCounts store, String tier, ToLongFunction<TierCount> count) {
    return store.tierCounts().stream().filter(it -> it.tier().equals(tier)).mapToLong(count).sum();
  }
}
