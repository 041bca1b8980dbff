package dev.onlyonce.app.cli;

import static dev.onlyonce.app.cli.FilledStore.BILLING;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands for operators as processes, beside a program that has the store open. */
class ClaimsProgramTest {
  @TempDir Path folder;
  private Shell shell;

  @BeforeEach
  void makeShell() {
    shell = Shell.withProgram(folder);
  }

  /** Has a store open until its input ends. */
  static final class OpenStore {
    public static void main(String[] args) throws java.io.IOException {
      try (FilledStore store = FilledStore.at(Path.of(args[0])).inDoubt(BILLING, "order-1")) {
        System.out.println("open " + store.directory());
        while (System.in.read() >= 0) {
          // Until the end.
        }
      }
    }
  }

  @Test
  void an_operator_reads_beside_the_program_and_is_told_who_has_the_store() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Shell.Result result =
        shell
            .set("worker", java + " " + OpenStore.class.getName())
            .run(
                """
                mkfifo stop said
                $worker store < stop > said &
                exec 8> stop 9< said
                read -r line <&9
                $once claims show order-1 --state store | grep -c 'in doubt'
                $once claims resolve order-1 --done --state store 2> err; echo "code $?"
                grep -c "is in use by process $!" err
                exec 8>&-
                wait
                $once claims resolve order-1 --done --state store | grep -c 'order-1 .*: done'
                """);

    assertThat(result).isEqualTo(new Shell.Result(0, "1\ncode 4\n1\n1\n", ""));
  }

  @Test
  void what_a_command_has_found_is_printed_before_the_process_ends() {
    FilledStore.large(folder.resolve("store")).close();

    Shell.Result result =
        shell.run(
            "$once doctor --store local:store > found; echo $?; grep -c '^ok ' found;"
                + " $once doctor --restored --store local:store | grep -c -e --yes;"
                + " $once bench --for 1s --store local:store | tail -n 1 | grep -c '[0-9]'");

    assertThat(result.out()).matches("0\n[1-9][0-9]*\n[1-9]\n1\n");
  }

  @Test
  void a_listing_into_a_pipe_that_is_closed_ends_quietly() {
    try (FilledStore store = FilledStore.large(folder.resolve("store"))) {
      for (int i = 0; i < 5_000; i++) {
        store.lapsed(BILLING, "order-" + i);
      }
    }

    Shell.Result result =
        shell.run(
            "$once claims list --all --json --state store | head -n 1 | wc -l;"
                + " echo ${PIPESTATUS[0]}; $once claims list --all --state store > /dev/full");

    assertThat(result.out()).isEqualTo("1\n0\n");
    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err()).isEqualTo("onlyonce: cannot write to standard output\n");
  }

  /** The end of the input was taken for an empty password, and the server for the wrong one. */
  @Test
  void a_password_that_was_asked_for_and_not_given_is_told() {
    String remedy = ": give the password, or leave the option out if there is none\n";

    Shell.Result result =
        shell.run(
            "$once claims stats --store redis://127.0.0.1:1 --user me --password; echo $?;"
                + " echo | $once doctor --store redis://127.0.0.1:1 --user me --password; echo $?;"
                + " $once claims stats --store redis://127.0.0.1:1 --password-file /dev/null; echo"
                + " $?");

    String nothing = "onlyonce: --password was answered with nothing" + remedy;
    assertThat(result.err())
        .isEqualTo(
            nothing
                + nothing
                + "onlyonce: --password-file /dev/null has nothing in its first line"
                + remedy);
    assertThat(result.out().replaceAll("(?m)^Enter value for --password .*: ", ""))
        .isEqualTo("2\n2\n2\n");
  }

  @Test
  void json_can_be_read_whatever_the_locale_is() {
    FilledStore.at(folder.resolve("store")).lapsed(BILLING, "caf\u00e9").close();

    Shell.Result result = shell.set("LC_ALL", "C").run("$once claims list --json --state store");

    assertThat(result.out()).contains("\"key\":\"caf\\u00E9\"");
  }
}
