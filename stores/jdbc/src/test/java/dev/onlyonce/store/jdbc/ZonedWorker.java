package dev.onlyonce.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** Claims one key, or waits until somebody has it and then asks for it until it is granted. */
final class ZonedWorker {

  private static final Scope SCOPE = Scope.of("zones");
  private static final Duration LEASE = Duration.ofSeconds(3);

  private ZonedWorker() {}

  /** The arguments are the URL, the key, and {@code first} or {@code second}. */
  public static void main(String[] args) throws InterruptedException {
    Key key = Key.of(args[1]);
    try (HikariDataSource pool = Pools.pool(args[0], "READ_COMMITTED", 1);
        JdbcStore store = JdbcStore.open(pool)) {
      if (args[2].equals("first")) {
        claim(store, key);
        System.out.println("claimed");
        new CountDownLatch(1).await();
      }
      System.out.println("ready");
      while (store.find(SCOPE, key).isEmpty()) {
        LockSupport.parkNanos(20_000_000);
      }
      int refusals = 0;
      while (!(claim(store, key) instanceof Answer.Claimed)) {
        refusals++;
        LockSupport.parkNanos(100_000_000);
      }
      System.out.println("granted " + refusals);
    }
  }

  private static Answer claim(JdbcStore store, Key key) {
    long id = ThreadLocalRandom.current().nextLong();
    return store.claim(List.of(ClaimRequest.of(SCOPE, key, id, LEASE, Lapse.TAKE))).get(0);
  }
}
