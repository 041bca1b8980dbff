package dev.onlyonce.app.cli;

import dev.onlyonce.Result;
import dev.onlyonce.app.claims.Action;
import dev.onlyonce.app.claims.Selection;
import dev.onlyonce.app.claims.Standing;
import dev.onlyonce.app.cli.ActOptions.Bulk;
import dev.onlyonce.app.cli.ActOptions.Order;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code onlyonce claims release}: gives claims back whose holder is gone. */
@Command(
    name = "release",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Gives claims back whose holder is gone, before their lease is over. The next copy runs the"
          + " key; attempts are counted on.%n",
      "It is for keys that may be run again. Those that are in doubt, or will be when their lease is"
          + " over, are for claims resolve.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:a key is absent, or not claimed in this way; the others are done",
      "2:the command line cannot be carried out; nothing was changed",
      StoreOption.BAD_FILE,
      "4:the store could not be opened, read or written, or is in use"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  onlyonce claims release order-4711/mail --state DIR",
      "  onlyonce claims release --claimed --older-than 10m --yes --state DIR"
    })
final class ClaimsReleaseCommand implements Callable<Integer> {

  @Option(
      names = "--claimed",
      description = "All such claims that the filters leave, instead of keys that are named.")
  private boolean claimed;

  @Mixin private ActOptions options = new ActOptions();

  @Override
  public Integer call() {
    Selection claims = options.selection().of(Set.of(Standing.CLAIMED, Standing.LAPSED));
    Bulk bulk = new Bulk("--claimed", claimed, claims);
    return options.carryOut(new Order(Action.RELEASE, false, Result.NONE, bulk));
  }
}
