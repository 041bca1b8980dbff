package dev.onlyonce.app.cli;

import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.store.OpenReader;
import java.io.PrintWriter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What the commands that only look at a store have in common. */
final class ReadOptions {

  @Mixin private StoreOption store = new StoreOption();

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec command;

  /** Looks at a store, prints what there is to say, and returns how that ends. */
  @FunctionalInterface
  interface Look {
    ExitCode at(OpenReader store, PrintWriter out);
  }

  /** Looks at the store; returns the exit code. */
  int look(Look look) {
    PrintWriter out = command.commandLine().getOut();
    try (OpenReader open = store.access().look(this::say)) {
      ExitCode code = look.at(open, out);
      out.flush();
      return code.number();
    }
  }

  private void say(String sentence) {
    command.commandLine().getErr().println("onlyonce: " + sentence);
  }
}
