package dev.onlyonce.app.cli;

import dev.onlyonce.Result;
import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.claims.Action;
import dev.onlyonce.app.claims.ActionReport;
import dev.onlyonce.app.claims.Listing;
import dev.onlyonce.app.claims.Operator;
import dev.onlyonce.app.claims.Selection;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.local.LocalReader;
import dev.onlyonce.store.local.LocalStore;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What the commands that change keys have in common. */
final class ActOptions {

  private static final int LONGEST_NAME = 100;

  @Parameters(paramLabel = "KEY", arity = "0..*", description = "The key, as it is shown.")
  private List<String> keys = List.of();

  @Mixin private StoreOption store = new StoreOption();

  @Mixin private ScopeOption scope = new ScopeOption();

  @Mixin private SelectionOptions selection = new SelectionOptions();

  @Option(
      names = {"-n", "--dry-run"},
      description = {
        "Show what would be done, and change nothing. This works also while another program has the"
            + " store open."
      })
  private boolean dryRun;

  @Option(names = "--yes", description = "Change all keys that are meant, without their names.")
  private boolean yes;

  @Option(
      names = "--as",
      paramLabel = "NAME",
      description = "Who you are, for the history of the key. Without it, your user name.")
  private String name = System.getProperty("user.name", "unknown");

  @Option(
      names = "--retention",
      paramLabel = "TIME",
      description = "How long the outcome is remembered, as in 24h or 7d (the default).")
  private Duration retention = Limits.RETENTION;

  @Option(names = "--json", description = "Print a JSON object for each key, one a line.")
  private boolean json;

  /** What is to be done, in the words of the command that it is done by. */
  record Order(Action action, boolean forced, Result result, @Nullable Bulk bulk) {}

  /** All keys of a kind, and the option that stands for it. */
  record Bulk(String option, Selection selection) {}

  /** Returns what the filters leave. */
  Selection selection() {
    return selection.in(scope.scope());
  }

  /** Tells whether exactly one key was named. */
  boolean isOneKey() {
    return keys.size() == 1;
  }

  /**
   * Does it.
   *
   * @param bulkOption how to name all keys of a kind, for messages
   */
  int carryOut(Order order, String bulkOption, PrintWriter out) {
    check(order, bulkOption);
    long now = Time.system().millis();
    try (ActionReport report = new ActionReport(order.action, dryRun, json, now, out)) {
      if (order.bulk != null && !dryRun && !yes) {
        throw unconfirmed(order, order.bulk, now);
      }
      if (dryRun) {
        try (LocalReader reader = store.read()) {
          new ActRun(order, now, report, null).on(keys, reader, scope.lookup(reader));
        }
      } else {
        try (LocalStore writer = store.write(Operator.PREFIX + name)) {
          Operator operator = new Operator(writer, retention);
          new ActRun(order, now, report, operator).on(keys, writer, scope.lookup(writer));
        }
      }
      report.end();
      return (report.isComplete() ? ExitCode.FINE : ExitCode.FINDING).number();
    }
  }

  private void check(Order order, String bulkOption) {
    if (keys.isEmpty() == (order.bulk == null)) {
      throw Failure.usage("name keys, or all of them with " + bulkOption + ", not both");
    }
    if (order.bulk == null && selection.narrow()) {
      throw Failure.usage(
          "--key-prefix, --older-than and --newer-than go with " + bulkOption + ", not with keys");
    }
    if (name.isBlank() || name.length() > LONGEST_NAME) {
      throw Failure.usage("--as must be a name of 1 to " + LONGEST_NAME + " characters");
    }
  }

  private Failure unconfirmed(Order order, Bulk bulk, long now) {
    long[] count = {0};
    try (LocalReader reader = store.read()) {
      new Listing(reader, bulk.selection, now)
          .inBatches(
              batch ->
                  count[0] +=
                      batch.stream()
                          .filter(it -> order.action.refusal(it, now, order.forced) == null)
                          .count());
    }
    return Failure.usage(
        String.format(
            Locale.ROOT,
            "%s would change %,d %s: look with --dry-run, then say --yes",
            bulk.option,
            count[0],
            count[0] == 1 ? "key" : "keys"));
  }
}
