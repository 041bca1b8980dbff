package dev.onlyonce.store.tiered;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.Claim;
import dev.onlyonce.Result;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.testkit.StoreSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Scanner;

/** A process whose threads all want the same keys; it prints each key that it has won. */
final class RacingWorker {

  static final int THREADS = 8;
  static final int KEYS = 1_000;
  private static final int BATCH = 10;

  private RacingWorker() {}

  /** The arguments are the authority and the URLs of database and Redis. */
  public static void main(String[] args) {
    List<String> redis = List.of(args).subList(2, args.length);
    try (HikariDataSource pool = Stores.pool(args[1]);
        TieredStore store = open(Authority.valueOf(args[0]), pool, redis)) {
      System.out.println("ready");
      Scanner told = new Scanner(System.in, UTF_8);
      told.nextLine();
      Together.run(THREADS, thread -> run(store, thread));
      System.out.println("end");
    }
  }

  private static TieredStore open(Authority authority, HikariDataSource pool, List<String> redis) {
    TieredStore.Builder builder =
        TieredStore.with(authority).database(Stores.database(pool)).near(1 << 20);
    return authority == Authority.REDIS
        ? builder.fast(() -> Stores.front(redis, "race", StoreSettings.defaults())).open()
        : builder
            .fast(() -> Stores.copies(redis, "race"))
            .filter(KeyFilter.forKeys(KEYS).scalable())
            .open();
  }

  private static int run(TieredStore store, int thread) {
    List<ClaimRequest> all = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      all.add(Ask.request("key-" + i));
    }
    Collections.shuffle(all, new Random(thread));
    int won = 0;
    for (int from = 0; from < KEYS; from += BATCH) {
      List<Settlement> mine = new ArrayList<>();
      for (Answer each : store.claim(all.subList(from, from + BATCH))) {
        if (each instanceof Answer.Claimed claimed) {
          mine.add(new Settlement.Complete(claimed.claim(), Result.NONE, Ask.LONG));
        }
      }
      List<Held> settled = store.settle(mine);
      for (int i = 0; i < settled.size(); i++) {
        Claim claim = mine.get(i).claim();
        System.out.println(settled.get(i) + " " + claim.key());
        won++;
      }
    }
    return won;
  }
}
