package dev.onlyonce.bench;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;

/**
 * Runs the benchmarks and prints tables as Markdown. The arguments are the number of rounds, {@code
 * all} or {@code quick}, and optionally a word: then only tables that have it in their title are
 * run.
 */
public final class Report {

  private static final int MILLION = 1_000_000;

  private Report() {}

  /** Measures all tables. */
  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[0]);
    boolean quick = args[1].equals("quick");
    String word = args.length > 2 ? args[2] : "";
    printSettings(rounds);
    for (Table table : tables(quick)) {
      if (table.title().contains(word)) {
        System.out.print(table.measure(rounds));
      }
    }
    if (word.isEmpty()) {
      printHeaps(quick);
    }
    System.out.println("At the end the load was " + load() + ".");
  }

  private static List<Table> tables(boolean quick) {
    List<Table> tables = new ArrayList<>();
    tables.add(
        new Row(
            "memory store: a duplicate among a million keys",
            "at least 2 times as fast as the map",
            memory("duplicate", "onlyonce"),
            new Contender("onlyonce, 500 a call", "MemoryBenchmark.duplicateBatch", "onlyonce"),
            memory("duplicate", "map"),
            memory("duplicate", "caffeine")));
    tables.add(
        new Row(
            "memory store: a new key, claimed and completed, up to a million",
            "",
            memory("newKey", "onlyonce"),
            new Contender("onlyonce, 500 a call", "MemoryBenchmark.newKeyBatch", "onlyonce"),
            memory("newKey", "map"),
            memory("newKey", "caffeine")));
    tables.add(
        new Row(
            "engine: a new key claimed, handled by nothing, completed, up to half a million",
            "the store alone less than 1,000 ns faster; 4 times as fast as Camel's memory"
                + " repository, 2 times as Spring Integration's",
            engine("newKey", "onlyonce"),
            engine("newKey", "store"),
            engine("newKey", "camel-route"),
            engine("newKey", "camel-repository"),
            engine("newKey", "spring-channel"),
            engine("newKey", "spring-selector")));
    tables.add(
        new Row(
            "engine: a duplicate among half a million keys",
            "",
            engine("duplicate", "onlyonce"),
            engine("duplicate", "store"),
            engine("duplicate", "camel-route"),
            engine("duplicate", "spring-channel")));
    tables.addAll(filterRows(10 * MILLION, "at least 4 times as fast as Guava"));
    if (!quick) {
      tables.addAll(filterRows(100 * MILLION, "at least 3.5 times as fast as Guava"));
      tables.addAll(slowRows());
    }
    tables.addAll(LocalTables.all(quick));
    tables.addAll(RedisTables.all(quick));
    tables.addAll(DatabaseTables.all(quick));
    tables.addAll(TieredTables.all());
    return tables;
  }

  private static List<Row> slowRows() {
    return List.of(
        onTwoThreads("memory store: a duplicate", "duplicate"),
        onTwoThreads("memory store: a new key", "newKey"),
        new Row(
            "cost of growth: a duplicate",
            "at most 1.2 times",
            among(MILLION, "duplicate"),
            among(10 * MILLION, "duplicate")),
        new Row(
            "cost of growth: a new key, claimed and completed",
            "at most 1.2 times",
            among(MILLION, "newKeyOnTop"),
            among(10 * MILLION, "newKeyOnTop")));
  }

  private static List<Row> filterRows(int keys, String goal) {
    return List.of(
        new Row(
            "filter of %,d keys at 0.1 %%: a look-up, half of the keys known".formatted(keys),
            goal + ", from hashes 8 times",
            filter("onlyonce", "lookUp", "onlyonce", keys),
            filter("onlyonce, hashes", "lookUpHashes", "onlyonce", keys),
            filter("onlyonce, off the heap", "lookUp", "off-heap", keys),
            filter("guava", "lookUp", "guava", keys)),
        new Row(
            "filter of %,d keys at 0.1 %%: a put of a new key".formatted(keys),
            "at least 3 times as fast as Guava",
            filter("onlyonce", "put", "onlyonce", keys),
            filter("onlyonce, off the heap", "put", "off-heap", keys),
            filter("guava", "put", "guava", keys)));
  }

  private static Contender filter(String name, String method, String contender, int keys) {
    return new Contender(name, "FilterBenchmark." + method, contender, keys, 1);
  }

  private static Contender memory(String method, String name) {
    return new Contender(name, "MemoryBenchmark." + method, name);
  }

  private static Contender engine(String method, String name) {
    return new Contender(name, "EngineBenchmark." + method, name);
  }

  private static Row onTwoThreads(String title, String method) {
    return new Row(
        title + ", two threads",
        "",
        memory(method, "onlyonce").on(2),
        memory(method, "map").on(2),
        memory(method, "caffeine").on(2));
  }

  private static Contender among(int keys, String method) {
    return new Contender(
        "among %,d keys".formatted(keys), "MemoryBenchmark." + method, "onlyonce", keys, 1);
  }

  private static void printSettings(int rounds) throws IOException {
    Properties versions = new Properties();
    try (InputStream in = Report.class.getResourceAsStream("/versions.properties")) {
      versions.load(Objects.requireNonNull(in));
    }
    System.out.printf(
        Locale.ROOT,
        """
        Java %s (%s), %d processors, load %s at the beginning. Caffeine %s, Camel %s, Spring
        Integration %s, Guava %s, JMH %s. Rounds: %d, interleaved; in each a contender has a JVM of its own
        (%s), does
        the work %d times to warm up, and as often to be measured.

        Times are of one operation, from a key's 20 bytes on: on the clock with all threads
        together, of CPU with what its own threads took (one key a call from many threads: what the
        whole process took). They are medians of the rounds, least and most in parentheses; a ratio
        above 1 says that the first is faster. Bytes are allocated on Java's heap by an operation,
        those that are kept among them.

        """,
        Runtime.version(),
        System.getProperty("java.vm.vendor"),
        Runtime.getRuntime().availableProcessors(),
        load(),
        versions.getProperty("caffeine"),
        versions.getProperty("camel"),
        versions.getProperty("spring-integration"),
        versions.getProperty("guava"),
        versions.getProperty("jmh"),
        rounds,
        Contender.JVM,
        Contender.ITERATIONS);
    System.out.print(LocalTables.settings(versions));
    System.out.print(RedisTables.settings(versions));
    System.out.print(DatabaseTables.settings(versions));
  }

  private static String load() {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return String.format(Locale.ROOT, "%.1f", load);
  }

  private static void printHeaps(boolean quick) throws IOException {
    printHeap(MILLION);
    if (!quick) {
      printHeap(10 * MILLION);
    }
  }

  private static void printHeap(int keys) throws IOException {
    System.out.printf(
        Locale.ROOT,
        "**heap of a key that is done, of %,d** (goal: at most 64 bytes, and half of the map's)%n%n"
            + "| | bytes |%n|---|---|%n",
        keys);
    for (String name : List.of("onlyonce", "map", "caffeine")) {
      System.out.printf("| %s | %s |%n", name, heap(name, keys));
    }
    System.out.println();
  }

  private static String heap(String memory, int keys) throws IOException {
    System.err.printf("heap of %d keys: %s%n", keys, memory);
    List<String> flags = List.of("-Xmx5g", "-XX:+UseParallelGC");
    String answer = Fork.run(flags, HeapOfKeys.class, memory, Integer.toString(keys));
    return answer.isBlank() ? "not measured: see standard error" : answer;
  }
}
