package dev.onlyonce.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/** What is measured of the JDBC store, on each kind of database, beside plain SQL and its peers. */
final class DatabaseTables {

  private static final int STORED = 200_000;

  private final DatabaseKind kind;
  private final int seconds;

  private DatabaseTables(DatabaseKind kind, int seconds) {
    this.kind = kind;
    this.seconds = seconds;
  }

  static List<Table> all(boolean quick) {
    List<Table> tables = new ArrayList<>();
    for (DatabaseKind kind : DatabaseKind.values()) {
      boolean isMariaDb = kind == DatabaseKind.MARIADB;
      DatabaseTables of = new DatabaseTables(kind, quick ? 2 : 5);
      tables.addAll(of.batches(isMariaDb));
      tables.addAll(of.together(isMariaDb));
      tables.addAll(of.single(isMariaDb));
      tables.add(new DatabaseGrowth(kind, quick ? 1_000_000 : 10_000_000, quick ? 2 : 5));
    }
    return tables;
  }

  private List<Table> batches(boolean isMariaDb) {
    return List.of(
        row(
            "a new key, claimed, 1,000 a call",
            isMariaDb
                ? "at least 0.4 times an insert of 1,000, 10 times one a transaction"
                : "at least 0.9 times an insert of 1,000, 12 times one a transaction",
            0,
            of("onlyonce", "claims"),
            of("plain insert of the keys, 1,000 a statement", "inserts"),
            of("the same, passing by keys that are there", "inserts-tolerant"),
            of("plain insert of rows like ours, 1,000 a statement", "rows"),
            of("plain insert, one a transaction", "insert-alone")),
        row(
            "a duplicate among %,d keys that are done, 1,000 a call".formatted(STORED),
            isMariaDb ? "at least 1.5 times new keys" : "at least 2 times new keys",
            STORED,
            of("onlyonce", "duplicates"),
            of("onlyonce, new keys", "claims"),
            of("plain insert, that does nothing", "insert-duplicates")));
  }

  private List<Table> together(boolean isMariaDb) {
    return List.of(
        row(
            "a message with a row in a table without a key, 500 a transaction",
            isMariaDb ? "at least 0.5 times without" : "at least 0.3 times without",
            0,
            of("onlyonce, inbox", "inbox-heap"),
            of("without claims", "plain-heap")),
        row(
            "a message with a row in a table with a unique key, 500 a transaction",
            "at least 0.6 times without",
            0,
            of("onlyonce, inbox", "inbox-keyed"),
            of("without claims", "plain-keyed")),
        row(
            "a message with a statement of its own, 500 a transaction",
            "",
            0,
            of("onlyonce, inbox", "inbox-keyed-each"),
            of("without claims", "plain-keyed-each")));
  }

  private List<Table> single(boolean isMariaDb) {
    List<String[]> contenders = new ArrayList<>();
    boolean hasVirtual = SingleCallBenchmark.hasVirtualThreads();
    if (hasVirtual) {
      contenders.add(of("onlyonce, 2,000 virtual threads", "combined-2000-virtual"));
    }
    contenders.add(of("onlyonce, 256 platform threads", "combined-256"));
    contenders.add(of("plain insert, 32 connections", "pooled-inserts"));
    contenders.add(of("camel, 32 connections", "camel"));
    contenders.add(of("spring, 32 connections", "spring"));
    contenders.add(of("shedlock, 32 connections", "shedlock"));
    return List.of(
        row(
            "a new key, claimed, one a call from many threads",
            isMariaDb ? "" : "at least 5 times plain inserts",
            0,
            contenders.toArray(String[][]::new)));
  }

  private static String[] of(String name, String work) {
    return new String[] {name, work};
  }

  private DatabaseTable row(String title, String goal, int stored, String[]... contenders) {
    return new DatabaseTable(
        kind.title() + ": " + title, goal, kind, stored, seconds, List.of(contenders));
  }

  /** Says how servers and contenders are set. */
  static String settings(Properties versions) {
    return String.format(
        Locale.ROOT,
        """
        Databases run on this machine with their data in the temporary folder: %s. A contender works
        for some seconds in a JVM and a database of its own. The driver of PostgreSQL is told
        plan_cache_mode=force_generic_plan, for all. Camel %s, Spring Integration %s, ShedLock %s:
        %s.

        """,
        DatabaseKind.settings(),
        versions.getProperty("camel"),
        versions.getProperty("spring-integration"),
        versions.getProperty("shedlock"),
        DatabasePeers.SETTINGS);
  }
}
