package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** What {@code onlyonce dedup} makes of its options, formats and files. */
class DedupCommandTest {
  @TempDir Path folder;
  private DedupRun run;

  @BeforeEach
  void makeRun() {
    run = new DedupRun(folder);
  }

  @ParameterizedTest
  @CsvSource({"jsonl, /id", "csv, id", "tsv, id", "lines,"})
  void empty_input_is_fine_whatever_is_asked_for(String format, String key) {
    String[] arguments =
        key == null
            ? new String[] {"-f", format, run.file("in", "")}
            : new String[] {"-f", format, "--key", key, run.file("in", "")};

    DedupRun.Result result = run.dedup(arguments);

    assertThat(result.code()).isZero();
    assertThat(result.counts()).containsExactly(0L, 0L, 0L, 0L, 0L, 0L);
    assertThat(folder.resolve("out")).isEmptyFile();
  }

  @Test
  void a_header_without_records_is_passed_on_and_checked() {
    String file = run.file("in", "id,n\n");

    assertThat(run.dedup("--key", "id", file).out()).isEqualTo("id,n\n");
    assertThat(run.dedup("-f", "csv", "--key", "di", file).code()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"event":{"eventID":1}} | .event.eventID   | write /event/eventID
          {"id":1}                | id               | write /id
          {"id":1}                | $.a[0]['b/c']    | write /a/0/b~1c
          {"id":1}                | /a~              | in a name write ~0 for ~ and ~1 for /
          id,n                    | name             | in, line 1: there is no column "name"; the columns are id, n
          id,n                    | .id              | in, line 1: there is no column ".id"; the columns are id, n
          id,n                    | 3                | in, line 1: there is no column "3"; the columns are id, n
          id,id,x                 | id               | in, line 1: the header has more than one column "id"; give the number of the column that is meant
          plain                   | name             | plain lines have no fields that --key name could name; leave it out, or give --format
          """)
  void a_key_that_does_not_fit_the_format_is_told_and_nothing_is_written(
      String line, String key, String sentence) {
    run.file("out", "before");

    DedupRun.Result result = run.dedup("--key", key, run.file("in", line + "\n"));

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains(sentence);
    assertThat(result.out()).isEqualTo("before");
  }

  @Test
  void pointers_that_include_one_another_are_told() {
    DedupRun.Result result =
        run.dedup("--key", "/a", "--key", "/a/b", run.file("in", "{\"a\":1}\n"));

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("'/a' includes '/a/b': leave one of them out");
  }

  @Test
  void columns_can_be_numbers_and_there_may_be_no_header() {
    String in = "1,a,x\n2,a,y\n1,b,z\n";
    String file = run.file("in", in);

    assertThat(run.dedup("--no-header", "--key", "1", file).out()).isEqualTo("1,a,x\n2,a,y\n");
    assertThat(run.dedup("--no-header", "--key", "2", "--key", "1", file).out()).isEqualTo(in);
    assertThat(run.dedup("-f", "csv", "--key", "2", file).out()).isEqualTo("1,a,x\n2,a,y\n1,b,z\n");
    DedupRun.Result named = run.dedup("-f", "csv", "--no-header", "--key", "id", file);
    assertThat(named.code()).isEqualTo(2);
    assertThat(named.err()).contains("without a header line a column is a number from 1 to 999999");
    assertThat(run.dedup("--key", "2", run.file("in", "id,id\n1,a\n2,a\n")).out())
        .isEqualTo("id,id\n1,a\n");
  }

  @Test
  void a_name_that_is_a_number_is_the_name() {
    assertThat(run.dedup("--key", "2", run.file("in", "2,1\na,x\na,y\nb,x\n")).out())
        .isEqualTo("2,1\na,x\nb,x\n");
  }

  @Test
  void a_column_far_to_the_right_is_found() {
    String row = "x,".repeat(50_000);
    String in = "c,".repeat(50_000) + "id\n" + row + "1\n" + row + "2\n" + row + "1\n";

    DedupRun.Result result = run.dedup("-f", "csv", "--key", "id", run.file("in", in));

    assertThat(result.counts()).containsExactly(3L, 2L, 1L, 0L, 0L, 0L);
    assertThat(run.dedup("-f", "csv", "--key", "50001", run.file("in", in)).duplicates())
        .isEqualTo(1);
  }

  /** An @ before a name is not a file of arguments. */
  @Test
  void a_column_may_be_called_like_an_argument_file() {
    String file = run.file("in", "@timestamp,@@x\n1,1\n1,2\n");

    assertThat(run.dedup("--key", "@timestamp", file).duplicates()).isEqualTo(1);
    assertThat(run.dedup("--key", "@@x", file).duplicates()).isZero();
    String arguments = run.file("arguments", "--help");
    assertThat(run.dedup("@" + arguments).err()).contains("no such file or folder");
  }

  @Test
  void rows_of_nothing_but_tabs_are_records_without_a_key() {
    String in = "id\tn\n\t\n1\ta\n\n\t\n";

    DedupRun.Result result =
        run.dedup("--key", "id", "--missing-key", run.path("no"), run.file("in", in));

    assertThat(result.counts()).containsExactly(4L, 1L, 0L, 2L, 0L, 1L);
    assertThat(result.out()).isEqualTo("id\tn\n1\ta\n\n");
    assertThat(run.content("no")).isEqualTo("id\tn\n\t\n\t\n");
  }

  @Test
  void blank_lines_are_passed_on_where_lines_are_records_of_another_kind() {
    DedupRun.Result json =
        run.dedup("--key", "/id", run.file("in", "\n{\"id\":1}\n\n \t\r\n{\"id\":1}\n"));
    assertThat(json.out()).isEqualTo("\n{\"id\":1}\n\n \t\r\n");
    assertThat(json.counts()).containsExactly(5L, 1L, 1L, 0L, 0L, 3L);

    assertThat(run.dedup("-f", "lines", run.file("in", "\na\n\n\r\n")).out()).isEqualTo("\na\n");
  }

  @Test
  void bytes_that_are_no_utf_8_are_bad_json_but_fine_fields_and_lines() {
    DedupRun.Result json =
        run.dedup(
            "--key", "/id", run.file("in", "{\"id\":\"\u00FF\"}\n{\"id\":\"a\0\"}\n{\"id\":1}\n"));
    assertThat(json.code()).isEqualTo(3);
    assertThat(json.out()).isEqualTo("{\"id\":1}\n");
    assertThat(json.counts()).containsExactly(3L, 1L, 0L, 0L, 2L, 0L);

    String rows = "id,n\n\u00FF,1\n\u00FE,2\na\0,3\na,4\n\u00FFb,5\n";
    assertThat(run.dedup("--key", "id", run.file("in", rows + "\u00FF,6\n")).out()).isEqualTo(rows);
    String lines = "\u00FF\n\u00FE\na\0\na\n";
    assertThat(run.dedup(run.file("in", lines + lines)).out()).isEqualTo(lines);
  }

  @Test
  void long_keys_are_told_apart_to_their_last_byte() {
    String key = "k".repeat(2_000);
    String in = "id,n\n" + key + "1,a\n" + key + "2,b\n" + "k".repeat(1_024) + ",c\n";

    assertThat(run.dedup("--key", "id", run.file("in", in)).out()).isEqualTo(in);
    String json = "{\"id\":\"" + key + "1\"}\n{\"id\":\"" + key + "2\"}\n";
    assertThat(run.dedup("--key", "/id", run.file("in", json + json)).out()).isEqualTo(json);
  }

  @Test
  void files_with_other_columns_or_another_format_are_not_mixed() {
    String one = run.file("one", "id,n\n1,a\n");

    DedupRun.Result columns = run.dedup("--key", "id", one, run.file("two", "n,id\na,1\n"));
    assertThat(columns.code()).isEqualTo(3);
    assertThat(columns.out()).isEqualTo("id,n\n1,a\n");
    assertThat(columns.err()).contains("two, line 1: the header has other columns (n, id) than");

    DedupRun.Result format = run.dedup("--key", "/id", run.file("two", "{\"id\":1}\n"), one);
    assertThat(format.code()).isEqualTo(3);
    assertThat(format.said().get(0)).startsWith("one, line 1: the record cannot be read: ");
  }

  @Test
  void records_of_both_bad_kinds_can_go_to_one_file_in_their_order() {
    String in = "id,n\n1,a\n,b\n2,\"c\"x\n,d\n1,e\n";

    DedupRun.Result result =
        run.dedup(
            "--key",
            "id",
            "--missing-key",
            run.path("no"),
            "--bad-record",
            run.path("no"),
            run.file("in", in));

    assertThat(result.code()).isZero();
    assertThat(run.content("no")).isEqualTo("id,n\n,b\n2,\"c\"x\n,d\n");
    assertThat(result.counts()).containsExactly(5L, 1L, 1L, 2L, 1L, 0L);
  }

  @Test
  void both_kinds_of_left_out_records_are_told_at_the_end() {
    DedupRun.Result result = run.dedup("--key", "/id", run.file("in", "{}\noops\n{\"id\":1}\n"));

    assertThat(result.code()).isEqualTo(3);
    assertThat(result.out()).isEqualTo("{\"id\":1}\n");
    List<String> said = result.said();
    assertThat(said.subList(said.size() - 2, said.size()))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("1 record was left out for want of a key, "),
            line -> assertThat(line).startsWith("1 record was left out as unreadable, "));
  }

  @Test
  void policies_may_be_written_in_capitals_and_a_file_of_that_name_with_its_folder() {
    String file = run.file("in", "{}\n");

    assertThat(run.dedup("--key", "/id", "--missing-key", "PASS", file).out()).isEqualTo("{}\n");
    assertThat(run.dedup("--key", "/id", "--missing-key", "Fail", file).code()).isEqualTo(3);
    assertThat(run.dedup("--key", "/id", "--missing-key", run.path("pass"), file).code()).isZero();
    assertThat(run.content("pass")).isEqualTo("{}\n");
  }

  @Test
  void the_first_bad_records_are_told_and_the_others_counted() {
    DedupRun.Result result = run.dedup("--key", "/id", run.file("in", "oops\n".repeat(1_000)));

    assertThat(result.said()).hasSize(22);
    assertThat(result.said().get(20)).endsWith("; more of these are only counted");
    assertThat(result.said().get(21)).startsWith("1,000 records were left out");
  }

  @Test
  void the_input_is_not_written_over_whatever_way_leads_to_it() throws IOException {
    String file = run.file("f", "a\na\n");
    String link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("f")).toString();
    String hard = Files.createLink(folder.resolve("hard"), folder.resolve("f")).toString();
    String other = run.file("other", "x\n");
    for (List<String> arguments :
        List.of(
            List.of("--duplicates", file, file),
            List.of("--duplicates", folder + "/./f", file),
            List.of("--duplicates", link, file),
            List.of("--duplicates", file, link),
            List.of("--missing-key", hard, file),
            List.of("--bad-record", link, other, hard))) {
      DedupRun.Result result = run.dedup(arguments.toArray(String[]::new));

      assertThat(result.code()).as("%s", arguments).isEqualTo(2);
      assertThat(result.err()).contains("is the same file as the input");
      assertThat(run.content("f")).isEqualTo("a\na\n");
      assertThat(folder.resolve("out")).doesNotExist();
    }
  }

  @Test
  void two_outputs_must_be_two_files() {
    DedupRun.Result result = run.dedup("--duplicates", run.path("out"), run.file("in", "a\na\n"));

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .contains("is the same file as --out")
        .contains("write to another file");
    assertThat(folder.resolve("out")).doesNotExist();
  }

  @Test
  void files_that_cannot_be_opened_are_told_before_anything_is_written() {
    String in = run.file("in", "a\n");

    assertThat(run.dedup(in, run.path("missing")).said())
        .containsExactly("cannot read missing: no such file or folder");
    assertThat(run.dedup(in, folder.toString()).err()).contains(": it is a folder");
    assertThat(run.dedup("--duplicates", run.path("no/file"), in).err())
        .contains("cannot write --duplicates ")
        .contains(": no such file or folder");
    assertThat(run.dedup("--bad-record", folder.toString(), in).code()).isEqualTo(4);
    assertThat(folder.resolve("out")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          --window 0s               | '0s' is not a positive time
          --window 1w               | '1w' is not a time; write it as 500ms, 90s, 15m, 24h or 7d
          --window 5                | '5' is not a time
          --window -5s              | '-5s' is not a time
          --window soon             | 'soon' is not a time
          --max-record 0            | '0' is out of range; it may be from 1 byte to 1GiB
          --max-record 2GiB         | '2GiB' is out of range
          --max-record 17179869185G | '17179869185G' is out of range
          --max-record 1.5M         | '1.5M' is not a size; write it as 4096, 64KiB, 64MiB or 1GiB
          --stats xml               | must be text, json or none, was 'xml'
          --format xml              | must be jsonl, csv, tsv or lines, was 'xml'
          --kye /id                 | Unknown option: '--kye'
          --key                     | Missing required parameter for option '--key' (EXPR)
          --stats                   | Missing required parameter for option '--stats'
          --out a --out b           | option '--out' (FILE) should be specified only once
          - -                       | standard input (-) can be read only once; name it once
          """)
  void a_wrong_command_line_is_told_with_exit_code_2(String arguments, String sentence) {
    DedupRun.Result result = run.dedup(arguments.split(" ", -1));

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.said().get(0)).contains(sentence);
    assertThat(folder.resolve("out")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"500ms", "90s", "15m", "24h", "7d", "PT1H", "999999999999d"})
  void a_window_may_be_short_or_long(String window) {
    String in = run.file("in", "a\n".repeat(2));

    assertThat(run.dedup("--window", window, in).duplicates()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"4, 1", "3, 0", "4B, 1", "1K, 1", "1kib, 1", "1MB, 1", "1GiB, 1"})
  void a_size_may_have_a_unit(String size, long passed) {
    DedupRun.Result result =
        run.dedup(
            "--max-record", size, "--bad-record", run.path("bad"), run.file("in", "abcd\r\n"));

    assertThat(result.counts().get(1)).isEqualTo(passed);
  }

  @Test
  void statistics_can_be_one_line_of_json_or_left_out() {
    String in = run.file("in", "{\"id\":1}\n{\"id\":1}\n{}\noops\n\n");

    DedupRun.Result json =
        run.dedup(
            "--stats",
            "json",
            "--key",
            "/id",
            "--missing-key",
            "pass",
            "--bad-record",
            run.path("bad"),
            in);
    assertThat(json.err().lines().toList().get(1))
        .matches(
            "\\{\"records\":5,\"passed\":1,\"duplicates\":1,\"withoutKey\":1,\"bad\":1,\"blank\":1,\"late\":0,\"resumed\":0,"
                + "\"bytesRead\":27,\"seconds\":\\d+\\.\\d{3}}");
    assertThat(
            run.dedup("--key", "/seconds", run.file("line", json.err().lines().toList().get(1)))
                .counts())
        .as("it is JSON")
        .containsExactly(1L, 1L, 0L, 0L, 0L, 0L);

    assertThat(run.dedup("--stats", "none", run.file("in", "a\n")).err()).isEmpty();
  }

  @Test
  void help_explains_every_option_and_shows_examples_that_can_be_understood() {
    StringWriter out = new StringWriter();
    CommandLine commandLine = Main.commandLine().setOut(new PrintWriter(out));

    assertThat(Main.run(commandLine, "dedup", "--help")).isZero();

    CommandLine dedup = commandLine.getSubcommands().get("dedup");
    for (OptionSpec option : dedup.getCommandSpec().options()) {
      assertThat(option.description()).as(option.longestName()).isNotEmpty();
      assertThat(out.toString()).contains(option.longestName());
    }
    assertThat(out.toString()).contains("jsonl, csv, tsv or lines", "Exit codes:", "Examples:");
    Matcher example = Pattern.compile("onlyonce dedup ([^<>\n]*)").matcher(out.toString());
    example.find(out.toString().indexOf("Examples:"));
    do {
      assertThat(Main.commandLine().parseArgs(("dedup " + example.group(1).strip()).split(" +")))
          .isNotNull();
    } while (example.find());
  }

  @Test
  void the_version_is_told_by_the_command_too() {
    StringWriter out = new StringWriter();
    CommandLine commandLine = Main.commandLine().setOut(new PrintWriter(out));

    assertThat(Main.run(commandLine, "dedup", "--version")).isZero();
    assertThat(out.toString()).startsWith("onlyonce ");
  }

  @ParameterizedTest
  @CsvSource({"jsonl, /id", "csv, 1", "tsv, 1", "lines,"})
  void the_limit_for_records_holds_in_each_format(String format, String key) {
    String shortOne = "{\"id\":1}\n";
    String longOne = "{\"x\":\"" + "x".repeat(5 << 20) + "\",\"id\":2}\n";
    String in = run.file("in", shortOne + longOne + "{\"id\":3}\n");

    DedupRun.Result result =
        key == null
            ? run.dedup("-f", format, "--max-record", "4MiB", "--bad-record", run.path("no"), in)
            : run.dedup(
                "-f",
                format,
                "--key",
                key,
                "--no-header",
                "--max-record",
                "4MiB",
                "--bad-record",
                run.path("no"),
                in);

    assertThat(result.out()).isEqualTo(shortOne + "{\"id\":3}\n");
    assertThat(run.content("no")).isEqualTo(longOne);
  }
}
