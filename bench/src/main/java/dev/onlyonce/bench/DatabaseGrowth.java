package dev.onlyonce.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.services.Server;
import dev.onlyonce.store.jdbc.JdbcStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/**
 * Claims among few keys and among many on one server; then purging of the many, half of which have
 * expired, alone and beside claims.
 *
 * @param keys how many the many are
 */
record DatabaseGrowth(DatabaseKind kind, int keys, int seconds) implements Table {

  /** What holds the table of the many, and what is claimed beside it. */
  private static final int GIGABYTES = 6;

  private static final int FEW = 100_000;
  private static final int STEP = 10_000;

  @Override
  public String title() {
    return String.format(Locale.ROOT, "%s: growth to %,d keys", kind.title(), keys);
  }

  @Override
  public String measure(int rounds) throws Exception {
    try (Server server = kind.start(GIGABYTES)) {
      String few = filled(server, FEW);
      String many = filled(server, keys);
      String version = DatabaseKind.version(few);
      return ratio("a new key", "claims", few, many, rounds, version)
          + ratio("a duplicate", "duplicates", few, many, rounds, version)
          + purge(many, rounds, version);
    }
  }

  private String filled(Server server, int stored) throws Exception {
    System.err.printf("%s: filling %,d%n", title(), stored);
    String url = kind.newDatabase(server).url();
    ClaimWork.createTables(url);
    long start = System.nanoTime();
    StoredKeys.fillClaims(url, stored, true);
    kind.read(url, "onlyonce_claim");
    System.err.printf("  in %d s%n", (System.nanoTime() - start) / 1_000_000_000);
    return url;
  }

  private String ratio(
      String what, String work, String few, String many, int rounds, String version)
      throws Exception {
    List<List<DatabaseTable.Score>> scores = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      System.err.printf("%s, round %d: %s%n", title(), round + 1, what);
      scores.add(
          List.of(
              DatabaseTable.run(work, few, FEW, seconds),
              DatabaseTable.run(work, many, keys, seconds)));
    }
    String title = "%s: cost of growth, %s, 1,000 a call".formatted(kind.title(), what);
    List<String> names = List.of("among %,d keys".formatted(FEW), "among %,d keys".formatted(keys));
    return DatabaseTable.heading(title, "at most 1.2 times", version)
        + DatabaseTable.table(names, scores);
  }

  /** Claims alone, and then with somebody who purges; what is left over is purged in the next. */
  private String purge(String url, int rounds, String version) throws Exception {
    double[] rates = new double[rounds];
    List<List<DatabaseTable.Score>> scores = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      System.err.printf("%s, round %d: purge%n", title(), round + 1);
      DatabaseTable.Score alone = DatabaseTable.run("claims", url, keys, seconds);
      try (Purger purger = new Purger(url)) {
        DatabaseTable.Score beside = DatabaseTable.run("claims", url, keys, seconds);
        rates[round] = purger.rate();
        scores.add(List.of(alone, beside));
      }
    }
    return DatabaseTable.heading(
            "%s: purging of %,d keys, half of them expired".formatted(kind.title(), keys),
            "claims of new keys, 1,000 a call, alone and beside it",
            version)
        + DatabaseTable.table(List.of("claims alone", "claims beside a purge"), scores)
        + "Purged rows a second, in steps of %,d, beside the claims: %s.%n%n"
            .formatted(STEP, Spread.of("%,.0f", rates));
  }

  /** A thread that purges until it is closed. */
  private static final class Purger implements AutoCloseable {
    private final HikariDataSource pool;
    private final Thread thread;
    private final long start = System.nanoTime();
    private final LongAdder purged = new LongAdder();
    private volatile boolean isOver;

    Purger(String url) {
      pool = ClaimWork.pool(url, 1);
      thread = new Thread(this::purge, "purge");
      thread.start();
    }

    private void purge() {
      try (JdbcStore store = JdbcStore.open(pool)) {
        while (!isOver) {
          purged.add(store.purge(STEP));
        }
      }
    }

    double rate() {
      return purged.sum() * 1e9 / (System.nanoTime() - start);
    }

    @Override
    public void close() throws InterruptedException {
      isOver = true;
      thread.join();
      pool.close();
    }
  }
}
