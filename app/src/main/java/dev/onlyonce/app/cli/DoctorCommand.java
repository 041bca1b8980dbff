package dev.onlyonce.app.cli;

import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.claims.Operator;
import dev.onlyonce.app.doctor.Examination;
import dev.onlyonce.app.doctor.Restoration;
import dev.onlyonce.app.store.Finding;
import dev.onlyonce.app.store.Load;
import dev.onlyonce.app.store.OpenStore;
import dev.onlyonce.app.store.StoreAccess;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Time;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code onlyonce doctor}: what is unsafe about a store. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Examines a store: the settings of its server by which it could forget what it has answered, its"
          + " tables, what the user may do with them, its clock, whether it can be written, how fast,"
          + " and whether it has the room for a rate.%n",
      "It writes about 2,500 keys of its own, in the scope onlyonce/doctor, which expire after a"
          + " minute.%n",
      "--restored is for a store that came back from a backup, before anybody uses it: keys that were"
          + " claimed when the backup was made are put in doubt, since they may be done. It is refused"
          + " where the store's clock is behind this machine's.%n",
      "--rebuild is for a store of tiers whose Redis has lost something or whose authority is to be"
          + " another, while nobody uses it: it makes the tiers anew from what the database has. Redis"
          + " must be empty; keys that were claimed, or had not reached the database, are new.%n",
      "--remake-lost-shards is for a store in Redis that is refused since it has lost shards that cannot"
          + " be restored, while nobody uses it: it makes them anew. Every key that was in them is new"
          + " and may run again.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing is unsafe",
      "1:something is unsafe or broken, such as a database without the tables",
      "2:the command line cannot be carried out",
      StoreOption.BAD_FILE,
      "4:the store could not be reached, or does not let the user in"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  onlyonce doctor --store jdbc:postgresql://db.example/shop --user shop",
      "  onlyonce doctor --store redis://cache.example --rate 500 --retention 7d",
      "  onlyonce doctor --restored --yes --store jdbc:postgresql://db.example/shop"
    })
final class DoctorCommand implements Callable<Integer> {

  @Mixin private StoreOption store = new StoreOption();

  @Option(
      names = "--rate",
      paramLabel = "COUNT",
      description = "How many new keys come each second, to see whether there is room for them.")
  private @Nullable Long rate;

  @Option(
      names = "--retention",
      paramLabel = "TIME",
      description = "With --rate: how long keys are remembered, as in 24h or 7d (the default).")
  private @Nullable Duration retention;

  @Option(names = "--restored", description = "Put what was claimed in doubt, after a restore.")
  private boolean restored;

  @Option(names = "--rebuild", description = "Make the tiers anew from what the database has.")
  private boolean rebuild;

  @Option(
      names = "--remake-lost-shards",
      description = "Make shards of Redis anew that are lost; their keys may run again.")
  private boolean remakes;

  @Option(
      names = "--yes",
      description = "With one of these three: do it, instead of saying what would be done.")
  private boolean yes;

  @Option(names = "--json", description = "Print a JSON object for each finding, one a line.")
  private boolean json;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec command;

  @Override
  public Integer call() {
    check();
    PrintWriter out = command.commandLine().getOut();
    if (restored) {
      store.access().preview().close(); // is there one?
      try (OpenStore open = store.access().change(Operator.PREFIX + "doctor")) {
        restore(open, out);
      }
      return ExitCode.FINE.number();
    }
    if (rebuild) {
      rebuild(store.access(), out);
      return ExitCode.FINE.number();
    }
    if (remakes) {
      remake(store.access(), out);
      return ExitCode.FINE.number();
    }
    Load load =
        rate == null ? null : new Load(rate, retention == null ? Limits.RETENTION : retention);
    List<Finding> findings = new ArrayList<>();
    List<String> warnings =
        Warnings.during(
            () -> findings.addAll(new Examination(store.access(), Time.system(), load).run()));
    warnings.stream()
        .filter(it -> findings.stream().noneMatch(finding -> finding.sentence().contains(it)))
        .forEach(it -> findings.add(new Finding(Finding.Level.NOTE, "warning", it)));
    if (json) {
      FindingLines.printJson(findings, out);
    } else {
      FindingLines.print(findings, out);
    }
    boolean isBad = findings.stream().anyMatch(Finding::isBad);
    return (isBad ? ExitCode.FINDING : ExitCode.FINE).number();
  }

  private void check() {
    if (rate != null && rate < 1) {
      throw Failure.usage("--rate must be at least 1, was " + rate);
    }
    if (retention != null && rate == null) {
      throw Failure.usage("--retention goes with --rate");
    }
    long changes = Stream.of(restored, rebuild, remakes).filter(it -> it).count();
    if (changes > 1) {
      throw Failure.usage(
          "--restored, --rebuild and --remake-lost-shards are three things; do one after the other");
    }
    if (changes > 0 && (rate != null || json)) {
      throw Failure.usage(
          "--restored, --rebuild and --remake-lost-shards change the store and examine nothing; leave"
              + " out the rest");
    }
    if (yes && changes == 0) {
      throw Failure.usage("--yes goes with --restored, --rebuild or --remake-lost-shards");
    }
  }

  private void rebuild(StoreAccess access, PrintWriter out) {
    access.requireTiers();
    if (!yes) {
      out.print(
          "the tiers of "
              + access
              + " would be made anew from what the database has; say --yes when nobody uses them\n");
      return;
    }
    out.print(Quantity.of(access.rebuild(), "record") + " copied, the tiers can be used\n");
  }

  private void remake(StoreAccess access, PrintWriter out) {
    if (yes) {
      access.remakeLostShards();
      out.print("all shards of " + access + " are there; keys of those that were lost are new\n");
      return;
    }
    out.print(
        "shards that "
            + access
            + " has lost would be made anew, and every key that was in them may run again; say --yes"
            + " when nobody uses it\n");
  }

  private void restore(OpenStore open, PrintWriter out) {
    Restoration.requireClock(open, Time.system());
    if (!yes) {
      out.print(
          Quantity.of(Restoration.count(open), "key")
              + " would be put in doubt; say --yes when nobody uses the store yet\n");
      return;
    }
    out.print(
        Quantity.of(Restoration.run(open), "key")
            + " put in doubt: see onlyonce claims list --in-doubt. What was done after the backup is"
            + " not known, and its copies run again"
            + store.access().afterRestore()
            + "\n");
  }
}
