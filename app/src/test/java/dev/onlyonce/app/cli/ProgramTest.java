package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.testkit.Case;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as a process, with real files and pipes. */
class ProgramTest {
  @TempDir Path folder;
  private Shell shell;

  @BeforeEach
  void makeShell() {
    shell = Shell.withProgram(folder);
  }

  @Test
  void records_go_from_standard_input_to_standard_output() {
    Shell.Result result = shell.run("printf 'a\\nb' | $once copy");

    assertThat(result).isEqualTo(new Shell.Result(0, "a\nb", ""));
  }

  @Test
  void inputs_may_be_pipes_with_a_name() {
    Shell.Result result =
        shell.run("$once copy <(printf 'id,n\\n1,a\\n') <(printf 'id,n\\n2,b\\n' | gzip)");

    assertThat(result).isEqualTo(new Shell.Result(0, "id,n\n1,a\nid,n\n2,b\n", ""));
  }

  @Test
  @Case(71)
  void a_reader_that_goes_away_is_a_quiet_end() {
    Shell.Result result = shell.run("seq 1000000 | $once copy | head -n 1; echo ${PIPESTATUS[1]}");

    assertThat(result).isEqualTo(new Shell.Result(0, "1\n0\n", ""));
  }

  @Test
  void a_reader_that_goes_away_is_told_with_the_debug_option() {
    Shell.Result result = shell.run("seq 1000000 | $once --debug copy | head -n 1");

    assertThat(result.err()).contains("ReaderGoneException");
  }

  @Test
  void the_reader_of_a_named_pipe_may_go_away_too() {
    Shell.Result result =
        shell.run(
            "mkfifo pipe; head -n 1 pipe & seq 1000000 | $once copy --out pipe; echo code $?; wait");

    assertThat(result.out().lines()).containsExactlyInAnyOrder("1", "code 0");
    assertThat(result.err()).isEmpty();
  }

  @Test
  void a_full_disk_is_one_sentence_and_exit_code_4() {
    Shell.Result result = shell.run("seq 1000000 | $once copy > /dev/full");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err())
        .isEqualTo("onlyonce: cannot write to standard output: No space left on device\n");
  }

  @Test
  void a_redirected_input_is_not_written_over() throws IOException {
    Path file = Files.writeString(folder.resolve("f"), "a\nb\n");
    Files.createLink(folder.resolve("g"), file);

    Shell.Result result = shell.run("$once copy --out g < f");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .isEqualTo(
            "onlyonce: --out g is the same file as the input (standard input),"
                + " which would be destroyed; write to another file\n");
    assertThat(Files.readString(file)).isEqualTo("a\nb\n");
  }

  @Test
  void an_input_is_not_appended_to_without_end() throws IOException {
    Path file = Files.writeString(folder.resolve("f"), "a\nb\n");

    Shell.Result result = shell.run("$once copy f >> f");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).startsWith("onlyonce: standard output is the same file as the input");
    assertThat(Files.readString(file)).isEqualTo("a\nb\n");
  }

  @Test
  void standard_output_and_an_output_file_must_not_be_the_same() throws IOException {
    Shell.Result result = shell.run("seq 3 | $once copy --duplicates d > d");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .isEqualTo(
            "onlyonce: --duplicates d is the same file as standard output;"
                + " write to another file\n");
  }

  @Test
  void a_terminal_like_device_may_be_input_and_output() {
    assertThat(shell.run("$once copy < /dev/null > /dev/null").code()).isZero();
  }

  /** Case 69: 300 MiB in one line, with a heap far smaller than that. */
  @Test
  void a_line_larger_than_the_heap_goes_through() throws IOException {
    Path in = folder.resolve("in");
    byte[] block = new byte[1 << 20];
    Arrays.fill(block, (byte) 'x');
    try (OutputStream out = Files.newOutputStream(in)) {
      out.write("{\"id\":1}\n{\"id\":2,\"x\":\"".getBytes(StandardCharsets.UTF_8));
      for (int i = 0; i < 300; i++) {
        out.write(block);
      }
      out.write("\"}\n{\"id\":3}\n".getBytes(StandardCharsets.UTF_8));
    }

    Shell.Result result =
        shell
            .set("JDK_JAVA_OPTIONS", "-Xmx64m")
            .run("$once copy --max-record 10000000 in | cmp - in && echo same");

    assertThat(result.out()).isEqualTo("same\n");
  }

  @Test
  void a_heap_that_is_too_small_is_one_sentence() {
    Shell.Result result =
        shell
            .set("JDK_JAVA_OPTIONS", "-Xmx16m")
            .run("head -c 50000000 /dev/zero | $once copy >/dev/null");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err()).contains("onlyonce: out of memory; ").doesNotContain("\tat ");
  }

  @Test
  void a_cut_gzip_file_is_one_sentence_and_exit_code_3() {
    Shell.Result result =
        shell.run("seq 100000 | gzip | head -c 50000 > f.gz; $once copy f.gz | tail -n 1");
    Shell.Result code = shell.run("$once copy f.gz > /dev/null");

    assertThat(code.code()).isEqualTo(3);
    assertThat(code.err())
        .matches("onlyonce: f\\.gz, line \\d+: the gzip data ends too early \\(.*\\)\n");
    long last = Long.parseLong(result.out().strip());
    assertThat(code.err()).contains("line " + (last + 1) + ":");
  }

  @Test
  void a_missing_file_is_one_sentence_and_exit_code_4() {
    Shell.Result result = shell.run("$once copy --out out missing");

    assertThat(result)
        .isEqualTo(
            new Shell.Result(4, "", "onlyonce: cannot read missing: no such file or folder\n"));
    assertThat(folder.resolve("out")).doesNotExist();
  }

  @Test
  void a_bug_is_one_sentence_and_shows_its_trace_on_request() {
    Shell.Result plain = shell.run("$once copy --fail-with oops");
    Shell.Result debug = shell.run("ONLYONCE_DEBUG=1 $once copy --fail-with oops");

    assertThat(plain.code()).isEqualTo(70);
    assertThat(plain.err())
        .isEqualTo(
            "onlyonce: this is a bug in onlyonce (java.lang.IllegalStateException: oops);"
                + " please report it with what --debug shows\n");
    assertThat(debug.err()).contains("\tat ");
  }

  @Test
  void a_wrong_command_line_is_told_with_the_way_to_help() {
    Shell.Result result = shell.run("$once copy --nonsense");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("--nonsense").contains("try 'onlyonce copy --help'");
  }

  @Test
  void help_and_version_go_to_standard_output_without_colours_in_a_pipe() {
    Shell.Result help = shell.run("$once --help");
    Shell.Result version = shell.run("$once --version");

    assertThat(help.code()).isZero();
    assertThat(help.out()).contains("Usage: onlyonce", "Exit codes:").doesNotContain("\u001B");
    assertThat(version.code()).isZero();
    assertThat(version.out()).startsWith("onlyonce ");
  }

  @Test
  void help_that_cannot_be_written_is_a_failure() {
    assertThat(shell.run("$once --help > /dev/full").code()).isEqualTo(4);
  }
}
