package dev.onlyonce.bench;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the benchmarks in interleaved rounds, one JVM for each contender and round, and prints
 * medians, spread and ratios as Markdown. The argument is the number of rounds.
 */
public final class Report {

  private static final int HEAP_KEYS = 2_000_000;

  /**
   * A row of the report.
   *
   * @param method of the benchmark class
   * @param param the name of the parameter that chooses the contender
   */
  private record Row(
      String title, Class<?> owner, String method, String param, int threads, List<String> names) {}

  private static final List<String> MEMORIES = List.of("onlyonce", "map", "caffeine");
  private static final List<String> DOORS =
      List.of("onlyonce", "camel-route", "camel-repository", "spring-channel", "spring-selector");

  private static final List<Row> ROWS =
      List.of(
          memory("memory: a duplicate, one a call", "duplicate", 1),
          memory("memory: a duplicate, one a call, 2 threads", "duplicate", 2),
          memory("memory: a duplicate, 500 a call", "duplicateBatch", 1),
          memory("memory: a new key, claimed and completed", "newKey", 1),
          memory("memory: new keys, 500 a call", "newKeyBatch", 1),
          engine("engine: a new key, handled", "newKey"),
          engine("engine: a duplicate", "duplicate"));

  private Report() {}

  private static Row memory(String title, String method, int threads) {
    return new Row(title, MemoryBenchmark.class, method, "memory", threads, MEMORIES);
  }

  private static Row engine(String title, String method) {
    return new Row(title, EngineBenchmark.class, method, "door", 1, DOORS);
  }

  /** Runs all rows. */
  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[0]);
    printSettings(rounds);
    for (Row row : ROWS) {
      print(row, scores(row, rounds));
    }
    printHeap();
    printGrowth(rounds);
    printGarbage();
  }

  private static void printSettings(int rounds) throws IOException {
    Properties versions = new Properties();
    try (InputStream in = Report.class.getResourceAsStream("/versions.properties")) {
      versions.load(Objects.requireNonNull(in));
    }
    System.out.printf(
        Locale.ROOT,
        "Java %s, %d processors, %d rounds, a fork of -Xmx3g -XX:+UseParallelGC for each contender"
            + " and round; %s%n%n",
        Runtime.version(),
        Runtime.getRuntime().availableProcessors(),
        rounds,
        versions);
  }

  private static Map<String, List<Double>> scores(Row row, int rounds) throws RunnerException {
    Map<String, List<Double>> scores = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (String name : row.names()) {
        ChainedOptionsBuilder options = options(row).param(row.param(), name);
        scores.computeIfAbsent(name, it -> new ArrayList<>()).add(run(options).score());
      }
    }
    return scores;
  }

  private static ChainedOptionsBuilder options(Row row) {
    return new OptionsBuilder()
        .include("\\." + row.owner().getSimpleName() + "\\." + row.method() + "$")
        .threads(row.threads())
        .forks(1)
        .jvmArgs("-Xmx3g", "-XX:+UseParallelGC")
        .warmupIterations(3)
        .warmupTime(TimeValue.seconds(1))
        .measurementIterations(3)
        .measurementTime(TimeValue.seconds(1))
        .verbosity(VerboseMode.SILENT);
  }

  /** What a run has measured: nanoseconds, and bytes if that was asked for. */
  private record Measured(double score, double bytes) {}

  private static Measured run(ChainedOptionsBuilder options) throws RunnerException {
    RunResult result = new Runner(options.build()).run().iterator().next();
    var allocated = result.getSecondaryResults().get("gc.alloc.rate.norm");
    double operations = result.getParams().getOpsPerInvocation();
    return new Measured(
        result.getPrimaryResult().getScore(),
        allocated == null ? Double.NaN : allocated.getScore() / operations);
  }

  private static void print(Row row, Map<String, List<Double>> scores) {
    System.out.printf("**%s**%n%n| | ns, median (min to max) | times ours |%n", row.title());
    System.out.println("|---|---|---|");
    double ours = median(scores.values().iterator().next());
    scores.forEach(
        (name, all) ->
            System.out.printf(
                Locale.ROOT,
                "| %s | %.0f (%.0f to %.0f) | %.2f |%n",
                name,
                median(all),
                Collections.min(all),
                Collections.max(all),
                median(all) / ours));
    System.out.println();
  }

  private static double median(List<Double> all) {
    double[] sorted = all.stream().mapToDouble(it -> it).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  private static void printHeap() throws Exception {
    System.out.printf(Locale.ROOT, "**heap of a key that is done, of %,d**%n%n", HEAP_KEYS);
    System.out.println("| | bytes a key |\n|---|---|");
    for (String name : MEMORIES) {
      Memory memory = Memory.named(name, HEAP_KEYS);
      long before = usedHeap();
      for (int i = 0; i < HEAP_KEYS; i++) {
        memory.handle(MessageKeys.get(i));
      }
      double bytes = usedHeap() - before;
      memory.handle(MessageKeys.get(0));
      memory.close();
      System.out.printf(Locale.ROOT, "| %s | %.1f |%n", name, bytes / HEAP_KEYS);
    }
    System.out.println();
  }

  private static long usedHeap() throws InterruptedException {
    long[] used = new long[3];
    for (int i = 0; i < used.length; i++) {
      System.gc();
      used[i] = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
    return Arrays.stream(used).min().orElseThrow();
  }

  private static void printGrowth(int rounds) throws RunnerException {
    Row row = ROWS.get(0);
    Map<String, List<Double>> scores = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (String keys : List.of("1000000", "10000000")) {
        ChainedOptionsBuilder options =
            options(row).param(row.param(), "onlyonce").param("keys", keys);
        scores
            .computeIfAbsent(keys + " keys stored", it -> new ArrayList<>())
            .add(run(options).score());
      }
    }
    print(
        new Row(
            "cost of growth: a duplicate",
            row.owner(),
            row.method(),
            row.param(),
            1,
            List.copyOf(scores.keySet())),
        scores);
  }

  private static void printGarbage() throws RunnerException {
    System.out.println("**garbage of a call, with our memory store**\n\n| | bytes |\n|---|---|");
    Row storeRow = ROWS.get(3);
    Row engineRow = ROWS.get(5);
    for (Row row : List.of(storeRow, engineRow)) {
      ChainedOptionsBuilder options =
          options(row).param(row.param(), "onlyonce").addProfiler(GCProfiler.class);
      System.out.printf(Locale.ROOT, "| %s | %.0f |%n", row.title(), run(options).bytes());
    }
    System.out.println();
  }
}
