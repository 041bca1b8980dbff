package dev.onlyonce.store.tiered;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.testkit.StoreSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

/** Completes batch after batch with Redis as the authority, and says which, until it is killed. */
final class SettlingWorker {

  static final int BATCH = 500;

  private SettlingWorker() {}

  /** The arguments are the URLs of database and Redis, a prefix, and how many keys may wait. */
  public static void main(String[] args) {
    try (HikariDataSource pool = Stores.pool(args[0]);
        TieredStore store =
            TieredStore.with(Authority.REDIS)
                .database(Stores.database(pool))
                .fast(() -> Stores.front(List.of(args[1]), args[2], StoreSettings.defaults()))
                .behind(Integer.parseInt(args[3]), Duration.ofMinutes(1))
                .open()) {
      System.out.println("ready");
      Scanner told = new Scanner(System.in, UTF_8);
      told.nextLine();
      for (int i = 0; true; i++) {
        List<ClaimRequest> batch = new ArrayList<>();
        for (RecordId each : ids(i)) {
          batch.add(Ask.request(each.key()).settlingNow(Result.NONE, Ask.LONG));
        }
        store.claim(batch);
        System.out.println("done " + i);
      }
    }
  }

  /** Returns the keys of a batch. */
  static List<RecordId> ids(int batch) {
    List<RecordId> ids = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      ids.add(new RecordId(Ask.SCOPE, Key.of("key-" + batch + "-" + i)));
    }
    return ids;
  }
}
