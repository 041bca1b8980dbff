package dev.onlyonce.app.cli;

import dev.onlyonce.Scope;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.FileName;
import dev.onlyonce.app.claims.Standing;
import dev.onlyonce.app.input.Format;
import dev.onlyonce.store.jdbc.SqlDialect;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;

/** The {@code onlyonce} program. */
@Command(
    name = "onlyonce",
    description = "Lets each business key take effect once.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = {
      DemoCommand.class,
      DedupCommand.class,
      ClaimsCommand.class,
      AuditCommand.class,
      DoctorCommand.class,
      BenchCommand.class,
      SchemaCommand.class,
      CompletionCommand.class,
      HelpCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:fine; also when the reader of the output closes it early, as head does",
      "1:done, and there is something to look at: a difference, or a key that is absent",
      "2:the command line cannot be carried out",
      "3:the input is damaged, or has records that the policy does not accept, or the file of a"
          + " tiered store is not as it should be",
      "4:a store, file or stream could not be opened, read or written",
      "70:a bug in onlyonce"
    })
public final class Main {
  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show where in the program an error comes from (also: ONLYONCE_DEBUG=1).")
  private boolean debug;

  /** Runs the program and ends the process. */
  public static void main(String[] args) {
    Warnings.show();
    System.exit(run(commandLine(), args));
  }

  /** The program with all its commands. */
  static CommandLine commandLine() {
    return new CommandLine(new Main())
        // A column may be called @timestamp.
        .setExpandAtFiles(false)
        .registerConverter(Path.class, Main::path)
        .registerConverter(Duration.class, Amounts::duration)
        .registerConverter(Format.class, new Choice<>(Format.class))
        .registerConverter(Stats.class, new Choice<>(Stats.class))
        .registerConverter(Scope.class, ScopeOption::parse)
        .registerConverter(Standing.class, new Choice<>(Choice.standings()))
        .registerConverter(SqlDialect.class, new Choice<>(SqlDialect.class))
        .registerConverter(int.class, Amounts::count)
        .registerConverter(long.class, Amounts::longCount)
        .registerConverter(Long.class, Amounts::longCount)
        .registerConverter(
            CompletionCommand.Kind.class, new Choice<>(CompletionCommand.Kind.class));
  }

  private static Path path(String name) {
    try {
      return FileName.path(name);
    } catch (Failure e) {
      throw new TypeConversionException(e.sentence());
    }
  }

  /** Runs the program in this process; returns the exit code. */
  static int run(CommandLine commandLine, String... args) {
    Main main = commandLine.getCommand();
    PrintWriter out = commandLine.getOut();
    commandLine.setOut(out); // else each command has one of its own, which nobody flushes
    Errors errors = new Errors(commandLine.getErr(), () -> main.debug);
    commandLine.setParameterExceptionHandler(errors::onUsage);
    commandLine.setExecutionExceptionHandler(errors::onFailure);
    int code;
    try {
      code = commandLine.execute(args);
    } catch (Throwable e) {
      code = errors.report(e);
    }
    out.flush();
    return errors.checkOutput(System.out, code);
  }
}
