package dev.onlyonce.app.cli;

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

/** {@code onlyonce claims show}: what is known of a key. */
@Command(
    name = "show",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {"Shows what is known of a key, in each scope that has it.%n"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every key is known",
      "1:a key is absent: it was never claimed, or its retention is over",
      "2:the command line cannot be carried out",
      StoreOption.BAD_FILE,
      "4:the store could not be opened or read"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  onlyonce claims show order-4711/paid --state DIR",
      "  onlyonce claims show '~c:4711,paid' --scope billing --state DIR --json"
    })
final class ClaimsShowCommand implements Callable<Integer> {

  @Parameters(paramLabel = "KEY", arity = "1..*", description = "The key, as it is shown.")
  private List<String> keys = List.of();

  @Mixin private ReadOptions store = new ReadOptions();

  @Mixin private ScopeOption scope = new ScopeOption();

  @Option(
      names = "--with-bytes",
      description = {
        "Show what result and checkpoint hold, too: as text where it is UTF-8, else in hexadecimal"
            + " digits (base64 with --json)."
      })
  private boolean withBytes;

  @Option(
      names = "--json",
      description =
          "Print a JSON object for each record, one a line; absent ones have state absent.")
  private boolean json;

  @Override
  public Integer call() {
    return store.look(
        (open, out) -> {
          long now = open.millis();
          Lookup lookup = scope.lookup(open.claims());
          boolean allKnown = true;
          try (JsonLines lines = new JsonLines(out)) {
            for (String key : keys) {
              List<ClaimRecord> found = lookup.find(Lookup.key(key));
              allKnown &= !found.isEmpty();
              if (json) {
                print(lines, lookup, key, found, new RecordJson(now, withBytes));
              } else {
                print(out, found.isEmpty() ? lookup.absence(key) : "", found, now);
              }
            }
          }
          return allKnown ? ExitCode.FINE : ExitCode.FINDING;
        });
  }

  private static void print(
      JsonLines lines, Lookup lookup, String key, List<ClaimRecord> found, RecordJson records) {
    found.forEach(record -> lines.object(json -> records.write(json, record)));
    if (found.isEmpty()) {
      lines.object(json -> RecordJson.writeAbsent(json, lookup, key));
    }
  }

  private void print(PrintWriter out, String absence, List<ClaimRecord> found, long now) {
    RecordText text = new RecordText(now, withBytes);
    if (found.isEmpty()) {
      out.print(absence + "\n");
    }
    for (int i = 0; i < found.size(); i++) {
      String between = i == 0 ? "" : "\n";
      out.print(between + String.join("\n", text.block(found.get(i))) + "\n");
    }
  }
}
