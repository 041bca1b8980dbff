package dev.onlyonce.store.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/** Claims and completes keys in batches, with four threads, and says which it got. */
final class RacingWorker {

  static final Scope SCOPE = Scope.of("race");
  static final int KEYS = 2_000;
  private static final int THREADS = 4;
  private static final int BATCH = 20;

  private RacingWorker() {}

  /** The argument is the URL; it starts when it reads a line. */
  public static void main(String[] args) throws IOException {
    try (HikariDataSource pool = Pools.pool(args[0], "READ_COMMITTED", THREADS);
        JdbcStore store = JdbcStore.open(pool)) {
      System.out.println("ready");
      new BufferedReader(new InputStreamReader(System.in, UTF_8)).readLine();
      List<List<Integer>> won = Together.run(THREADS, thread -> race(store, thread));
      StringBuilder all = new StringBuilder("won");
      won.forEach(some -> some.forEach(key -> all.append(' ').append(key)));
      System.out.println(all);
    }
  }

  private static List<Integer> race(JdbcStore store, int thread) {
    List<Integer> keys = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      keys.add(i);
    }
    Collections.shuffle(keys, new Random(thread));
    List<Integer> won = new ArrayList<>();
    for (int from = 0; from < KEYS; from += BATCH) {
      List<Integer> some = keys.subList(from, from + BATCH);
      List<Answer> answers = store.claim(some.stream().map(RacingWorker::request).toList());
      for (int i = 0; i < BATCH; i++) {
        if (answers.get(i) instanceof Answer.Claimed) {
          won.add(some.get(i));
        }
      }
    }
    return won;
  }

  private static ClaimRequest request(int key) {
    long id = ThreadLocalRandom.current().nextLong();
    Duration hour = Duration.ofHours(1);
    return ClaimRequest.of(SCOPE, Key.of("key-" + key), id, hour, Lapse.TAKE)
        .settlingNow(Result.NONE, hour);
  }
}
