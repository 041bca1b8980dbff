package dev.onlyonce.metrics;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Event;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds docs/guides/metrics.md to the meters that there are. */
class MetricsGuideTest {

  private static final Path GUIDE = Path.of("../docs/guides/metrics.md");

  /** A row of the guide's table. */
  private record Row(String meter, String prometheus, String tags, String meaning) {

    static List<Row> all() throws IOException {
      return Files.readString(GUIDE)
          .lines()
          .filter(line -> line.startsWith("| `onlyonce."))
          .map(line -> line.split(" *\\| *", -1))
          .map(cells -> new Row(cells[1], cells[2], cells[3], cells[4]))
          .toList();
    }

    String withoutPrometheus() {
      return meter + " | " + tags + " | " + meaning;
    }
  }

  private static String row(Metric metric) {
    String tags = metric.labels.stream().map(MetricsGuideTest::tag).collect(joining("; "));
    return "`" + metric.id + "` | " + tags + " | " + metric.meaning;
  }

  private static String tag(Metric.Label label) {
    String values = label.values().stream().map(it -> "`" + it + "`").collect(joining(", "));
    return "`" + label.name() + "`" + (values.isEmpty() ? "" : ": " + values);
  }

  @Test
  void the_table_has_every_meter_with_its_tags_and_their_values() throws IOException {
    assertThat(Row.all().stream().map(Row::withoutPrometheus))
        .containsExactlyElementsOf(Stream.of(Metric.values()).map(MetricsGuideTest::row).toList());
  }

  @Test
  void the_names_for_prometheus_are_those_that_it_reads() throws IOException {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    OnlyOnceMetrics metrics = OnlyOnceMetrics.with(registry);
    Scope scope = Scope.of("billing");
    metrics.on(
        new Event.Completed(
            new Claim(scope, Key.of("order-1"), 1, 1),
            Duration.ZERO,
            Duration.ZERO,
            Duration.ZERO));
    metrics.lag(scope, 1);
    try (MemoryStore memory = MemoryStore.builder().forgetful().build()) {
      metrics.measured("claims", new CountingTiers(memory)).claim(List.of());
    }
    List<String> names =
        registry
            .scrape()
            .lines()
            .filter(line -> line.startsWith("# TYPE "))
            .map(line -> "`" + line.split(" ", -1)[2] + "`")
            .filter(name -> !name.endsWith("_seconds_max`")) // of a timer, beside its name
            .toList();
    assertThat(Row.all().stream().map(Row::prometheus)).containsExactlyInAnyOrderElementsOf(names);
  }
}
