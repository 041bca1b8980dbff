package dev.onlyonce.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/** What is measured of the local store, beside stores for embedding that sync just as often. */
final class LocalTables {

  private LocalTables() {}

  static List<Table> all(boolean quick) {
    List<Table> tables = new ArrayList<>();
    tables.add(
        row(
            "a new key, claimed and completed, durable, 1,000 a commit",
            "at least 5 times as fast as SQLite, 6 times as RocksDB; at most 1,000 ns",
            "newKeysBy1000"));
    tables.add(
        row(
            "a new key, claimed and completed, durable, 10,000 a commit",
            "at least 10 times as fast as SQLite",
            "newKeysBy10000"));
    tables.add(row("a duplicate among a million keys, 1,000 a call", "", "duplicatesBy1000"));
    tables.add(singleCalls());
    if (!quick) {
      tables.add(new Opening(10_000_000));
    }
    return tables;
  }

  private static Row row(String title, String goal, String method) {
    List<Contender> contenders = new ArrayList<>();
    for (String name : List.of("onlyonce", "sqlite", "rocksdb", "mvstore")) {
      contenders.add(new Contender(name, "DurableBenchmark." + method, name));
    }
    return new Row("local store: " + title, goal, contenders);
  }

  private static Row singleCalls() {
    List<Contender> contenders = new ArrayList<>();
    contenders.add(
        new Contender("256 platform threads", "SingleCallBenchmark.onPlatformThreads", "onlyonce"));
    String goal = "at most 2,000 ns from virtual threads";
    if (SingleCallBenchmark.hasVirtualThreads()) {
      contenders.add(
          new Contender(
              "2,000 virtual threads", "SingleCallBenchmark.onVirtualThreads", "onlyonce"));
    } else {
      goal += "; they need Java 21: JAVA_HOME=FOLDER bench/run --only \"one key a call\"";
    }
    return new Row("local store: one key a call from many threads, durable", goal, contenders);
  }

  /** Says how the contenders are set, and where they write. */
  static String settings(Properties versions) throws IOException {
    return String.format(
        Locale.ROOT,
        """
        Durable stores write to a temporary folder on %s. Each call is two commits, of the claims
        and of the completions, and each commit is synced.
        - SQLite (driver %s): %s.
        - RocksDB %s: %s.
        - H2 MVStore %s: %s.

        """,
        Folder.fileSystem(),
        versions.getProperty("sqlite"),
        SqlitePeer.SETTINGS,
        versions.getProperty("rocksdb"),
        RocksPeer.SETTINGS,
        versions.getProperty("mvstore"),
        MvStorePeer.SETTINGS);
  }
}
