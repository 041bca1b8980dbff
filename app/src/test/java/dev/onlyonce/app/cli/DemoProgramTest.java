package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code onlyonce demo} as a process. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class DemoProgramTest {
  @TempDir Path folder;
  private Shell shell;

  @BeforeEach
  void makeShell() {
    shell = Shell.withProgram(folder);
  }

  @Test
  void it_prints_what_it_does_a_table_and_what_it_shows() {
    Shell.Result result = shell.run("$once demo --callbacks 300 --kills 2 --seed 5");

    assertThat(result.code()).isZero();
    assertThat(result.err()).isEmpty();
    List<String> lines = result.out().lines().toList();
    assertThat(lines.get(0)).startsWith("300 callbacks, each one to four times: ");
    assertThat(lines.get(1)).endsWith("killed 2 times in each run, with SIGKILL. Seed 5.");
    assertThat(lines.get(4)).startsWith("naive ");
    assertThat(lines.get(5)).startsWith("check-then-act ");
    assertThat(lines.get(6)).matches("onlyonce +[\\d,]+ +300 +0 +0 +\\d+ +\\d+ +2 +\\d+\\.\\d");
    assertThat(lines).hasSize(11);
  }

  @Test
  void json_is_an_array_with_an_object_for_each_run_and_the_seed_is_told_aside() {
    Shell.Result result = shell.run("$once demo --json --callbacks 300 --kills 2 --seed 5");

    String object =
        "\\{\"run\":\"%s\",\"deliveries\":\\d+,\"effects\":%s,\"doubled\":%s,\"lost\":0,"
            + "\"resolved\":\\d+,\"lookUps\":\\d+,\"kills\":2,\"seconds\":\\d+\\.\\d{3}\\}";
    assertThat(result.out())
        .matches(
            "\\["
                + object.formatted("naive", "\\d+", "[1-9]\\d*")
                + ",\n "
                + object.formatted("check-then-act", "\\d+", "\\d+")
                + ",\n "
                + object.formatted("onlyonce", "300", "0")
                + "]\n");
    assertThat(result.err()).isEqualTo("onlyonce: seed 5\n");
  }

  @ParameterizedTest
  @CsvSource({
    "--callbacks 9, --callbacks must be 10 to 1000000",
    "--callbacks 100 --kills 11, --kills must be 0 to 10",
    "--kills x, Invalid value for option '--kills'",
    "--seed x, Invalid value for option '--seed'",
  })
  void a_number_that_cannot_be_is_one_sentence_and_exit_code_2(String options, String sentence) {
    Shell.Result result = shell.run("$once demo " + options);

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err().replace(",", "")).startsWith("onlyonce: " + sentence);
  }

  @Test
  void a_folder_for_temporary_files_that_is_missing_is_one_sentence_and_exit_code_4() {
    Shell.Result result =
        shell
            .set("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + folder.resolve("missing"))
            .run("$once demo --callbacks 10 --kills 0 2> >(grep -v JDK_JAVA_OPTIONS >&2)");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err()).startsWith("onlyonce: the demo cannot go on: ");
  }

  @Test
  void nothing_is_left_in_the_folder_for_temporary_files() {
    Shell.Result result =
        shell
            .set("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + folder)
            .run("$once demo --callbacks 50 --kills 1 > /dev/null 2>&1; ls -A");

    assertThat(result.out()).isEmpty();
  }

  /** With SIGKILL, so that it cannot do anything about them. */
  @Test
  void when_it_is_killed_its_children_end_and_remove_its_files() throws Exception {
    assertThat(childrenOf(start(), Process::destroyForcibly)).allSatisfy(it -> it.onExit().get());
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void when_it_is_told_to_end_its_children_are_gone_and_so_are_their_files() throws Exception {
    assertThat(childrenOf(start(), Process::destroy)).allSatisfy(it -> it.onExit().get());
    assertThat(folder).isEmptyDirectory();
  }

  private Process start() throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Djava.io.tmpdir=" + folder,
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "demo",
            "--callbacks",
            "1000000")
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** Waits for the bank and a worker, ends the program, and returns the two. */
  private static List<ProcessHandle> childrenOf(Process program, Consumer<Process> end)
      throws Exception {
    List<ProcessHandle> children = program.children().toList();
    while (children.size() < 2) {
      assertThat(program.isAlive()).isTrue();
      LockSupport.parkNanos(10_000_000);
      children = program.children().toList();
    }
    end.accept(program);
    program.waitFor();
    return children;
  }
}
