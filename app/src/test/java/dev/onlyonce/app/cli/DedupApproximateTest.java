package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.dedup.Counts;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code onlyonce dedup --approximate}. */
class DedupApproximateTest {
  private static final Counts COUNTS = new Counts(1, 1, 1, 0, 0, 0, 0, 0);

  @TempDir Path folder;
  private DedupRun run;

  @BeforeEach
  void makeRun() {
    run = new DedupRun(folder);
  }

  @ParameterizedTest
  @CsvSource({"0.001, 0.1", "1e-6, 0.0001", "0.25, 25", "0.49, 49"})
  void it_says_first_what_it_may_cost_and_last_what_it_may_have_cost(String rate, String percent) {
    DedupRun.Result result = run.dedup("--approximate", rate, run.file("in", "a\nb\na\n"));

    assertThat(result.code()).isZero();
    assertThat(result.out()).isEqualTo("a\nb\n");
    assertThat(result.err())
        .matches(
            "onlyonce: --approximate: up to "
                + percent
                + " % of the new records may be taken for duplicates\n"
                + "onlyonce: 3 records: 2 passed on, 1 duplicate, 0 without key, 0 bad, 0 blank;"
                + " [0-9.]+ s; of new records, less than 0\\.000001 % are taken for duplicates by now\n");
  }

  /** It was "0.0 %" for what had come to a rate of one in millions. */
  @ParameterizedTest
  @CsvSource({
    "0.00061049, about 0.061 %",
    "0.0000000123, about 0.0000012 %",
    "0.2, about 20 %",
    "0.99999, about 100 %",
    "0.000000009, less than 0.000001 %",
    "0, less than 0.000001 %"
  })
  void a_small_rate_has_digits_that_say_something(double rate, String text) {
    String line = Stats.TEXT.line(COUNTS, 0, 0, OptionalDouble.of(rate));

    assertThat(line).endsWith("; of new records, " + text + " are taken for duplicates by now");
  }

  @Test
  void one_is_not_told_in_the_plural() {
    assertThat(Stats.TEXT.line(COUNTS, 0, 0, OptionalDouble.empty()))
        .isEqualTo("1 record: 1 passed on, 1 duplicate, 0 without key, 0 bad, 0 blank; 0.00 s");
  }

  @Test
  void json_statistics_have_the_estimated_error_rate() {
    DedupRun.Result result =
        run.dedup("--approximate", "0.01", "--stats", "json", run.file("in", "a\nb\na\n"));

    assertThat(result.err().lines().toList().get(1))
        .matches(
            "\\{\"records\":3,.*,\"seconds\":[0-9.]+,\"estimatedErrorRate\":[0-9.]+e[+-][0-9]+}");
    assertThat(run.dedup("--stats", "json", run.file("in", "a\n")).err())
        .doesNotContain("estimatedErrorRate");
  }

  @Test
  void without_statistics_it_still_says_what_it_may_cost() {
    DedupRun.Result result =
        run.dedup("--approximate", "0.01", "--stats", "none", run.file("in", "a\n"));

    assertThat(result.said())
        .containsExactly("--approximate: up to 1 % of the new records may be taken for duplicates");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-0.1", "0.5", "1", "NaN", "1e-7", "0.1%", "few"})
  void a_rate_out_of_range_is_told_and_nothing_is_written(String rate) {
    run.file("out", "before");

    DedupRun.Result result = run.dedup("--approximate=" + rate, run.file("in", "a\n"));

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .contains("'" + rate + "' is not a rate; it may be from 0.000001 to less than 0.5");
    assertThat(result.out()).isEqualTo("before");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1ms", "4000d"})
  void a_window_that_a_filter_cannot_have_is_told(String window) {
    DedupRun.Result result =
        run.dedup("--approximate", "0.01", "--window", window, run.file("in", "a\n"));

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.said())
        .containsExactly("with --approximate, --window may be from 10ms to 3660d");
  }

  @Test
  void in_a_window_copies_are_left_out_too() {
    String in = IntStream.range(0, 20_000).mapToObj(i -> i + "\n").collect(Collectors.joining());

    DedupRun.Result result =
        run.dedup("--approximate", "0.000001", "--window", "1h", run.file("in", in + in));

    assertThat(result.counts()).startsWith(40_000L).endsWith(0L, 0L, 0L);
    assertThat(result.duplicates()).isBetween(20_000L, 20_003L);
  }

  /** Exact ones do not: DedupProgramTest.too_many_keys_are_one_sentence_with_the_remedy. */
  @Test
  void ten_times_as_many_keys_fit_into_a_small_heap() {
    Shell.Result result =
        Shell.withProgram(folder)
            .set("JDK_JAVA_OPTIONS", "-Xmx64m")
            .run(
                "(seq 1000000; seq 1000000) | $once dedup --approximate 0.001 > out;"
                    + " wc -l < out; sort out | uniq -d | wc -l");

    List<Integer> lines = result.out().lines().map(String::strip).map(Integer::valueOf).toList();
    assertThat(lines.get(0)).isBetween(998_900, 1_000_000);
    assertThat(lines.get(1)).isZero();
    assertThat(result.err()).contains("2,000,000 records: ");
  }
}
