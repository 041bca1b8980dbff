package dev.onlyonce.app.cli;

import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.bench.Figure;
import dev.onlyonce.app.bench.StoreBench;
import dev.onlyonce.app.bench.Work;
import dev.onlyonce.app.output.JsonLines;
import dev.onlyonce.app.store.Finding;
import dev.onlyonce.app.store.OpenStore;
import dev.onlyonce.spi.Limits;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code onlyonce bench}: how fast a store is from here. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Measures a store as its users use it: new keys and duplicates in batches, and one key a call"
          + " from many threads, by themselves and combined. A line is printed when its work is"
          + " measured. Of a store of tiers it then says what each tier did, and which keys were claimed"
          + " most.%n",
      "It writes keys of its own as fast as it can, in the scope onlyonce/bench, which expire after a"
          + " minute and are purged with the others; do not run it on a server that is busy.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:measured",
      "2:the command line cannot be carried out",
      StoreOption.BAD_FILE,
      "4:the store could not be reached, or did not answer as a store must"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  onlyonce bench --store jdbc:postgresql://db.example/shop --user shop",
      "  onlyonce bench --store redis://cache.example --for 10s --threads 64 --json"
    })
final class BenchCommand implements Callable<Integer> {

  private static final int MOST_THREADS = 1_000;

  @Mixin private StoreOption store = new StoreOption();

  @Option(
      names = "--for",
      paramLabel = "TIME",
      defaultValue = "5s",
      description = "How long each of the four kinds of work is measured (default: 5s).")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Duration time;

  @Option(
      names = "--threads",
      paramLabel = "COUNT",
      defaultValue = "16",
      description = "How many threads ask about one key a call (default: 16).")
  private int threads;

  @Option(
      names = "--batch",
      paramLabel = "COUNT",
      defaultValue = "500",
      description = "How many keys a batch has (default: 500).")
  private int batch;

  @Option(names = "--json", description = "Print a JSON object for each kind of work, one a line.")
  private boolean json;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec command;

  @Override
  public Integer call() {
    require("--threads", threads, MOST_THREADS);
    require("--batch", batch, Limits.BATCH);
    PrintWriter out = command.commandLine().getOut();
    try (OpenStore open = store.access().change("bench")) {
      StoreBench bench = new StoreBench(open.claims(), time, threads, batch);
      for (Work work : Work.values()) {
        print(bench.measure(work), out);
        out.flush();
      }
      List<Finding> findings = open.afterUse().get();
      if (json) {
        FindingLines.printJson(findings, out);
      } else {
        FindingLines.print(findings, out);
      }
    }
    return ExitCode.FINE.number();
  }

  private static void require(String option, int count, int most) {
    if (count < 1 || count > most) {
      throw Failure.usage(
          String.format(Locale.ROOT, "%s may be from 1 to %,d, was %,d", option, most, count));
    }
  }

  private void print(Figure figure, PrintWriter out) {
    if (json) {
      printJson(figure, out);
      return;
    }
    out.printf(
        Locale.ROOT,
        "%-45s %,10d keys/s   %s: median %,d us, 99 of 100 within %,d us%n",
        figure.work().sentence(),
        figure.keysPerSecond(),
        (figure.batch() == 1 ? "a key" : Quantity.of(figure.batch(), "key"))
            + ", "
            + Quantity.of(figure.threads(), "thread"),
        figure.medianMicros(),
        figure.slowMicros());
  }

  private static void printJson(Figure figure, PrintWriter out) {
    try (JsonLines lines = new JsonLines(out)) {
      lines.object(
          object -> {
            String work = figure.work().name().toLowerCase(Locale.ROOT).replace('_', '-');
            object.writeStringProperty("work", work);
            object.writeNumberProperty("threads", figure.threads());
            object.writeNumberProperty("batch", figure.batch());
            object.writeNumberProperty("keys", figure.keys());
            object.writeNumberProperty("seconds", figure.time().toNanos() / 1e9);
            object.writeNumberProperty("keysPerSecond", figure.keysPerSecond());
            object.writeNumberProperty("medianMicros", figure.medianMicros());
            object.writeNumberProperty("slowMicros", figure.slowMicros());
          });
    }
  }
}
