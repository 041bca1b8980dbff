package dev.onlyonce.app.cli;

import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.claims.Action;
import dev.onlyonce.app.claims.ActionReport;
import dev.onlyonce.app.claims.Listing;
import dev.onlyonce.app.claims.Lookup;
import dev.onlyonce.app.claims.Operator;
import dev.onlyonce.app.claims.Retention;
import dev.onlyonce.app.claims.Selection;
import dev.onlyonce.app.output.SafeText;
import dev.onlyonce.app.store.OpenReader;
import dev.onlyonce.app.store.OpenStore;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.Time;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What the commands that change keys have in common. */
final class ActOptions {

  private static final int LONGEST_NAME = 100;

  @Parameters(paramLabel = "KEY", arity = "0..*", description = "The key, as it is shown.")
  private List<String> keys = List.of();

  @Mixin private StoreOption store = new StoreOption();

  @Option(
      names = "--scope",
      paramLabel = "NAME",
      description = {
        "Only keys of this scope. Without it, of all scopes; a key that is named and is in several"
            + " is left alone until this says which."
      })
  private @Nullable Scope scope;

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
      description = {
        "How long the outcome is remembered, as in 24h or 30d: as long as the program keeps keys, or"
            + " copies that come later run what is done. Without it, 7d, or as long as before where"
            + " the key tells."
      })
  private @Nullable Duration kept;

  @Option(names = "--json", description = "Print a JSON object for each key, one a line.")
  private boolean json;

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec command;

  /** What is to be done, in the words of the command that it is done by. */
  record Order(Action action, boolean forced, Result result, Bulk bulk) {}

  /** All keys of a kind, the option that stands for it, and whether that was given. */
  record Bulk(String option, boolean isGiven, Selection selection) {}

  /** Returns what the filters leave. */
  Selection selection() {
    return selection.in(scope);
  }

  /** Tells whether exactly one key was named. */
  boolean isOneKey() {
    return keys.size() == 1;
  }

  /** Does it; returns the exit code. */
  int carryOut(Order order) {
    check(order.bulk);
    long now = Time.system().millis();
    PrintWriter out = command.commandLine().getOut();
    Retention retention = new Retention(kept);
    try (ActionReport report = new ActionReport(order.action, retention, dryRun, json, now, out)) {
      boolean isConfirmed = !order.bulk.isGiven || dryRun || yes;
      if (!isConfirmed) {
        requireNothingToDo(order, retention, now);
      } else if (dryRun) {
        try (OpenReader open = store.access().preview()) {
          new ActRun(order, now, report, null)
              .on(keys, open.claims(), Lookup.in(scope, open.claims()));
        }
      } else {
        try (OpenStore open = store.access().change(Operator.PREFIX + name)) {
          Operator operator = new Operator(open.claims(), retention);
          new ActRun(order, now, report, operator)
              .on(keys, open.reader(), Lookup.in(scope, open.reader()));
        }
      }
      report.end("nothing to do: " + order.bulk.option + " leaves no key");
      return (report.isComplete() ? ExitCode.FINE : ExitCode.FINDING).number();
    }
  }

  private void check(Bulk bulk) {
    if (keys.isEmpty() && !bulk.isGiven) {
      throw Failure.usage("name keys, or all of a kind with " + bulk.option);
    }
    if (!keys.isEmpty() && bulk.isGiven) {
      throw Failure.usage(
          "%s is for all keys of a kind, but '%s' is named, too; leave out one of them"
              .formatted(bulk.option, SafeText.of(keys.get(0))));
    }
    if (!bulk.isGiven && selection.narrow()) {
      throw Failure.usage(
          "--key-prefix, --older-than and --newer-than go with "
              + bulk.option
              + ", not with keys that are named");
    }
    if (name.isBlank() || name.length() > LONGEST_NAME) {
      throw Failure.usage("--as must be a name of 1 to " + LONGEST_NAME + " characters");
    }
  }

  /** Refuses to change keys that nobody has named or seen. */
  private void requireNothingToDo(Order order, Retention retention, long now) {
    long[] count = {0};
    boolean[] isGuessed = {false};
    try (OpenReader open = store.access().preview()) {
      new Listing(open.claims(), order.bulk.selection, now)
          .inBatches(
              batch -> {
                for (ClaimRecord record : batch) {
                  if (order.action.refusal(record, now, order.forced) == null) {
                    count[0]++;
                    isGuessed[0] |= retention.isGuessed(order.action, record);
                  }
                }
              });
    }
    if (count[0] == 0) {
      return;
    }
    throw Failure.usage(
        "%s would change %s: look with --dry-run, then say --yes%s"
            .formatted(
                order.bulk.option,
                Quantity.of(count[0], "key"),
                isGuessed[0] ? "; they would be " + retention.warning(now) : ""));
  }
}
