package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --time} and {@code --late}: the window goes by the records. */
class DedupTimeTest {

  @TempDir Path folder;
  private DedupRun runs;

  @BeforeEach
  void makeRuns() {
    runs = new DedupRun(folder);
  }

  private DedupRun.Result dedup(String csv, String... more) {
    List<String> all = new ArrayList<>(List.of("--key", "id", "--time", "at", "--window", "1h"));
    all.addAll(List.of(more));
    all.add(runs.file("in.csv", "id,at\n" + csv));
    return runs.dedup(all.toArray(String[]::new));
  }

  @Test
  void a_key_is_new_again_when_the_window_since_its_first_time_is_over() {
    DedupRun.Result result =
        dedup(
            """
            a,2026-01-01T10:00:00Z
            a,2026-01-01T10:59:59.999Z
            a,2026-01-01T11:00:00Z
            a,2026-01-01T11:30:00Z
            """);

    assertThat(result.out()).isEqualTo("id,at\na,2026-01-01T10:00:00Z\na,2026-01-01T11:00:00Z\n");
  }

  @ParameterizedTest
  @CsvSource({"pass,5", "drop,4", "FILE,4"})
  void a_record_a_whole_window_behind_is_late(String policy, int passed) {
    String late = policy.equals("FILE") ? runs.path("late") : policy;
    DedupRun.Result result =
        dedup(
            """
            a,2026-01-01T10:00:00Z
            b,2026-01-01T12:00:00Z
            c,2026-01-01T11:00:00.001Z
            d,2026-01-01T11:00:00Z
            e,2026-01-01T12:00:00Z
            """,
            "--late",
            late);

    assertThat(result.code()).isZero();
    assertThat(result.out().lines().skip(1)).hasSize(passed);
    assertThat(result.err()).contains("0 blank, 1 late;");
    if (policy.equals("FILE")) {
      assertThat(runs.content("late")).isEqualTo("id,at\nd,2026-01-01T11:00:00Z\n");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-01-01T10:00:00Z",
        "2026-01-01T10:00:00",
        "2026-01-01 10:00:00",
        "2026-01-01T12:00:00+02:00",
        "2026-01-01T12:00:00+0200",
        "2026-01-01T12:00:00+02",
        "1767261600",
        "1767261600.0",
        "1767261600000",
        "1767261600000000",
        "1767261600000000000"
      })
  void times_are_read_as_people_write_them(String ten) {
    DedupRun.Result result =
        dedup("a," + ten + "\na,2026-01-01T10:59:59Z\na,2026-01-01T11:00:00Z\n");

    assertThat(result.counts()).startsWith(3L, 2L, 1L);
  }

  @Test
  void json_numbers_and_texts_are_times() {
    DedupRun.Result result =
        runs.dedup(
            "--key=/id",
            "--time=/at",
            "--window=1h",
            runs.file(
                "in.jsonl",
                "{\"id\":1,\"at\":1767261600}\n{\"id\":1,\"at\":\"2026-01-01T10:30:00Z\"}\n"));

    assertThat(result.counts()).startsWith(2L, 1L, 1L);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      textBlock =
          """
          yesterday, 'yesterday' is no time
          1969-12-31T00:00:00Z, '1969-12-31T00:00:00Z' is before 1970
          2262-01-01T00:00:00Z, '2262-01-01T00:00:00Z' is more than a day ahead of this machine's clock
          "", column at is empty
          """)
  void a_record_without_a_time_is_bad(String at, String what) {
    DedupRun.Result result = dedup("a," + at + "\n");

    assertThat(result.code()).isEqualTo(3);
    assertThat(result.said().get(0)).isEqualTo("in.csv, line 2: the record has no time: " + what);
  }

