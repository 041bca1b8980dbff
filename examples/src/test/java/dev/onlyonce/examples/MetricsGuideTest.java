package dev.onlyonce.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnlyOnce;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Runs the pieces of the metrics guide, and holds the guide to them. */
class MetricsGuideTest {

  private final MetricsGuide guide = new MetricsGuide();
  private final MemoryStore store = MemoryStore.builder().forgetful().build();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @AfterEach
  void close() {
    store.close();
    registry.close();
  }

  private void handleTwoCopies() {
    try (OnlyOnce<String> once = guide.engine(registry, store)) {
      once.process("order-1", () -> "receipt");
      once.process("order-1", () -> "never");
    }
  }

  @Test
  void the_guide_shows_the_regions_of_the_program() {
    assertThat(Guide.regions(MetricsGuide.class)).hasSize(2);
    assertThat(Guide.of("metrics.md").java()).isEqualTo(Guide.regions(MetricsGuide.class));
  }

  @Test
  void an_engine_and_its_store_have_meters() {
    handleTwoCopies();
    assertThat(registry.get("onlyonce.received").tag("scope", "billing").counter().count())
        .isEqualTo(2);
    assertThat(
            registry
                .get("onlyonce.duplicates")
                .tags("scope", "billing", "reason", "done")
                .counter()
                .count())
        .isEqualTo(1);
    assertThat(
            registry
                .get("onlyonce.store.latency")
                .tags("store", "claims", "verb", "claim", "batch", "1")
                .timer()
                .count())
        .isEqualTo(2);
  }

  @Test
  void the_latency_has_the_buckets_that_were_asked_for() {
    guide.withBuckets(registry);
    handleTwoCopies();
    assertThat(
            Arrays.stream(
                registry.get("onlyonce.latency").timer().takeSnapshot().histogramCounts()))
        .extracting(it -> it.bucket(TimeUnit.MILLISECONDS))
        .containsExactly(100.0, 500.0);
  }
}
