package dev.onlyonce.store.tiered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.StoreSettings;
import dev.onlyonce.testkit.process.Await;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/**
 * A master of a cluster dies under load, after its replica has been cut off: a kill alone loses
 * nothing, since the kernel still delivers what was on its way to the replica.
 */
@ExtendWith(Servers.class)
class FailoverTest {

  private static final Duration GUARD = Duration.ofMinutes(1);
  private static final Duration CUT_OFF = Duration.ofMillis(700);
  private static final int BATCH = 20;

  /** How many keys later a key is delivered again. */
  private static final int REDELIVERED = 50 * BATCH;

  @Test
  @Semantics({67, 74})
  void with_the_database_as_the_authority_a_failover_runs_nothing_twice(
      Database<MariaDbServer> database, RedisCluster cluster, TestReporter reporter) {
    try (HikariDataSource pool = Stores.pool(database.url());
        TieredStore store =
            TieredStore.with(Authority.DATABASE)
                .database(Stores.database(pool))
                .fast(() -> Stores.copies(cluster.urls(), "copies"))
                .near(1 << 16)
                .retryAfter(Duration.ofMillis(200))
                .open()) {
      Effects effects = new Effects(store);
      failOver(cluster, effects);
      effects.runAllAgain();
      reporter.publishEntry(
          "authority database", effects.twice() + " of " + effects.done.size() + " ran twice");
      assertThat(effects.twice()).isZero();
      assertThat(effects.failures).as("calls that failed").isEmpty();
    }
  }

  @Test
  @Semantics({67, 102})
  void with_redis_as_the_authority_a_failover_loses_the_last_answers_or_is_refused(
      Database<MariaDbServer> database, RedisCluster cluster, TestReporter reporter) {
    try (HikariDataSource pool = Stores.pool(database.url())) {
      Stores.database(pool).close();
      Stores.empty(pool);
      try (TieredStore store =
          TieredStore.with(Authority.REDIS)
              .database(Stores.database(pool))
              .fast(() -> Stores.front(cluster.urls(), "front", StoreSettings.defaults()))
              .open()) {
        Effects effects = new Effects(store);
        failOver(cluster, effects);
        if (store.statistics().tier("fast").trouble() == null) {
          effects.runAllAgain();
          reporter.publishEntry(
              "authority redis", effects.twice() + " of " + effects.done.size() + " ran twice");
          assertThat(effects.twice()).as("keys that ran twice").isPositive();
        } else {
          reporter.publishEntry("authority redis", store.statistics().tier("fast").trouble());
          assertThatThrownBy(effects::runAllAgain)
              .as("what was lost is not run again once it is noticed")
              .hasMessageContainingAll("rebuild it from the database");
        }
      }
    }
  }

  private static void failOver(RedisCluster cluster, Effects effects) {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Thread thread = new Thread(effects::run);
      threads.add(thread);
      thread.start();
    }
    RedisServer victim = cluster.masterOf("{0}");
    try {
      Await.until("some effects", GUARD, () -> effects.done.size() > 2_000);
      cutOffReplicas(victim);
      LockSupport.parkNanos(CUT_OFF.toNanos());
      victim.kill();
      Await.until("a new master", GUARD, () -> mastersRunning(cluster) == 3);
      int before = effects.done.size();
      Await.until(
          "more effects, or a refusal",
          GUARD,
          () -> effects.done.size() > before + 1_000 || effects.isRefused.get());
    } finally {
      effects.ends.set(true);
      threads.forEach(FailoverTest::join);
      victim.restart();
      Await.until("the old master to follow", GUARD, () -> follows(victim));
    }
    assertThat(effects.surprises).isEmpty();
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** The replica cannot come back: it does not know the password. */
  private static void cutOffReplicas(RedisServer master) {
    try (Jedis jedis = new Jedis(URI.create(master.url()))) {
      jedis.configSet("requirepass", "cut-off");
      jedis.auth("cut-off");
      jedis.clientKill(new ClientKillParams().type(ClientType.REPLICA));
    }
  }

  private static long mastersRunning(RedisCluster cluster) {
    return cluster.nodes().stream()
        .filter(RedisServer::isRunning)
        .filter(it -> Raw.ask(it, jedis -> jedis.role()).get(0).equals("master"))
        .count();
  }

  private static boolean follows(RedisServer server) {
    String info = Raw.ask(server, it -> it.info("replication"));
    return info.contains("role:slave") && info.contains("master_link_status:up");
  }

  /** Handles keys, each of which is delivered twice, and counts how often each was run. */
  private static final class Effects {
    private final TieredStore store;
    private final AtomicInteger numbers = new AtomicInteger();
    final AtomicBoolean ends = new AtomicBoolean();
    final AtomicBoolean isRefused = new AtomicBoolean();
    final Collection<Key> done = new ConcurrentLinkedQueue<>();
    private final Map<Key, Integer> runs = new ConcurrentHashMap<>();
    final Collection<StoreException> failures = new ConcurrentLinkedQueue<>();
    final Collection<Throwable> surprises = new ConcurrentLinkedQueue<>();

    Effects(TieredStore store) {
      this.store = store;
    }

    void run() {
      try {
        while (!ends.get() && !isRefused.get()) {
          int from = numbers.getAndAdd(BATCH);
          try {
            handle(from);
          } catch (StoreException e) {
            failures.add(e);
            isRefused.compareAndSet(false, e.kind() == StoreException.Kind.REJECTED);
          }
        }
      } catch (Throwable e) {
        surprises.add(e);
      }
    }

    private void handle(int from) {
      List<Key> keys = new ArrayList<>();
      for (int i = from; i < from + BATCH; i++) {
        keys.add(Key.of("key-" + i));
        if (i >= REDELIVERED) {
          keys.add(Key.of("key-" + (i - REDELIVERED)));
        }
      }
      List<Settlement> settlements = new ArrayList<>();
      for (Answer each : store.claim(keys.stream().map(Ask::request).toList())) {
        if (each instanceof Answer.Claimed claimed) {
          runs.merge(claimed.claim().key(), 1, Integer::sum);
          settlements.add(new Settlement.Complete(claimed.claim(), Result.NONE, Ask.LONG));
        }
      }
      List<Held> held = store.settle(settlements);
      for (int i = 0; i < held.size(); i++) {
        if (held.get(i) != Held.LOST) {
          done.add(settlements.get(i).claim().key());
        }
      }
    }

    /** Returns how many keys were run more than once. */
    long twice() {
      return runs.values().stream().filter(it -> it > 1).count();
    }

    /** Delivers all that is done once more. */
    void runAllAgain() {
      List<Key> keys = List.copyOf(Set.copyOf(done));
      for (int from = 0; from < keys.size(); from += 500) {
        List<Key> some = keys.subList(from, Math.min(from + 500, keys.size()));
        for (Answer each : store.claim(some.stream().map(Ask::request).toList())) {
          if (each instanceof Answer.Claimed claimed) {
            runs.merge(claimed.claim().key(), 1, Integer::sum);
          }
        }
      }
    }
  }
}
