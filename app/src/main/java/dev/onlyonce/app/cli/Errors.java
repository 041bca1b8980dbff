package dev.onlyonce.app.cli;

import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.output.Outputs;
import dev.onlyonce.app.output.ReaderGoneException;
import dev.onlyonce.spi.StoreException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Tells errors on standard error, one sentence each, without colours and without traces. */
final class Errors {
  private static final int LONGEST = 2_000;
  private static final String HEAD = "Error: ";

  private final PrintWriter err;
  private final BooleanSupplier debug;

  Errors(PrintWriter err, BooleanSupplier debug) {
    this.err = err;
    this.debug = debug;
  }

  /** The command line cannot be understood. */
  int onUsage(ParameterException e, String[] args) {
    CommandLine commandLine = e.getCommandLine();
    say(sentence(e));
    say("try '" + commandLine.getCommandSpec().qualifiedName() + " --help'");
    trace(e);
    return ExitCode.USAGE.number();
  }

  /** A command ended with an exception. */
  int onFailure(Exception e, CommandLine commandLine, ParseResult parsed) {
    return report(e);
  }

  /** Tells the user what an exception means; returns the exit code. */
  int report(Throwable e) {
    if (e instanceof ReaderGoneException) {
      trace(e);
      // Another output may have failed when it was closed for that.
      return Stream.of(e.getSuppressed())
          .filter(Failure.class::isInstance)
          .findFirst()
          .map(this::report)
          .orElse(ExitCode.FINE.number());
    }
    if (e instanceof Failure failure) {
      say(failure.sentence());
      trace(e);
      return failure.exitCode().number();
    }
    if (e instanceof StoreException store) {
      return report(Failure.store(store));
    }
    if (e instanceof OutOfMemoryError) {
      say("out of memory; give Java more, as in ONLYONCE_JAVA_OPTS=-Xmx4g, or JAVA_TOOL_OPTIONS");
      trace(e);
      return ExitCode.IO_FAILURE.number();
    }
    say("this is a bug in onlyonce (" + e + "); please report it with what --debug shows");
    trace(e);
    return ExitCode.BUG.number();
  }

  /** What was printed must have arrived, if all else went well. */
  int checkOutput(PrintStream out, int code) {
    boolean lost = out.checkError() && !Outputs.standardOutputIsPipe();
    if (lost && (code == ExitCode.FINE.number() || code == ExitCode.FINDING.number())) {
      say("cannot write to standard output");
      return ExitCode.IO_FAILURE.number();
    }
    return code;
  }

  private static String sentence(ParameterException e) {
    CommandLine command = e.getCommandLine();
    boolean needsCommand =
        !command.getSubcommands().isEmpty() && !(command.getCommand() instanceof Callable);
    List<String> unmatched =
        e instanceof UnmatchedArgumentException u ? u.getUnmatched() : List.of();
    if (needsCommand && unmatched.isEmpty() && e.getClass() == ParameterException.class) {
      return "a command is missing; " + commands(command);
    }
    if (needsCommand && !unmatched.isEmpty() && !unmatched.get(0).startsWith("-")) {
      String near = suggestion(e).map(" (did you mean %s?)"::formatted).orElse("");
      return "there is no command '" + unmatched.get(0) + "'" + near + "; " + commands(command);
    }
    return withoutHead(String.valueOf(e.getMessage()))
        + suggestion(e).map("; did you mean %s?"::formatted).orElse("");
  }

  /** Returns the names of the commands, each once. */
  private static String commands(CommandLine command) {
    String names =
        command.getCommandSpec().subcommands().values().stream()
            .map(CommandLine::getCommandName)
            .distinct()
            .collect(Collectors.joining(", "));
    return "the commands are " + names;
  }

  private static Optional<String> suggestion(ParameterException e) {
    return e instanceof UnmatchedArgumentException unmatched
            && !unmatched.getSuggestions().isEmpty()
        ? Optional.of(String.join(" or ", unmatched.getSuggestions()))
        : Optional.empty();
  }

  /** The program's name stands before every sentence; that it is an error need not. */
  private static String withoutHead(String message) {
    return message.startsWith(HEAD) ? message.substring(HEAD.length()) : message;
  }

  /** What comes out of the input must neither steer the terminal nor fill it. */
  private static String printable(String sentence) {
    String cut = sentence.length() <= LONGEST ? sentence : sentence.substring(0, LONGEST) + " ...";
    return cut.codePoints()
        .map(c -> Character.isISOControl(c) && c != '\n' ? '?' : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private void say(String sentence) {
    err.println("onlyonce: " + printable(sentence));
    err.flush();
  }

  private void trace(Throwable e) {
    if (debug.getAsBoolean() || "1".equals(System.getenv("ONLYONCE_DEBUG"))) {
      e.printStackTrace(err);
      err.flush();
    }
  }
}
