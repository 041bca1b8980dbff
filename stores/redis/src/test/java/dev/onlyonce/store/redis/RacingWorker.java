package dev.onlyonce.store.redis;

import dev.onlyonce.Key;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** A process whose eight threads all want the same keys; it prints each key that it has won. */
final class RacingWorker {

  static final int THREADS = 8;
  private static final int BATCH = 10;

  private RacingWorker() {}

  /** Takes the number of keys and the addresses; starts when it reads a line. */
  public static void main(String[] args) throws IOException, InterruptedException {
    int keys = Integer.parseInt(args[0]);
    String[] uris = Arrays.copyOfRange(args, 1, args.length);
    try (RedisStore store = RedisStore.at(uris).open()) {
      System.out.println("ready");
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Random random = new Random(i);
        Thread thread = new Thread(() -> run(store, keys, random));
        threads.add(thread);
        thread.start();
      }
      for (Thread each : threads) {
        each.join();
      }
      System.out.println("end");
    }
  }

  private static void run(RedisStore store, int keys, Random random) {
    List<ClaimRequest> all = new ArrayList<>(Claims.requests("key-", keys));
    Collections.shuffle(all, random);
    for (int from = 0; from < keys; from += BATCH) {
      List<Settlement> won = new ArrayList<>();
      for (Answer each : store.claim(all.subList(from, from + BATCH))) {
        if (each instanceof Answer.Claimed claimed) {
          won.add(Claims.done(claimed.claim()));
        }
      }
      List<Held> settled = store.settle(won);
      for (int i = 0; i < settled.size(); i++) {
        Key key = won.get(i).claim().key();
        System.out.println(settled.get(i) + " " + key);
      }
    }
  }
}
