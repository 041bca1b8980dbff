package dev.onlyonce.app.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code onlyonce dedup} as a process, where pipes, devices and memory matter. */
class DedupProgramTest {
  @TempDir Path folder;
  private Shell shell;

  @BeforeEach
  void makeShell() {
    shell = Shell.withProgram(folder);
  }

  @Test
  void standard_input_goes_to_standard_output_and_the_statistics_do_not() {
    Shell.Result result = shell.run("printf 'a\\nb\\na' | $once dedup");

    assertThat(result.code()).isZero();
    assertThat(result.out()).isEqualTo("a\nb\n");
    assertThat(result.err())
        .matches(
            "onlyonce: 3 records: 2 passed on, 1 duplicate, 0 without key, 0 bad, 0 blank;"
                + " \\d+\\.\\d\\d s\n");
  }

  @Test
  void known_failure_69_a_line_of_5_mib_is_a_record_like_others() throws IOException {
    writeLong(5);

    Shell.Result result = shell.run("$once dedup --key /id long | cmp - long && echo same");

    assertThat(result.out()).isEqualTo("same\n");
    assertThat(result.err()).contains("3 records: 3 passed on");
  }

  @Test
  void known_failure_69_a_line_of_300_mib_is_told_and_the_lines_behind_it_are_read()
      throws IOException {
    writeLong(300);

    Shell.Result refused = shell.run("$once dedup --key /id long");
    assertThat(refused.code()).isEqualTo(3);
    assertThat(refused.out()).isEqualTo("{\"id\":1}\n{\"id\":3}\n");
    assertThat(refused.err())
        .startsWith("onlyonce: long, line 2: the record is longer than --max-record allows\n")
        .contains("3 records: 2 passed on, 0 duplicates, 0 without key, 1 bad, 0 blank;");

    Shell.Result passed =
        shell.run("$once dedup --key /id --bad-record pass long | cmp - long && echo same");
    assertThat(passed.out()).isEqualTo("same\n");
  }

  @Test
  void known_failure_71_a_closed_pipe_is_a_quiet_end_with_exit_code_0() {
    shell.run("seq 1000000 | sed 's/.*/{\"id\":&}/' > big.jsonl");

    Shell.Result head =
        shell.run("$once dedup --key /id big.jsonl | head -n 1; echo ${PIPESTATUS[0]}");

    assertThat(head).isEqualTo(new Shell.Result(0, "{\"id\":1}\n0\n", ""));
  }

  @Test
  void known_failure_71_records_left_out_before_are_still_a_failure() {
    Shell.Result result =
        shell.run(
            "(echo oops; seq 1000000 | sed 's/.*/{\"id\":&}/') | $once dedup --key /id"
                + " | head -n 1; echo ${PIPESTATUS[1]}");

    assertThat(result.out()).isEqualTo("{\"id\":1}\n3\n");
    assertThat(result.err()).contains("standard input, line 1: the record cannot be read: ");
  }

  @Test
  void known_failure_71_a_side_output_that_closes_does_not_end_the_main_one() {
    Shell.Result result =
        shell.run(
            "seq 100000 | sed p > in; $once dedup --stats none --duplicates >(head -n 1 >/dev/null)"
                + " in > out; echo $?; seq 100000 | cmp - out");

    assertThat(result).isEqualTo(new Shell.Result(0, "0\n", ""));
  }

  @Test
  void a_side_output_that_fails_is_told_although_the_reader_went_away() {
    Shell.Result result =
        shell.run(
            "(echo 1; seq 300000) | $once dedup --duplicates /dev/full | head -n 1;"
                + " echo ${PIPESTATUS[1]}");

    assertThat(result.out()).isEqualTo("1\n4\n");
    assertThat(result.err()).contains("cannot write --duplicates /dev/full: No space left");
  }

