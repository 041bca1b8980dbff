package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --state}: what runs that came to their end leave to those that follow. */
class DedupStateTest {

  @TempDir Path folder;
  private DedupRun runs;

  @BeforeEach
  void makeRuns() {
    runs = new DedupRun(folder);
  }

  private DedupRun.Result dedup(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--state", runs.path("state")));
    all.addAll(List.of(arguments));
    return runs.dedup(all.toArray(String[]::new));
  }

  @Test
  void keys_are_remembered_from_run_to_run_and_the_output_is_written_on() {
    String first = runs.file("first", "a\nb\na\n");
    String second = runs.file("second", "b\nc\n");

    DedupRun.Result one = dedup("--duplicates", runs.path("again"), first);
    DedupRun.Result two = dedup("--duplicates", runs.path("again"), second);
    DedupRun.Result three = dedup("--duplicates", runs.path("again"), first);

    assertThat(List.of(one.code(), two.code(), three.code())).containsOnly(0);
    assertThat(one.out()).isEqualTo("a\nb\n");
    assertThat(two.out()).isEqualTo("a\nb\nc\n");
    assertThat(two.counts()).containsExactly(2L, 1L, 1L, 0L, 0L, 0L);
    assertThat(three.out()).isEqualTo("a\nb\nc\n");
    assertThat(three.counts()).containsExactly(3L, 0L, 3L, 0L, 0L, 0L);
    assertThat(runs.content("again")).isEqualTo("a\nb\na\nb\na\n");
  }

  @Test
  void a_line_without_an_end_gets_one_before_the_next_run_writes_on() {
    dedup(runs.file("first", "a\r\nb"));

    assertThat(dedup(runs.file("second", "c\r\nd")).out()).isEqualTo("a\r\nb\r\nc\r\nd");
  }

  @Test
  void the_kind_of_line_end_is_that_of_the_lines_before() {
    dedup(runs.file("first", "1\r\n2"));

    assertThat(dedup(runs.file("second", "3\r\n4\r\n")).out()).isEqualTo("1\r\n2\r\n3\r\n4\r\n");
  }

  @Test
  void a_header_line_may_end_differently_the_next_time() {
    dedup("--key", "id", runs.file("first.csv", "id,v"));
    DedupRun.Result two = dedup("--key", "id", runs.file("second.csv", "id,v\r\n1,b\r\n"));

    assertThat(two.out()).isEqualTo("id,v\n1,b\r\n");
  }

  @Test
  void an_output_in_the_directory_of_the_state_is_refused() {
    dedup(runs.file("first", "a\n"));
    String inside = runs.path("state/snap-out");

    DedupRun.Result refused = dedup("--out", inside, runs.file("second", "b\n"));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(folder.resolve("state/snap-out")).doesNotExist();
    assertThat(dedup(runs.file("second", "b\n")).out()).isEqualTo("a\nb\n");
  }

  @Test
  void a_header_line_is_written_once_for_a_file() {
    dedup("--key", "id", runs.file("first.csv", "id,v\n1,a\n"));
    DedupRun.Result two = dedup("--key", "id", runs.file("second.csv", "id,v\n1,b\n2,c\n"));

    assertThat(two.out()).isEqualTo("id,v\n1,a\n2,c\n");
  }

  @Test
  void a_file_with_another_header_is_refused_as_it_is() {
    dedup("--key", "id", runs.file("first.csv", "id,v\n1,a\n"));
    DedupRun.Result two = dedup("--key", "id", runs.file("second.csv", "v,id\na,1\nc,2\n"));

    assertThat(two.code()).isEqualTo(3);
    assertThat(two.err()).contains("begins with another header line");
    assertThat(two.out()).isEqualTo("id,v\n1,a\n");
  }

  @Test
  void another_output_file_goes_on_where_the_first_one_ended() {
    dedup(runs.file("first", "a\nb\n"));
    String elsewhere = runs.path("elsewhere");

    DedupRun.Result two = dedup("--out", elsewhere, runs.file("second", "b\nc\n"));

    assertThat(two.code()).isZero();
    assertThat(runs.content("elsewhere")).isEqualTo("c\n");
    assertThat(runs.content("out")).isEqualTo("a\nb\n");
  }

