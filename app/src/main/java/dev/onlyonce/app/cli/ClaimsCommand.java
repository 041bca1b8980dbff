package dev.onlyonce.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** {@code onlyonce claims}: what an operator sees of the keys of a store, and does about them. */
@Command(
    name = "claims",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ClaimsShowCommand.class,
      ClaimsHistoryCommand.class,
      ClaimsListCommand.class,
      ClaimsStatsCommand.class,
      ClaimsResolveCommand.class,
      ClaimsReleaseCommand.class,
      ClaimsResetCommand.class,
      HelpCommand.class
    },
    description = {
      "Shows what a store knows of its keys, and decides about keys that are stuck.",
      "",
      "show, history, list and stats read, also while another program writes. resolve, release and"
          + " reset write: the program that has a local store open must end first. A database or Redis"
          + " has them at any time.%n",
      "A KEY is written as it is shown: text stands for itself; ~c:4711,paid is a composite of two"
          + " texts, ~j:4711 a number of JSON, ~d: the SHA-256 of what is too long for a key, ~b:"
          + " other bytes, both in hexadecimal digits.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  onlyonce claims show order-4711/paid --state DIR",
      "  onlyonce claims list --in-doubt --state DIR",
      "  onlyonce claims resolve order-4711/paid --done --state DIR"
    })
final class ClaimsCommand {}
