package dev.onlyonce.app.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Result;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.claims.Action;
import dev.onlyonce.app.cli.ActOptions.Bulk;
import dev.onlyonce.app.cli.ActOptions.Order;
import dev.onlyonce.spi.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code onlyonce claims resolve}: decides about keys in doubt. */
@Command(
    name = "resolve",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Decides about keys in doubt, whose handler was begun and not ended.%n",
      "Find out first whether the effect has happened, where it would have happened. --done: it has,"
          + " and later copies are duplicates. --rerun: it has not and cannot any more, and the next"
          + " copy runs it, its attempts counted anew.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:a key is absent or not in doubt; the others are done",
      "2:the command line cannot be carried out; nothing was changed",
      StoreOption.BAD_FILE,
      "4:the store could not be opened, read or written, or is in use"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  onlyonce claims resolve order-4711/paid --done --result OK --state DIR",
      "  onlyonce claims resolve --in-doubt --rerun --dry-run --state DIR",
      "  onlyonce claims resolve --in-doubt --rerun --yes --state DIR"
    })
final class ClaimsResolveCommand implements Callable<Integer> {

  /** Whether the effect has happened. */
  static final class Verdict {
    @Option(names = "--done", required = true, description = "The effect has happened.")
    private boolean done;

    @Option(
        names = "--rerun",
        required = true,
        description = "The effect has not happened and cannot any more.")
    private boolean rerun;
  }

  @ArgGroup(multiplicity = "1")
  private Verdict verdict = new Verdict();

  @Option(
      names = "--in-doubt",
      description = "All keys in doubt that the filters leave, instead of those that are named.")
  private boolean inDoubt;

  @Option(
      names = "--result",
      paramLabel = "TEXT",
      description = {
        "With --done: the result that duplicates are answered with. Without it, they are told that"
            + " it was not kept."
      })
  private @Nullable String result;

  @Option(
      names = "--result-file",
      paramLabel = "FILE",
      description = "The same, with the bytes of a file.")
  private @Nullable Path resultFile;

  @Option(
      names = "--result-type",
      paramLabel = "TYPE",
      description = "The type of the result, text/plain unless said otherwise.")
  private String resultType = "text/plain";

  @Option(
      names = "--force",
      description = {
        "With --done and named keys: complete a key also if it is not in doubt but claimed, failed"
            + " or released."
      })
  private boolean force;

  @Mixin private ActOptions options = new ActOptions();

  @Override
  public Integer call() {
    if (force && (inDoubt || verdict.rerun)) {
      throw Failure.usage("--force goes with --done and named keys");
    }
    Bulk bulk = new Bulk("--in-doubt", inDoubt, options.selection().onlyInDoubt());
    Action action = verdict.done ? Action.COMPLETE : Action.RERUN;
    return options.carryOut(new Order(action, force, result(), bulk));
  }

  private Result result() {
    if (result == null && resultFile == null) {
      return Result.NOT_KEPT;
    }
    if (!verdict.done || !options.isOneKey() || (result != null && resultFile != null)) {
      throw Failure.usage("--result or --result-file go with --done and one key");
    }
    byte[] bytes = resultFile == null ? String.valueOf(result).getBytes(UTF_8) : read(resultFile);
    if (bytes.length > Limits.RESULT_BYTES) {
      throw Failure.usage(
          String.format(Locale.ROOT, "a result may have at most %,d bytes", Limits.RESULT_BYTES));
    }
    try {
      return new Result.Value(resultType, bytes);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--result-type: " + e.getMessage());
    }
  }

  /** Reads a file, but no more of it than shows that it is too large. */
  private static byte[] read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(Limits.RESULT_BYTES + 1);
    } catch (IOException e) {
      throw Failure.io("cannot read " + file, e);
    }
  }
}