  @ParameterizedTest
  @CsvSource({
    "shorter, has only 3 bytes",
    "longer, 'has 2 bytes more, from somebody else'",
    "changed, has been changed",
    "replaced, 'is another file than the one that was written, of the same name'",
    "gone, is gone"
  })
  void a_file_that_is_not_as_it_was_left_is_refused_and_not_touched(String how, String what)
      throws IOException {
    dedup(runs.file("first", "a\nb\nc\n"));
    Path out = folder.resolve("out");
    switch (how) {
      case "shorter" -> Files.writeString(out, "a\nb");
      case "longer" -> Files.writeString(out, "x\n", StandardOpenOption.APPEND);
      case "changed" -> Files.writeString(out, "a\nb\nd\n");
      case "replaced" -> {
        Files.copy(out, folder.resolve("copy"));
        Files.move(folder.resolve("copy"), out, StandardCopyOption.REPLACE_EXISTING);
      }
      default -> Files.delete(out);
    }
    String before = Files.exists(out) ? Files.readString(out) : "";

    DedupRun.Result refused = dedup(runs.file("second", "e\n"));

    assertThat(refused.code()).isEqualTo(4);
    assertThat(refused.said())
        .containsExactly(
            "--out out "
                + what
                + ": the state knows it with 6 bytes; put it back as it was, or move it away and"
                + " name a new file, which then goes on where this one ended");
    assertThat(Files.exists(out)).isEqualTo(!how.equals("gone"));
    assertThat(refused.out()).isEqualTo(before);
    // Nothing was remembered that was not written.
    assertThat(dedup("--out", runs.path("new"), runs.file("second", "e\n")).counts())
        .startsWith(1L, 1L);
  }

  @Test
  void a_file_that_somebody_else_wrote_is_refused_and_not_touched() {
    runs.file("out", "mine\n");

    DedupRun.Result refused = dedup(runs.file("in", "a\n"));

    assertThat(refused.code()).isEqualTo(4);
    assertThat(refused.out()).isEqualTo("mine\n");
    assertThat(refused.said())
        .containsExactly(
            "--out out has 5 bytes that no run with this state has written; name a new file");
  }

  @Test
  void a_state_is_for_one_kind_of_key() {
    dedup("--key", "/id", runs.file("in.jsonl", "{\"id\":1}\n"));

    DedupRun.Result refused = dedup("--key", "/v", runs.file("in.jsonl", "{\"id\":1}\n"));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.said())
        .containsExactly(
            "the state in state is for --key /id, not for --key /v; use another directory");
  }

  @Test
  void a_newer_format_is_refused_and_not_touched() throws IOException {
    dedup(runs.file("in", "a\n"));
    Path log;
    try (var files = Files.list(folder.resolve("state"))) {
      log = files.filter(file -> file.toString().contains("log-")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(log);
    bytes[8]++;
    Files.write(log, bytes);

    DedupRun.Result refused = dedup(runs.file("in", "b\n"));

    assertThat(refused.code()).isEqualTo(4);
    assertThat(refused.err()).contains("newer version");
    assertThat(Files.readAllBytes(log)).isEqualTo(bytes);
    assertThat(refused.out()).isEqualTo("a\n");
  }

  @Test
  void records_that_are_set_aside_are_written_on_too() {
    String[] options = {
      "--key", "/id", "--missing-key", runs.path("none"), "--bad-record", runs.path("bad")
    };
    String in = runs.file("in.jsonl", "{\"id\":1}\n{}\nx\n");
    String[] arguments = Arrays.copyOf(options, options.length + 1);
    arguments[options.length] = in;

    dedup(arguments);
    dedup(arguments);

    assertThat(runs.content("none")).isEqualTo("{}\n{}\n");
    assertThat(runs.content("bad")).isEqualTo("x\nx\n");
  }
}