  @ParameterizedTest
  @ValueSource(strings = {"> /dev/full", "--out /dev/full", "--duplicates /dev/full > /dev/null"})
  void a_full_disk_is_one_sentence_and_exit_code_4(String where) {
    Shell.Result result = shell.run("seq 50000 | sed p | $once dedup " + where);

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err())
        .matches("onlyonce: cannot write \\S+ \\S+( \\S+)?: No space left on device\n");
  }

  @Test
  void closed_standard_output_is_told() {
    Shell.Result result = shell.run("echo a | $once dedup --stats none >&-");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err()).startsWith("onlyonce: cannot write to standard output: ");
  }

  /** Each record arrives before the next one is sent, else this would wait for ever. */
  @Test
  void a_record_is_passed_on_when_the_input_pauses() {
    Shell.Result result =
        shell.run(
            """
            mkfifo in out
            $once dedup --key id --stats none <in >out &
            exec 3>in 4<out
            printf 'id,n\\n1,a\\n' >&3; read -r x <&4; read -r y <&4; echo "$x $y"
            printf '1,b\\n2,c\\n' >&3; read -r x <&4; echo "$x"
            printf '3,d\\n4' >&3; read -r x <&4; echo "$x"
            exec 3>&-; read -r x <&4; echo "$x"; wait $!; echo $?
            """);

    assertThat(result).isEqualTo(new Shell.Result(0, "id,n 1,a\n2,c\n3,d\n4\n0\n", ""));
  }

  @Test
  void packed_records_are_passed_on_when_a_member_or_frame_has_ended() throws IOException {
    Files.write(folder.resolve("a.zst"), Zstd.compress("a\n".getBytes(UTF_8)));
    Files.write(folder.resolve("b.zst"), Zstd.compress("b\n".getBytes(UTF_8)));
    String script =
        """
        rm -f in out; mkfifo in out
        $once dedup --stats none <in >out &
        exec 3>in 4<out
        %s >&3; read -r x <&4; echo "$x"
        %s >&3; read -r x <&4; echo "$x"
        exec 3>&-; wait $!; echo $?
        """;

    assertThat(shell.run(script.formatted("echo a | gzip", "echo b | gzip")))
        .isEqualTo(new Shell.Result(0, "a\nb\n0\n", ""));
    assertThat(shell.run(script.formatted("cat a.zst", "cat b.zst")))
        .isEqualTo(new Shell.Result(0, "a\nb\n0\n", ""));
  }

  /** The input stays open without another byte; a run that waited for it would not end. */
  @Test
  void the_end_does_not_wait_for_an_input_that_pauses() throws IOException {
    Files.write(folder.resolve("a.zst"), Zstd.compress("1\n2\n3\n".getBytes(UTF_8)));

    Shell.Result result =
        shell.run(
            """
            mkfifo in
            $once dedup --out /dev/full --stats none <in &
            exec 3>in
            cat a.zst >&3
            wait $!; echo $?
            """);

    assertThat(result.out()).isEqualTo("4\n");
  }

  @Test
  void too_little_memory_for_a_record_is_one_sentence() {
    Shell.Result result =
        shell
            .set("JDK_JAVA_OPTIONS", "-Xmx24m")
            .run("head -c 50000000 /dev/zero | $once dedup >/dev/null");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err()).contains("onlyonce: out of memory; ").doesNotContain("bug", "\tat ");
  }

  @Test
  void too_many_keys_are_one_sentence_with_the_remedy() {
    Shell.Result result =
        shell.set("JDK_JAVA_OPTIONS", "-Xmx64m").run("seq 150000 | $once dedup >/dev/null");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err())
        .endsWith(
            "onlyonce: there are more than 100,000 different keys, which is what the memory holds"
                + " that Java may use; give it more, as in ONLYONCE_JAVA_OPTS=-Xmx8g (java -jar:"
                + " JAVA_TOOL_OPTIONS), or forget keys with --window\n");
  }

  @Test
  void a_file_that_must_not_be_read_is_told() {
    Shell.Result result =
        shell.run(
            """
            echo a > f; chmod 000 f
            if [ "$(id -u)" = 0 ]; then drop="setpriv --bounding-set=-all --inh-caps=-all"; fi
            $drop $once dedup f
            """);

    assertThat(result)
        .isEqualTo(new Shell.Result(4, "", "onlyonce: cannot read f: permission denied\n"));
  }

  @Test
  void a_name_that_the_locale_does_not_have_is_no_bug() {
    shell.set("LC_ALL", "C");

    for (String options : new String[] {"$name", "--out $name", "--bad-record $name"}) {
      Shell.Result result =
          shell.run("name=$(printf '\\303\\274'); echo a | $once dedup " + options);

      assertThat(result.code()).isEqualTo(2);
      assertThat(result.err()).contains("cannot be the name of a file here", "LC_ALL=C.UTF-8");
    }
  }

  @Test
  void a_redirected_input_or_output_is_not_written_over() throws IOException {
    shell.run("printf 'a\\na\\n' > f; ln f hard");
    for (String output : new String[] {"--bad-record hard < f", "f >> hard"}) {
      Shell.Result result = shell.run("$once dedup " + output);

      assertThat(result.code()).as(output).isEqualTo(2);
      assertThat(result.err()).as(output).contains("is the same file as the input");
      assertThat(Files.readString(folder.resolve("f"))).as(output).isEqualTo("a\na\n");
    }
  }

  @Test
  void a_dash_as_output_is_standard_output() {
    assertThat(shell.run("printf 'a\\na\\nb\\n' | $once dedup --stats none --out d --duplicates -"))
        .isEqualTo(new Shell.Result(0, "a\n", ""));
    assertThat(shell.run("echo a | $once dedup --stats none --out - - && ls"))
        .isEqualTo(new Shell.Result(0, "a\nd\n", ""));
    assertThat(shell.run("echo a | $once dedup --duplicates - | cat; exit ${PIPESTATUS[1]}").err())
        .isEqualTo(
            "onlyonce: --duplicates - is the same file as standard output;"
                + " write to another file\n");
  }

  /** Three lines, the second of which is long and has its key at the end. */
  private void writeLong(int mebibytes) {
    shell.run(
        "(printf '{\"id\":1}\\n{\"x\":\"'; head -c %dM /dev/zero | tr '\\0' x;".formatted(mebibytes)
            + " printf '\",\"id\":2}\\n{\"id\":3}\\n') > long");
  }
}
