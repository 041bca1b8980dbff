package dev.onlyonce.app.cli;

import dev.onlyonce.app.ExitCode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code onlyonce completion}: prints what a shell needs to complete command lines. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = {
      "Prints a script by which the shell completes commands and options with the tab key.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  source <(onlyonce completion bash)",
      "  onlyonce completion bash \\",
      "    > ~/.local/share/bash-completion/completions/onlyonce",
      "  source <(onlyonce completion zsh)"
    })
final class CompletionCommand implements Callable<Integer> {

  /** Goes before the completion that picocli makes, which knows values as words of their own. */
  private static final String VALUES =
      """

      # Takes --option=value for --option value: bash gives it as the words --option, = and value,
      # zsh as one word, of which the replies must then have all.
      function _complete_onlyonce_values() {
        local -a flat=()
        local i word option at=0 head=
        for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
          word=${COMP_WORDS[i]}
          option=
          if ((i > 0)) && [[ $word == "=" && ${COMP_WORDS[i - 1]} == --* ]]; then
            if ((i != COMP_CWORD)); then continue; fi
            word=
          elif [[ $word == --*=* ]]; then
            option=${word%%=*}
            word=${word#*=}
            flat+=("$option")
          fi
          flat+=("$word")
          if ((i == COMP_CWORD)); then
            at=$((${#flat[@]} - 1))
            head=${option:+$option=}
          fi
        done
        COMP_WORDS=("${flat[@]}")
        COMP_CWORD=$at
        _complete_onlyonce "$@"
        if [[ -n $head && ${#COMPREPLY[@]} -gt 0 ]]; then
          COMPREPLY=("${COMPREPLY[@]/#/$head}")
        fi
      }
      """;

  /** The shells that there is a script for. */
  enum Kind {
    BASH,
    /** Takes the script for bash. */
    ZSH
  }

  @Parameters(
      paramLabel = "bash|zsh",
      completionCandidates = Choice.Shells.class,
      description = "The shell.")
  @SuppressWarnings({"NullAway.Init", "UnusedVariable"}) // picocli sets it; one script is for both
  private Kind shell;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    // Where nothing is known that could come next, the shell's own completion offers files.
    out.print(
        AutoComplete.bash("onlyonce", spec.root().commandLine())
            .replace("compopt +o default", ":")
            .replace("complete -F _complete_onlyonce ", "complete -F _complete_onlyonce_values "));
    out.print("\n" + VALUES);
    out.flush();
    return ExitCode.FINE.number();
  }
}
