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
      "  onlyonce completion bash > ~/.local/share/bash-completion/completions/onlyonce",
      "  source <(onlyonce completion zsh)"
    })
final class CompletionCommand implements Callable<Integer> {

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
            .replace("compopt +o default", ":"));
    out.print("\n");
    out.flush();
    return ExitCode.FINE.number();
  }
}
