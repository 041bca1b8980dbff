package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The completion script, in a real bash. */
class CompletionTest {
  @TempDir Path folder;
  private Shell shell;

  @BeforeEach
  void makeShell() {
    shell = Shell.withProgram(folder);
    InProcess once = new InProcess(folder);
    once.write("script", once.run("completion", "bash").out());
  }

  /** What bash offers for the last of these words, in place of which nothing or a part is typed. */
  private List<String> complete(String command, String... words) {
    StringBuilder line = new StringBuilder("COMP_WORDS=(" + command);
    for (String word : words) {
      line.append(" '").append(word).append("'");
    }
    Shell.Result result =
        shell.run(
            """
            set -e
            source ./script
            compopt() { :; } # bash has it only while the tab key is pressed
            spec=$(complete -p onlyonce)
            [[ $spec =~ -F\\ ([^ ]+) ]]
            function=${BASH_REMATCH[1]}
            %s)
            COMP_CWORD=%d
            COMP_LINE="${COMP_WORDS[*]}"
            COMP_POINT=${#COMP_LINE}
            set +e
            "$function" onlyonce "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%%s\\n' "${COMPREPLY[@]}"
            """
                .formatted(line, words.length));
    assertThat(result.err()).isEmpty();
    return result.out().lines().map(String::strip).toList();
  }

  @Test
  void commands_are_completed() {
    assertThat(complete("onlyonce", "")).contains("dedup", "claims", "audit", "completion", "help");
    assertThat(complete("onlyonce", "cl")).containsExactly("claims");
    assertThat(complete("./onlyonce", "au")).containsExactly("audit");
    assertThat(complete("onlyonce", "claims", ""))
        .contains("show", "history", "list", "stats", "resolve", "release", "reset");
    assertThat(complete("onlyonce", "claims", "res")).containsExactly("resolve", "reset");
  }

  @Test
  void options_and_their_values_are_completed() {
    assertThat(complete("onlyonce", "dedup", "--dup")).containsExactly("--duplicates");
    assertThat(complete("onlyonce", "claims", "list", "--in")).containsExactly("--in-doubt");
    for (String command : List.of("dedup", "doctor", "bench", "demo", "schema")) {
      assertThat(complete("onlyonce", command, "--pre")).as(command).containsExactly("--prefix");
    }
    assertThat(complete("onlyonce", "claims", "resolve", "--pre")).containsExactly("--prefix");
    assertThat(complete("onlyonce", "claims", "list", "--state-is", "fa"))
        .containsExactly("failed");
    assertThat(complete("onlyonce", "dedup", "--format", "cs")).containsExactly("csv");
    assertThat(complete("onlyonce", "completion", "")).contains("bash", "zsh");
  }

  /** Bash gives {@code --format=cs} as three words, zsh as one. */
  @Test
  void values_behind_an_equals_sign_are_completed() {
    assertThat(complete("onlyonce", "dedup", "--format", "=", "cs")).containsExactly("csv");
    assertThat(complete("onlyonce", "dedup", "--format", "="))
        .containsExactly("jsonl", "csv", "tsv", "lines");
    assertThat(complete("onlyonce", "dedup", "--format=cs")).containsExactly("--format=csv");
    assertThat(complete("onlyonce", "dedup", "--format", "=", "csv", "--dup"))
        .containsExactly("--duplicates");
    assertThat(complete("onlyonce", "claims", "list", "--state", "=", "scr"))
        .containsExactly("script");
  }

  @Test
  void all_that_is_one_of_a_few_words_is_offered_as_it_is_written() {
    assertThat(complete("onlyonce", "dedup", "--stats", ""))
        .containsExactly("text", "json", "none");
    assertThat(complete("onlyonce", "dedup", "--missing-key", "")).containsExactly("fail", "pass");
    assertThat(complete("onlyonce", "dedup", "--bad-record", "p")).containsExactly("pass");
    assertThat(complete("onlyonce", "dedup", "--late", "")).containsExactly("pass", "drop");
    assertThat(complete("onlyonce", "claims", "list", "--state-is", ""))
        .containsExactly("claimed", "lapsed", "in-doubt", "done", "failed", "released");
    assertThat(complete("onlyonce", "audit", "--effects-format", "j")).containsExactly("jsonl");
  }

  @Test
  void files_are_completed() {
    assertThat(complete("onlyonce", "audit", "--sent", "scr")).containsExactly("script");
    assertThat(complete("onlyonce", "claims", "list", "--state", "scr")).containsExactly("script");
  }

  @Test
  void the_program_may_be_called_by_its_path() {
    Shell.Result result =
        shell.run("source ./script; complete -p onlyonce | grep -c -- '-F _complete_onlyonce'");

    assertThat(result.out()).isEqualTo("1\n");
  }

  @Test
  void the_script_is_for_zsh_too_and_for_no_other_shell() {
    InProcess once = new InProcess(folder);

    assertThat(once.run("completion", "zsh").out()).contains("bashcompinit");
    assertThat(once.run("completion", "fish").code()).isEqualTo(2);
    assertThat(once.run("completion", "fish").err()).contains("must be bash or zsh, was 'fish'");
  }
}
