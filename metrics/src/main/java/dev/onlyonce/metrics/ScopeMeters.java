package dev.onlyonce.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one scope. All of them but the lag are there, at zero, from the first event of the
 * scope on, so that a rate has something to begin at. Safe for use by several threads.
 */
final class ScopeMeters {

  private static final String PLAIN = "";

  private final MeterRegistry registry;
  private final Tags tags;
  private final Map<Metric, Map<String, Counter>> counters = new EnumMap<>(Metric.class);
  private final Map<Metric, Timer> timers = new EnumMap<>(Metric.class);
  private @Nullable AtomicLong lag;

  ScopeMeters(MeterRegistry registry, String scope) {
    this.registry = registry;
    this.tags = Tags.of(Metric.Label.SCOPE.name(), scope);
    for (Metric metric : Metric.values()) {
      if (metric.isOfScopes() && metric.kind == Metric.Kind.COUNTER) {
        counters.put(metric, counters(metric));
      } else if (metric.isOfScopes() && metric.kind == Metric.Kind.TIMER) {
        timers.put(metric, timer(metric));
      }
    }
  }

  private Map<String, Counter> counters(Metric metric) {
    List<Metric.Label> others = metric.labels.subList(1, metric.labels.size());
    if (others.isEmpty()) {
      return Map.of(PLAIN, counter(metric, tags));
    }
    Metric.Label label = others.get(0);
    Map<String, Counter> byValue = new HashMap<>();
    for (String value : label.values()) {
      byValue.put(value, counter(metric, tags.and(label.name(), value)));
    }
    return byValue;
  }

  private Counter counter(Metric metric, Tags all) {
    return Counter.builder(metric.id).description(metric.meaning).tags(all).register(registry);
  }

  private Timer timer(Metric metric) {
    return Timer.builder(metric.id).description(metric.meaning).tags(tags).register(registry);
  }

  void count(Metric metric) {
    count(metric, PLAIN);
  }

  void count(Metric metric, Enum<?> value) {
    count(metric, Metric.Label.value(value));
  }

  void count(Metric metric, String value) {
    Map<String, Counter> byValue = Objects.requireNonNull(counters.get(metric));
    Objects.requireNonNull(byValue.get(value), value).increment();
  }

  void time(Metric metric, Duration duration) {
    Objects.requireNonNull(timers.get(metric)).record(duration);
  }

  synchronized void lag(long messages) {
    if (lag == null) {
      lag = new AtomicLong();
      Gauge.builder(Metric.LAG.id, lag, AtomicLong::get)
          .description(Metric.LAG.meaning)
          .baseUnit("messages")
          .tags(tags)
          .strongReference(true)
          .register(registry);
    }
    lag.set(messages);
  }
}