  @Test
  void time_and_late_need_what_they_go_by() {
    assertThat(runs.dedup("--time", "/at", runs.file("in", "")).said())
        .containsExactly("--time needs --window, which says for how long a key is remembered");
    assertThat(runs.dedup("--late", "drop", runs.file("in", "")).said())
        .containsExactly("--late needs --time: by arrival, no record is late");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-01-01T10:00Z",
        "2026-01-01t10:00:00.123456789z",
        "2026-01-01 10:00",
        "2026-01-01T10:00:00-00:00"
      })
  void seconds_may_be_left_out_and_have_a_fraction(String ten) {
    assertThat(dedup("a," + ten + "\n").code()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-01-01",
        "20260101T100000Z",
        "2026-W01-4T10:00:00Z",
        "2026-001T10:00:00Z",
        "10:00:00",
        "2026-01-01T10Z",
        "2026-02-30T10:00:00Z",
        "1.2.2026 10:00"
      })
  void other_forms_are_no_times(String at) {
    DedupRun.Result result = dedup("a," + at + "\n");

    assertThat(result.code()).isEqualTo(3);
    assertThat(result.said().get(0)).endsWith("'" + at + "' is no time");
  }

  /** By this machine's clock, all that the state knew had expired long ago, or was claimed so. */
  @Test
  void what_a_state_knows_is_shown_by_the_time_of_its_records() {
    dedup(
        """
        a,2026-01-01T10:00:00Z
        b,2026-01-01T10:30:00Z
        c,2026-01-01T11:15:00Z
        """,
        "--state",
        runs.path("state"));
    InProcess once = new InProcess(folder);
    String now =
        "onlyonce: state goes by the time of its records, which is 2026-01-01T11:15:00Z now\n";

    InProcess.Result list = once.run("claims", "list", "--state", "@state");
    InProcess.Result show = once.run("claims", "show", "b", "--state", "@state");
    InProcess.Result stats = once.run("claims", "stats", "--json", "--state", "@state");

    assertThat(list.err()).isEqualTo(now);
    assertThat(list.lines().subList(1, list.lines().size()).stream().sorted())
        .containsExactly(
            "done      2026-01-01T10:30:00.000Z      45 min       1  dedup  b",
            "done      2026-01-01T11:15:00.000Z        0 ms       1  dedup  c");
    assertThat(show.err()).isEqualTo(now);
    assertThat(show.out())
        .contains(
            "settled     2026-01-01T10:30:00.000Z (45 min ago)",
            "kept until  2026-01-01T11:30:00.000Z (in 15 min)");
    assertThat(stats.err()).isEqualTo(now);
    assertThat(stats.out()).startsWith("{\"total\":2,\"claimed\":0,\"done\":2,");
    assertThat(once.run("claims", "stats", "--by-scope", "--json", "--state", "@state").out())
        .contains("\"scope\":\"dedup\",\"total\":2,");
    assertThat(
            once.run("claims", "list", "--newer-than", "1m", "--json", "--state", "@state").lines())
        .hasSize(1)
        .allMatch(line -> line.contains("\"key\":\"c\""));
  }

  @Test
  void what_may_not_be_changed_is_not_previewed_either() {
    dedup("a,2026-01-01T10:00:00Z\n", "--state", runs.path("state"));

    for (String mode : List.of("--dry-run", "--yes")) {
      InProcess.Result refused =
          new InProcess(folder).run("claims", "reset", "--failed", mode, "--state", "@state");
      assertThat(refused.code()).isEqualTo(2);
      assertThat(refused.err()).startsWith("onlyonce: state is the state of a dedup --time");
    }
  }

  /** The stream's clock is the highest time so far; a plain model of that says the same. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void random_streams_are_judged_as_by_a_model_also_over_several_runs(long seed) {
    Random random = new Random(seed);
    Map<String, Long> first = new HashMap<>();
    List<String> expected = new ArrayList<>();
    long window = 3_600_000;
    long highest = 0;
    long now = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
    for (int run = 0; run < 4; run++) {
      StringBuilder csv = new StringBuilder();
      for (int i = 0; i < 2_000; i++) {
        now += random.nextInt(60_000);
        long at = now - (random.nextInt(4) == 0 ? random.nextLong(2 * window) : 0);
        String key = "k" + random.nextInt(300);
        String line = key + "," + at + "\n";
        csv.append(line);
        highest = Math.max(highest, at);
        if (at <= highest - window) {
          expected.add(line); // late, and passed on
        } else if (first.getOrDefault(key, Long.MIN_VALUE / 2) + window <= highest) {
          first.put(key, at);
          expected.add(line);
        }
      }
      assertThat(dedup(csv.toString(), "--state", runs.path("state")).code()).isZero();
    }

    assertThat(runs.content("out")).isEqualTo("id,at\n" + String.join("", expected));
  }
}
