package dev.onlyonce.app.cli;

import static dev.onlyonce.app.cli.FilledStore.BILLING;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The directory of {@code --state}: when it is made, and what may be in it. */
class DedupStateDirectoryTest {

  private static final String CSV = "id,v\n1,a\n2,b\n";

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

  private List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** A state was made first, and then the outputs were looked at. */
  @ParameterizedTest
  @ValueSource(strings = {"foreign bytes", "a folder", "no folder", "no column", "an input"})
  void a_run_that_is_refused_leaves_nothing(String why) throws IOException {
    String in = runs.file("in.csv", CSV);
    List<String> arguments =
        switch (why) {
          case "foreign bytes" -> List.of("--out", runs.file("out", "mine\n"), in);
          case "a folder" ->
              List.of("--out", Files.createDirectory(folder.resolve("dir")).toString(), in);
          case "no folder" -> List.of("--out", runs.path("no/such/out"), in);
          case "no column" -> List.of("--key", "no", "--format", "csv", in);
          default -> List.of("--duplicates", in, in);
        };
    List<String> before = names(folder);

    DedupRun.Result refused = dedup(arguments.toArray(String[]::new));

    assertThat(refused.code()).isIn(2, 4);
    assertThat(names(folder)).isEqualTo(before);
    assertThat(runs.content("in.csv")).isEqualTo(CSV);
  }

  @Test
  void a_state_is_made_also_for_an_empty_input() {
    assertThat(dedup(runs.file("in", "")).code()).isZero();

    assertThat(folder.resolve("state/store")).exists();
  }

  /** Our files were put among theirs. */
  @Test
  void a_directory_with_files_of_others_is_refused_and_not_touched() throws IOException {
    Path directory = Files.createDirectory(folder.resolve("state"));
    Files.writeString(directory.resolve("letter.txt"), "mine");

    DedupRun.Result refused = dedup(runs.file("in", "a\n"));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err())
        .isEqualTo(
            "onlyonce: --state "
                + directory
                + " is not a state, and has other files in it, such as letter.txt; name a directory"
                + " that is empty or not there yet\n");
    assertThat(names(directory)).containsExactly("letter.txt");
    assertThat(folder.resolve("out")).doesNotExist();
  }

  @Test
  void an_empty_directory_and_one_of_a_run_that_was_killed_early_may_become_a_state()
      throws IOException {
    Path directory = Files.createDirectory(folder.resolve("state"));
    assertThat(dedup(runs.file("in", "a\n")).code()).isZero();

    Files.createDirectory(folder.resolve("other"));
    Files.writeString(folder.resolve("other/lock"), "4711\n");
    Files.writeString(folder.resolve("other/log.new"), "");
    Files.writeString(folder.resolve("other/store.new"), "");
    assertThat(
            runs.dedup(
                    "--state", runs.path("other"), "--out", runs.path("o"), runs.file("in", "a\n"))
                .code())
        .isZero();
    assertThat(names(directory)).contains("store");
  }

  @Test
  void a_file_in_the_place_of_the_directory_or_above_it_is_told() {
    String file = runs.file("state", "mine");

    DedupRun.Result refused = dedup(runs.file("in", "a\n"));
    DedupRun.Result below = runs.dedup("--state", runs.path("state/below"), runs.file("in", "a\n"));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err())
        .isEqualTo("onlyonce: --state " + file + " is a file; name a directory for the state\n");
    assertThat(below.code()).isEqualTo(4);
    assertThat(below.err())
        .isEqualTo(
            "onlyonce: cannot make the directory --state " + file + "/below: Not a directory\n");
    assertThat(runs.content("state")).isEqualTo("mine");
    assertThat(folder.resolve("out")).doesNotExist();
  }

  /** A payments store was taken for a state without keys, and got some. */
  @Test
  void a_store_of_another_program_is_refused_and_not_touched() {
    Path directory = folder.resolve("state");
    FilledStore.at(directory).done(BILLING, "order-1", "ok").close();

    DedupRun.Result refused = dedup(runs.file("in", "a\n"));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err())
        .isEqualTo(
            "onlyonce: the store in "
                + directory
                + " is not a state of dedup; use another directory\n");
    assertThat(new InProcess(folder).run("claims", "list", "--json", "--state", "@state").lines())
        .hasSize(1)
        .allMatch(line -> line.contains("\"scope\":\"billing\""));
  }

  /** The header line of the second file would have been a record, or a record a header line. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --key=1              | --key=1 --no-header  | csv with a header line whose column 1 is id | csv without a header line
          --key=1 --no-header  | --key=1              | csv without a header line | csv with a header line whose column 1 is id
          --key=1              | --key=1 -f=tsv       | csv with a header line whose column 1 is id | tsv with a header line whose column 1 is id,v
          --no-header          | ''                   | records without a header line | csv with a header line
          """)
  void a_state_is_not_continued_with_another_reading_of_its_input(
      String first, String second, String made, String wanted) throws IOException {
    List<String> begin = new ArrayList<>(List.of(first.split(" ")));
    begin.add(runs.file("monday.csv", CSV));
    List<String> goOn = new ArrayList<>(List.of(second.split(" ")));
    goOn.removeIf(String::isEmpty);
    goOn.add(runs.file("tuesday.csv", CSV));
    for (List<String> arguments : List.of(begin, goOn)) {
      if (arguments.stream().noneMatch(it -> it.startsWith("-f"))) {
        arguments.add(0, "-f=csv");
      }
    }
    assertThat(dedup(begin.toArray(String[]::new)).code()).isZero();
    String before = runs.content("out");

    DedupRun.Result refused = dedup(goOn.toArray(String[]::new));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.said())
        .containsExactly(
            "the state in state is for input that is "
                + made
                + ", not for "
                + wanted
                + "; use another directory");
    assertThat(runs.content("out")).isEqualTo(before);
    assertThat(dedup(begin.toArray(String[]::new)).counts()).element(1).isEqualTo(0L);
  }

  @Test
  void a_column_by_number_that_has_another_name_now_is_another_key() {
    dedup("--key", "2", "-f", "csv", runs.file("monday.csv", "id,state\n1,paid\n"));

    DedupRun.Result refused =
        runs.dedup(
            "--state",
            runs.path("state"),
            "--key=2",
            "-f=csv",
            "--out",
            runs.path("new"),
            runs.file("tuesday.csv", "id,amount\n1,paid\n"));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("whose column 2 is state, not for", "column 2 is amount");
    assertThat(folder.resolve("new")).doesNotExist();
  }

  @Test
  void whole_records_without_a_header_line_are_the_same_in_all_formats() {
    dedup("-f", "lines", runs.file("monday", "{\"a\":1}\nx\n"));

    assertThat(dedup("-f", "jsonl", runs.file("tuesday", "{\"a\":1}\n")).counts())
        .startsWith(1L, 0L, 1L);
    assertThat(dedup("-f", "csv", "--no-header", runs.file("tuesday", "x\n")).counts())
        .startsWith(1L, 0L, 1L);
  }

  /** Two keys "a" and "b" and the one column "a --key b" had the same settings. */
  @Test
  void expressions_with_blanks_are_not_taken_for_several() {
    dedup("--key", "a --key b", runs.file("monday.csv", "a --key b\n1\n"));

    DedupRun.Result refused = dedup("--key=a", "--key=b", runs.file("tuesday.csv", "a,b\n1,2\n"));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("is for --key a\\ --key\\ b, not for --key a --key b");
  }
}
