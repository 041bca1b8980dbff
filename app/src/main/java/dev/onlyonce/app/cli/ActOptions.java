package dev.onlyonce.app.cli;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.claims.Action;
import dev.onlyonce.app.claims.ActionReport;
import dev.onlyonce.app.claims.Listing;
import dev.onlyonce.app.claims.Lookup;
import dev.onlyonce.app.claims.Operator;
import dev.onlyonce.app.claims.Selection;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.local.LocalReader;
import dev.onlyonce.store.local.LocalStore;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
          each(order, reader, scope.lookup(reader), now, report, null);
        }
      } else {
        try (LocalStore writer = store.write("operator:" + name)) {
          Operator operator = new Operator(writer, retention);
          each(order, writer, scope.lookup(writer), now, report, operator);
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

  private void each(
      Order order,
      ClaimReader reader,
      Lookup lookup,
      long now,
      ActionReport report,
      @Nullable Operator operator) {
    if (order.bulk != null) {
      new Listing(reader, order.bulk.selection, now)
          .inBatches(batch -> act(order, batch, now, report, operator));
      return;
    }
    List<ClaimRecord> records = named(lookup, report);
    for (int from = 0; from < records.size(); from += Listing.PAGE) {
      int to = Math.min(records.size(), from + Listing.PAGE);
      act(order, records.subList(from, to), now, report, operator);
    }
  }

  /** Finds the records of the keys that were named, and tells which cannot be found. */
  private List<ClaimRecord> named(Lookup lookup, ActionReport report) {
    Map<Key, String> distinct = new LinkedHashMap<>();
    keys.forEach(text -> distinct.putIfAbsent(Lookup.key(text), text));
    List<ClaimRecord> records = new ArrayList<>();
    distinct.forEach(
        (key, text) -> {
          List<ClaimRecord> found = lookup.find(key);
          if (found.size() == 1) {
            records.add(found.get(0));
          } else if (found.isEmpty()) {
            report.notFound(key, lookup.absence(text));
          } else {
            report.ambiguous(key, found);
          }
        });
    return records;
  }

  private static void act(
      Order order,
      List<ClaimRecord> batch,
      long now,
      ActionReport report,
      @Nullable Operator operator) {
    List<ClaimRecord> meant = new ArrayList<>();
    for (ClaimRecord record : batch) {
      String refusal = order.action.refusal(record, now, order.forced);
      if (refusal == null) {
        meant.add(record);
      } else if (order.bulk == null) {
        report.refused(record, refusal);
      }
    }
    if (operator == null) {
      meant.forEach(record -> report.done(record, 0));
    } else if (!meant.isEmpty()) {
      List<Long> tokens = operator.act(order.action, meant, order.result);
      for (int i = 0; i < tokens.size(); i++) {
        report.done(meant.get(i), tokens.get(i));
      }
    }
  }
}
