package dev.onlyonce.app.cli;

import dev.onlyonce.Key;
import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.claims.Lookup;
import dev.onlyonce.app.claims.RecordJson;
import dev.onlyonce.app.claims.RecordText;
import dev.onlyonce.app.output.JsonLines;
import dev.onlyonce.spi.ClaimRecord;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code onlyonce claims history}: what has happened to a key. */
@Command(
    name = "history",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Shows what has happened to a key, oldest first, as far back as the store's log goes. It reads"
          + " the whole log.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the key is known",
      "1:the key is absent: it was never claimed, or its retention is over",
      "2:the command line cannot be carried out",
      StoreOption.BAD_FILE,
      "4:the store could not be opened or read"
    },
    footerHeading = "%nExample:%n",
    footer = {"  onlyonce claims history order-4711/paid --state DIR"})
final class ClaimsHistoryCommand implements Callable<Integer> {

  @Parameters(paramLabel = "KEY", description = "The key, as it is shown.")
  private String key = "";

  @Mixin private ReadOptions store = new ReadOptions();

  @Mixin private ScopeOption scope = new ScopeOption();

  @Option(
      names = "--json",
      description = {
        "Print a JSON object for each version, one a line, as claims show does; what it means is"
            + " what it meant when it was written."
      })
  private boolean json;

  @Override
  public Integer call() {
    Key wanted = Lookup.key(key);
    return store.look(
        (open, out) -> {
          Lookup lookup = scope.lookup(open.claims());
          List<ClaimRecord> found = lookup.find(wanted);
          if (found.isEmpty()) {
            printAbsent(out, lookup);
          }
          found.forEach(record -> print(out, open.claims().history(record.scope(), wanted)));
          return found.isEmpty() ? ExitCode.FINDING : ExitCode.FINE;
        });
  }

  private void printAbsent(PrintWriter out, Lookup lookup) {
    if (!json) {
      out.print(lookup.absence(key) + "\n");
      return;
    }
    try (JsonLines lines = new JsonLines(out)) {
      lines.object(it -> RecordJson.writeAbsent(it, lookup, key));
    }
  }

  private void print(PrintWriter out, List<ClaimRecord> versions) {
    if (json) {
      try (JsonLines lines = new JsonLines(out)) {
        for (ClaimRecord version : versions) {
          RecordJson then = new RecordJson(version.updatedAtMillis() - 1, false);
          lines.object(it -> then.write(it, version));
        }
      }
      return;
    }
    out.print(versions.get(0).key() + " in scope " + versions.get(0).scope() + "\n");
    out.print(RecordText.historyHead() + "\n");
    versions.forEach(version -> out.print(RecordText.historyLine(version) + "\n"));
  }
}
