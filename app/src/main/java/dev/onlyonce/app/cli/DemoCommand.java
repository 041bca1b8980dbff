package dev.onlyonce.app.cli;

import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.demo.ChosenStore;
import dev.onlyonce.app.demo.Demo;
import dev.onlyonce.app.demo.Figures;
import dev.onlyonce.app.demo.Handling;
import dev.onlyonce.app.demo.Plan;
import dev.onlyonce.spi.Time;
import java.io.IOException;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code onlyonce demo}: the problem and the cure. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Shows the problem and the cure, with real processes that are really killed.",
      "",
      "A payment platform sends callbacks, each one to four times, to a worker that is killed"
          + " (SIGKILL) at random moments and restarted. The worker tells a bank to charge; the bank"
          + " charges what it is told. Once with a naive handler, once with check-then-act, once with"
          + " OnlyOnce. All are processes of this machine; their files are temporary.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:with OnlyOnce, each payment was charged once",
      "1:with OnlyOnce, a payment was charged twice or never",
      "2:the command line cannot be carried out",
      StoreOption.BAD_FILE,
      "4:a process, a connection or a file failed"
    },
    footerHeading = "%nColumns:%n",
    footer = {
      "  deliveries  copies of callbacks that were sent, redeliveries included",
      "  effects     charges that the bank booked; each callback should make one",
      "  doubled     payments that were charged more than once",
      "  lost        payments that were never charged",
      "  resolved    payments in doubt after a kill, about which the bank was asked",
      "  look-ups    questions to the bank about them",
      "  kills       how often the worker was killed",
      "  seconds     how long the run took, processes started and ended"
    })
final class DemoCommand implements Callable<Integer> {

  private static final int LARGEST_SEED = 1_000_000;

  @Option(
      names = "--callbacks",
      paramLabel = "N",
      description = "How many callbacks are sent in each run: 20,000 by default.")
  private int callbacks = 20_000;

  @Option(
      names = "--kills",
      paramLabel = "N",
      description = "How often the worker is killed in each run: 8 by default.")
  private int kills = 8;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = {
        "Repeats a plan: which callbacks are sent how often, in which order, and when the worker is"
            + " killed. What the operating system makes of it differs."
      })
  private @Nullable Long seed;

  @Option(
      names = "--store",
      paramLabel = "ADDRESS",
      description = {
        "Keep OnlyOnce's claims in this store, as in claims --store, instead of a local one that is"
            + " temporary. They are in a scope demo/..., and are remembered for an hour."
      })
  private @Nullable String store;

  @Mixin private AccessOptions access = new AccessOptions();

  @Option(names = "--json", description = "Print an array with an object for each run.")
  private boolean json;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public Integer call() {
    Plan plan = plan();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      spec.commandLine().getErr().println("onlyonce: seed " + plan.seed());
    } else {
      out.println(DemoReport.introduction(plan));
      out.println();
      out.flush();
    }
    List<Figures> runs = run(plan);
    out.println(json ? DemoReport.json(runs) : DemoReport.text(runs));
    out.flush();
    boolean isOnce =
        runs.stream().filter(run -> run.handling() == Handling.ONLYONCE).allMatch(Figures::isOnce);
    return (isOnce ? ExitCode.FINE : ExitCode.FINDING).number();
  }

  private Plan plan() {
    long chosen = seed == null ? new SecureRandom().nextInt(LARGEST_SEED) : seed;
    try {
      return Plan.of(chosen, callbacks, kills);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--" + e.getMessage());
    }
  }

  /** Looks whether the store can be opened before anything is run. */
  private @Nullable ChosenStore chosen(Plan plan) {
    if (store == null) {
      if (access.prefix() != null) {
        throw Failure.usage("--prefix goes with --store");
      }
      return null;
    }
    String run = plan.seed() + "-" + Long.toHexString(new SecureRandom().nextLong());
    ChosenStore chosen = new ChosenStore(store, access.credentials(), access.prefix(), run);
    chosen.open().close();
    return chosen;
  }

  private List<Figures> run(Plan plan) {
    Demo demo = new Demo(plan, Time.system(), chosen(plan));
    List<Figures> runs = new ArrayList<>();
    try {
      for (Handling handling : Handling.values()) {
        try (DemoProgress progress = DemoProgress.of(handling.word(), plan.copies())) {
          runs.add(demo.run(handling, progress));
        }
      }
      return runs;
    } catch (IOException e) {
      throw Failure.io("the demo cannot go on", e);
    }
  }
}
