package dev.onlyonce.examples;

import dev.onlyonce.EventLog;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.metrics.OnlyOnceMetrics;
import dev.onlyonce.spi.ClaimStore;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import java.time.Duration;

/** The pieces of docs/guides/metrics.md; a test compares them and runs them. */
final class MetricsGuide {

  // region engine
  OnlyOnce<String> engine(MeterRegistry registry, ClaimStore store) {
    OnlyOnceMetrics metrics = OnlyOnceMetrics.with(registry);
    return OnlyOnce.builder(metrics.measured("claims", store))
        .scope("billing")
        .results(ResultCodec.TEXT)
        .onInDoubt(OnInDoubt.PARK)
        .listener(metrics)
        .listener(EventLog.create())
        .build();
  }

  // endregion

  // region buckets
  void withBuckets(MeterRegistry registry) {
    double[] nanos = {Duration.ofMillis(100).toNanos(), Duration.ofMillis(500).toNanos()};
    DistributionStatisticConfig buckets =
        DistributionStatisticConfig.builder().serviceLevelObjectives(nanos).build();
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public DistributionStatisticConfig configure(
                  Meter.Id id, DistributionStatisticConfig config) {
                return id.getName().equals("onlyonce.latency") ? buckets.merge(config) : config;
              }
            });
  }

  // endregion
}
