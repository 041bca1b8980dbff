package dev.onlyonce.store.redis;

import static dev.onlyonce.store.redis.Claims.ask;
import static dev.onlyonce.store.redis.Claims.claim;
import static dev.onlyonce.store.redis.Claims.claimed;
import static dev.onlyonce.store.redis.Claims.requests;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Keys move to the compact tier while others claim them, the server dies, or has no memory left.
 */
@ExtendWith(Servers.class)
class CompactFaultsTest {

  private static final Duration DAY = Duration.ofDays(1);
  private static final int KEYS = 6_000;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private RedisServer server;

  @BeforeEach
  void empty(RedisServer own) {
    server = own;
    Raw.syncLater(server);
    Raw.ask(server, it -> it.configSet("maxmemory", "0"));
    Raw.ask(server, it -> it.flushAll());
  }

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private RedisStore open() {
    return RedisStore.at(server.url())
        .patience(Duration.ZERO)
        .compactTier(Duration.ZERO, KEYS)
        .open();
  }

  private static void complete(ClaimStore store, List<Answer> answers) {
    List<Settlement> settlements = new ArrayList<>();
    for (Answer each : answers) {
      if (each instanceof Answer.Claimed won) {
        settlements.add(new Settlement.Complete(won.claim(), Result.NONE, DAY));
      }
    }
    assertThat(store.settle(settlements)).allMatch(Held.HELD::equals);
  }

  @Test
  @Case(35)
  void a_server_that_has_forgotten_the_scripts_is_told_them_again_for_the_tier_too() {
    try (RedisStore store = open()) {
      complete(store, store.claim(requests("moved", 100)));
      Raw.ask(server, it -> it.scriptFlush());
      while (store.purge(100) > 0) {
        Raw.ask(server, it -> it.scriptFlush());
      }
      assertThat(store.compactKeys()).isEqualTo(100);
      Raw.ask(server, it -> it.scriptFlush());
      assertThat(store.claim(requests("moved", 100))).hasOnlyElementsOfType(Answer.Done.class);
    }
  }

  /** Each of four workers asks for every key in small batches while two others move them. */
  @Test
  @Semantics({1, 3, 82})
  void nobody_wins_a_key_twice_while_it_moves() throws Exception {
    AtomicInteger won = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    List<Future<?>> workers = new ArrayList<>();
    List<Future<Long>> movers = new ArrayList<>();
    try (RedisStore store = open()) {
      for (int i = 0; i < 2; i++) {
        movers.add(threads.submit(() -> moveUntil(over)));
      }
      for (int i = 0; i < 4; i++) {
        Random random = new Random(i);
        workers.add(threads.submit(() -> won.addAndGet(claimAll(store, random))));
      }
      for (Future<?> each : workers) {
        each.get();
      }
      over.set(true);
      long moved = 0;
      for (Future<Long> each : movers) {
        moved += each.get();
      }
      assertThat(won).hasValue(KEYS);
      assertThat(moved + store.purge(KEYS)).as("each has moved once").isEqualTo(KEYS);
      assertThat(store.compactKeys()).isEqualTo(KEYS);
      assertThat(store.totals()).containsEntry(ClaimState.DONE, (long) KEYS);
    }
  }

  private long moveUntil(AtomicBoolean over) {
    long moved = 0;
    try (RedisStore own = open()) {
      while (!over.get()) {
        moved += own.purge(50);
      }
    }
    return moved;
  }

  private static int claimAll(RedisStore store, Random random) {
    List<ClaimRequest> all = requests("key-", KEYS);
    // In another order, but so that the workers meet.
    for (int from = 0; from < KEYS; from += 200) {
      Collections.shuffle(all.subList(from, from + 200), random);
    }
    int won = 0;
    for (int from = 0; from < KEYS; from += 20) {
      List<Answer> answers = store.claim(all.subList(from, from + 20));
      complete(store, answers);
      won += (int) answers.stream().filter(Answer.Claimed.class::isInstance).count();
    }
    return won;
  }

  @Test
  @Semantics({68, 103})
  void a_server_that_is_killed_while_keys_move_has_each_of_them_once() throws Exception {
    RedisStore before = open();
    complete(before, before.claim(requests("key-", KEYS)));
    Future<Integer> moving = threads.submit(() -> moveUntilItFails(before));
    while (before.compactKeys() < KEYS / 10) {
      Thread.onSpinWait();
    }
    server.kill();
    int moved = moving.get();
    before.close();
    server.restart();
    try (RedisStore store = open()) {
      assertThat(store.compactKeys()).isGreaterThanOrEqualTo(moved);
      assertThat(store.totals()).containsEntry(ClaimState.DONE, (long) KEYS);
      assertThat(store.claim(requests("key-", KEYS))).hasOnlyElementsOfType(Answer.Done.class);
      while (store.purge(KEYS) > 0) {
        // until all has moved
      }
      assertThat(store.compactKeys()).isEqualTo(KEYS);
    }
  }

  private static int moveUntilItFails(RedisStore store) {
    int moved = 0;
    try {
      while (true) {
        moved += store.purge(5);
      }
    } catch (StoreException e) {
      return moved;
    }
  }

  @Test
  @Semantics({69, 77})
  void at_maxmemory_keys_move_and_answer() {
    try (RedisStore store = open()) {
      complete(store, store.claim(requests("key-", 1_000)));
      claim(store, "held");
      Raw.ask(server, it -> it.configSet("maxmemory", "1mb"));
      assertThat(store.purge(1_000)).isEqualTo(1_000);
      assertThatThrownBy(() -> ask(store, "new"))
          .isInstanceOfSatisfying(
              StoreException.class,
              it -> assertThat(it.kind()).isEqualTo(StoreException.Kind.FULL));
      assertThat(store.claim(requests("key-", 1_000))).hasOnlyElementsOfType(Answer.Done.class);
      ClaimRequest opening = Claims.request("key-1").expecting(token(store, "key-1"));
      assertThatThrownBy(() -> store.claim(List.of(opening))).isInstanceOf(StoreException.class);
      assertThat(store.compactKeys()).as("what was refused changed nothing").isEqualTo(1_000);
      Raw.ask(server, it -> it.configSet("maxmemory", "0"));
      claimed(store.claim(List.of(opening)).get(0));
    }
  }

  private static long token(RedisStore store, String key) {
    return store.find(Claims.SCOPE, Key.of(key)).orElseThrow().token();
  }
}
