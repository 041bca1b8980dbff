package dev.onlyonce.app.cli;

import dev.onlyonce.Result;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.claims.Action;
import dev.onlyonce.app.claims.Standing;
import dev.onlyonce.app.cli.ActOptions.Bulk;
import dev.onlyonce.app.cli.ActOptions.Order;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code onlyonce claims reset}: lets keys run again that have failed for good. */
@Command(
    name = "reset",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Lets keys run again that have failed for good, or that wait for their next attempt: the next"
          + " copy runs them, their attempts counted anew. The message must come again; a copy with"
          + " another payload is still refused where payloads are compared.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:a key is absent, or has not failed; the others are done",
      "2:the command line cannot be carried out; nothing was changed",
      StoreOption.BAD_FILE,
      "4:the store could not be opened, read or written, or is in use"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  onlyonce claims reset order-4711/paid --state DIR",
      "  onlyonce claims reset --failed --newer-than 24h --dry-run --state DIR"
    })
final class ClaimsResetCommand implements Callable<Integer> {

  @Option(
      names = "--failed",
      description = "All failed keys that the filters leave, instead of those that are named.")
  private boolean failed;

  @Option(
      names = "--done-too",
      description = "With named keys: reset a key also if it is done. Its effect happens again.")
  private boolean doneToo;

  @Mixin private ActOptions options = new ActOptions();

  @Override
  public Integer call() {
    if (doneToo && failed) {
      throw Failure.usage("--done-too goes with keys that are named, not with --failed");
    }
    Bulk bulk = new Bulk("--failed", failed, options.selection().of(Set.of(Standing.FAILED)));
    return options.carryOut(new Order(Action.RESET, doneToo, Result.NONE, bulk));
  }
}
