package dev.onlyonce.app.cli;

import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.claims.StateTotals;
import dev.onlyonce.app.output.JsonLines;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code onlyonce claims stats}: how many keys there are. */
@Command(
    name = "stats",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Counts the keys of each state. A store in a database reads its whole table for that, and one in"
          + " Redis all of its records, in steps: with many keys, not every minute.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:fine",
      "2:the command line cannot be carried out",
      StoreOption.BAD_FILE,
      "4:the store could not be opened or read"
    },
    footerHeading = "%nExample:%n",
    footer = {"  onlyonce claims stats --by-scope --state DIR"})
final class ClaimsStatsCommand implements Callable<Integer> {

  @Mixin private ReadOptions store = new ReadOptions();

  @Option(
      names = "--by-scope",
      description = "Count each scope by itself, too; if there are several, every record is read.")
  private boolean byScope;

  @Option(names = "--json", description = "Print one JSON object, one a line for each scope.")
  private boolean json;

  @Override
  public Integer call() {
    return store.look(
        (open, out) -> {
          Map<String, StateTotals> totals =
              byScope
                  ? StateTotals.byScope(open.claims(), open.millis())
                  : Map.of(StateTotals.ALL, StateTotals.of(open.claims()));
          print(totals, out);
          return ExitCode.FINE;
        });
  }

  private void print(Map<String, StateTotals> totals, PrintWriter out) {
    if (json) {
      try (JsonLines lines = new JsonLines(out)) {
        totals.forEach((scope, sums) -> lines.object(object -> sums.write(object, scope)));
      }
    } else {
      out.print(StateTotals.head() + "\n");
      totals.forEach((scope, sums) -> out.print(sums.line(scope) + "\n"));
    }
  }
}
