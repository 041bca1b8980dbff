package dev.onlyonce.app.cli;

import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.claims.Listing;
import dev.onlyonce.app.claims.RecordJson;
import dev.onlyonce.app.claims.RecordText;
import dev.onlyonce.app.claims.Selection;
import dev.onlyonce.app.claims.Standing;
import dev.onlyonce.app.output.JsonLines;
import dev.onlyonce.app.output.ReaderGoneException;
import dev.onlyonce.spi.ClaimRecord;
import java.io.PrintWriter;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code onlyonce claims list}: the keys of a store. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Lists keys, in the store's own order. Filters can be combined.%n",
      "Where there are more than --limit, the last line says with which --cursor to go on. A cursor"
          + " is good until the program that writes frees old space; --all lists everything at"
          + " once.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:fine; also when there is no such key",
      "2:the command line cannot be carried out",
      StoreOption.BAD_FILE,
      "4:the store could not be opened or read"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  onlyonce claims list --in-doubt --state DIR",
      "  onlyonce claims list --state-is failed --newer-than 24h --state DIR",
      "  onlyonce claims list --all --json --state DIR | jq -r .key"
    })
final class ClaimsListCommand implements Callable<Integer> {

  @Mixin private ReadOptions store = new ReadOptions();

  @Mixin private ScopeOption scope = new ScopeOption();

  @Option(
      names = "--state-is",
      paramLabel = "STATE",
      completionCandidates = Choice.Standings.class,
      split = ",",
      description = {
        "Only keys that are listed with this state, or these: claimed, lapsed, in-doubt, done,"
            + " failed, released."
      })
  private List<Standing> standings = List.of();

  @Option(names = "--in-doubt", description = "Only keys in doubt.")
  private boolean inDoubt;

  @Mixin private SelectionOptions selection = new SelectionOptions();

  @Option(
      names = "--limit",
      paramLabel = "COUNT",
      description = "How many to list at the most (the default is 50).")
  private long limit = 50;

  @Option(names = "--all", description = "List all of them, without a limit.")
  private boolean all;

  @Option(
      names = "--cursor",
      paramLabel = "CURSOR",
      description = "Go on where an earlier list with the same filters has ended.")
  private @Nullable String cursor;

  @Option(
      names = "--json",
      description = {
        "Print a JSON object for each key, one a line. Where there are more, a last object has a"
            + " member nextCursor and nothing else."
      })
  private boolean json;

  @Override
  public Integer call() {
    if (inDoubt && !standings.isEmpty()) {
      throw Failure.usage(
          "--in-doubt is --state-is in-doubt, and another --state-is is given; leave out one of them");
    }
    if (limit < 1) {
      throw Failure.usage("--limit must be at least 1, was " + limit);
    }
    return store.look(
        (open, out) -> {
          long now = open.millis();
          Listing listing = new Listing(open.claims(), selection(), now);
          if (json) {
            printJson(listing, out, now);
          } else {
            printText(listing, out, now);
          }
          return ExitCode.FINE;
        });
  }

  private Selection selection() {
    Selection selected = selection.in(scope.scope());
    if (!standings.isEmpty()) {
      selected = selected.of(EnumSet.copyOf(standings));
    }
    return inDoubt ? selected.onlyInDoubt() : selected;
  }

  private @Nullable String show(Listing listing, Consumer<ClaimRecord> visitor) {
    long[] shown = {0};
    return listing.show(
        all ? Long.MAX_VALUE : limit,
        cursor,
        record -> {
          visitor.accept(record);
          if (++shown[0] % Listing.PAGE == 0) {
            ReaderGoneException.throwIfLost(System.out);
          }
        });
  }

  private void printText(Listing listing, PrintWriter out, long now) {
    RecordText text = new RecordText(now, false);
    out.print(RecordText.listHead() + "\n");
    String next = show(listing, record -> out.print(text.listLine(record) + "\n"));
    if (next != null) {
      out.print("there may be more: --cursor " + next + "\n");
    }
  }

  private void printJson(Listing listing, PrintWriter out, long now) {
    RecordJson records = new RecordJson(now, false);
    try (JsonLines lines = new JsonLines(out)) {
      String next = show(listing, record -> lines.object(object -> records.write(object, record)));
      if (next != null) {
        lines.object(object -> object.writeStringProperty("nextCursor", next));
      }
    }
  }
}
