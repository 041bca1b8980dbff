package dev.onlyonce.store.redis;

import static dev.onlyonce.spi.Lapse.TAKE;
import static dev.onlyonce.store.redis.Claims.LONG;
import static dev.onlyonce.store.redis.Claims.ask;
import static dev.onlyonce.store.redis.Claims.claim;
import static dev.onlyonce.store.redis.Claims.claimed;
import static dev.onlyonce.store.redis.Claims.requests;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.spi.TierMark;
import dev.onlyonce.testkit.Semantics;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A shard that is gone is not taken for an empty one, whoever opens the store. */
@ExtendWith(Servers.class)
class LostShardTest {

  private static final int KEYS = 64;

  private static StoreException rejected(Callable<?> call) {
    StoreException refusal = catchThrowableOfType(StoreException.class, call::call);
    assertThat(refusal).as("an answer").isNotNull();
    assertThat(refusal.kind()).as(refusal.getMessage()).isEqualTo(Kind.REJECTED);
    return refusal;
  }

  /** Completes a number of keys, so that there are some in each shard. */
  private static void complete(RedisStore store) {
    List<Claim> claims = new ArrayList<>();
    store.claim(requests("key", KEYS)).forEach(it -> claims.add(claimed(it)));
    store.settle(claims.stream().map(Claims::done).toList());
  }

  /** Asks for each of these keys alone, and returns how many are granted again. */
  private static long grantedAgain(RedisStore store) {
    return store.claim(requests("key", KEYS)).stream()
        .filter(Answer.Claimed.class::isInstance)
        .count();
  }

  @Nested
  class OnASingleServer {

    private RedisServer server;

    @BeforeEach
    void empty(RedisServer own) {
      server = own;
      Raw.syncLater(server);
      Raw.ask(
          server,
          it -> {
            it.configSet("maxmemory", "0");
            return it.flushAll();
          });
    }

    private RedisStore.Builder at() {
      return RedisStore.at(server.url());
    }

    private String deleteSomeShard() {
      String shard = Raw.ask(server, it -> it.keys("onlyonce:{*}")).iterator().next();
      Raw.ask(server, it -> it.del(shard));
      return shard;
    }

    private boolean isThere(String key) {
      return Raw.ask(server, it -> it.exists(key));
    }

    private void forgetThatItWasMade() {
      Raw.ask(server, it -> it.hdel("onlyonce:meta", "made"));
    }

    @Test
    @Semantics({68, 77})
    void a_store_that_has_lost_a_shard_is_not_opened() {
      try (RedisStore store = at().shards(2).open()) {
        complete(store);
      }
      String shard = deleteSomeShard();
      assertThat(rejected(() -> at().open()))
          .hasMessageContainingAll("onlyonce:meta", shard, "1 of its 2 shards", "may run again");
      assertThat(rejected(() -> at().openIfThere())).hasMessageContaining(shard);
      assertThat(isThere(shard)).isFalse();
    }

    @Test
    @Semantics({68, 77})
    void a_store_that_stayed_open_is_not_helped_by_one_that_is_opened() {
      try (RedisStore store = at().shards(1).open()) {
        complete(store);
        deleteSomeShard();
        rejected(() -> ask(store, "key0"));
        rejected(() -> at().open());
        rejected(() -> ask(store, "key0"));
      }
    }

    @Test
    @Semantics({68, 77})
    void lost_shards_are_made_anew_by_decision_and_their_keys_are_new() {
      RedisStore left = at().shards(2).open();
      try (left) {
        complete(left);
        deleteSomeShard();
        try (RedisStore store = at().remakeLostShards().open()) {
          assertThat(grantedAgain(store)).isBetween(1L, KEYS - 1L);
        }
        assertThat(grantedAgain(left)).as("what stayed open is right again").isZero();
      }
      at().open().close();
    }

    @Test
    void what_is_decided_of_lost_shards_makes_no_store() {
      assertThat(at().remakeLostShards().openIfThere()).isEmpty();
      try (RedisStore store = at().shards(2).open()) {
        complete(store);
      }
      String shard = deleteSomeShard();
      at().remakeLostShards().openIfThere().orElseThrow().close();
      assertThat(isThere(shard)).isTrue();
    }

    /** Writes down what a tiered store does, and returns the shard in which that is. */
    private String markAsTier(RedisStore store) {
      Scope scope = TierMark.ID.scope();
      Key key = TierMark.ID.key();
      Claim mark = claimed(store.claim(List.of(ClaimRequest.of(scope, key, 1, LONG, TAKE))).get(0));
      Result says = Claims.text("redis, database behind #0123456789abcdef");
      store.settle(List.of(new Settlement.Complete(mark, says, LONG)));
      return Raw.ask(server, it -> shards().stream().filter(at -> it.hlen(at) > 1).findFirst())
          .orElseThrow();
    }

    private Set<String> shards() {
      return Raw.ask(server, it -> it.keys("onlyonce:{*}"));
    }

    private void delete(String key) {
      Raw.ask(server, it -> it.del(key));
    }

    @Test
    @Semantics({68, 102})
    void lost_shards_of_a_redis_that_decides_for_tiers_are_not_made_anew_alone() {
      String marked;
      try (RedisStore store = at().shards(2).open()) {
        marked = markAsTier(store);
        complete(store);
      }
      String other = shards().stream().filter(it -> !it.equals(marked)).findFirst().orElseThrow();
      for (String lost : List.of(other, marked)) {
        delete(lost);
        for (Callable<?> way :
            List.<Callable<?>>of(
                () -> at().remakeLostShards().open(),
                () -> at().remakeLostShards().openIfThere())) {
          assertThat(rejected(way))
              .hasMessageContainingAll(lost, "doctor --rebuild --store tiered:FILE.yaml");
          assertThat(isThere(lost)).as("made anew").isFalse();
        }
      }
      at().remakeLostShards().asTier().open().close();
      assertThat(shards()).hasSize(2);
    }

    @Test
    @Semantics({68, 102})
    void whether_it_is_one_of_tiers_is_not_guessed_when_that_is_lost_as_well() {
      String marked;
      try (RedisStore store = at().shards(2).open()) {
        marked = markAsTier(store);
        complete(store);
      }
      delete(marked);
      delete("onlyonce:scopes");
      assertThat(rejected(() -> at().remakeLostShards().open()))
          .hasMessageContainingAll(marked, "onlyonce:scopes", "asTier()");
      assertThat(isThere(marked)).isFalse();
    }

    @Test
    void a_store_that_is_new_has_lost_nothing() {
      List<String> said = new ArrayList<>();
      Handler handler = noting(said);
      Logger log = Logger.getLogger("dev.onlyonce.store.redis.internal.Shards");
      log.addHandler(handler);
      try {
        at().shards(2).remakeLostShards().open().close();
        assertThat(said).isEmpty();
        try (RedisStore store = at().open()) {
          complete(store);
        }
        String shard = deleteSomeShard();
        at().remakeLostShards().open().close();
        assertThat(said).singleElement().asString().contains(shard, "all keys of it are new");
      } finally {
        log.removeHandler(handler);
      }
    }

    private static Handler noting(List<String> said) {
      return new Handler() {
        @Override
        public void publish(LogRecord each) {
          said.add(each.getMessage());
        }

        @Override
        public void flush() {
          // nothing is held back
        }

        @Override
        public void close() {
          // nothing is open
        }
      };
    }

    /** All shards are made before anything is claimed. */
    @Test
    @Semantics(77)
    void a_first_opening_that_was_killed_between_the_shards_is_finished_by_the_next() {
      at().shards(4).open().close();
      forgetThatItWasMade();
      String shard = deleteSomeShard();
      deleteSomeShard();
      assertThat(rejected(() -> at().openIfThere())).hasMessageContaining("was never made whole");
      assertThat(isThere(shard)).isFalse();
      try (RedisStore store = at().open()) {
        complete(store);
      }
      deleteSomeShard();
      rejected(() -> at().open());
    }

    /** As a version before this one has left it. */
    @Test
    @Semantics({68, 77})
    void a_store_that_does_not_say_that_it_was_made_is_known_by_what_it_has() {
      for (int shards : List.of(1, 2)) {
        empty(server);
        try (RedisStore store = at().shards(shards).open()) {
          claim(store, "a");
        }
        forgetThatItWasMade();
        String shard = deleteSomeShard();
        assertThat(rejected(() -> at().open())).hasMessageContaining(shard);
      }
    }

    @Test
    @Semantics(77)
    void a_store_that_does_not_say_that_it_was_made_says_so_from_now_on_even_if_memory_is_full() {
      try (RedisStore store = at().open()) {
        claim(store, "a");
      }
      forgetThatItWasMade();
      Raw.ask(server, it -> it.configSet("maxmemory", "1mb"));
      try (RedisStore store = at().open()) {
        assertThat(ask(store, "a")).isInstanceOf(Answer.InProgress.class);
      }
      deleteSomeShard();
      rejected(() -> at().open());
    }

    @Test
    @Semantics(1)
    void a_new_store_may_be_opened_by_many_at_the_same_time() throws Exception {
      int openers = 8;
      for (int round = 0; round < 20; round++) {
        String prefix = "new-" + round;
        Collection<Object> answers = new ConcurrentLinkedQueue<>();
        CyclicBarrier barrier = new CyclicBarrier(openers);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < openers; i++) {
          threads.add(
              new Thread(
                  () -> {
                    try {
                      barrier.await();
                      try (RedisStore store = at().prefix(prefix).shards(16).open()) {
                        answers.add(ask(store, "a"));
                      }
                    } catch (Exception e) {
                      answers.add(e);
                    }
                  }));
        }
        threads.forEach(Thread::start);
        for (Thread each : threads) {
          each.join();
        }
        assertThat(answers).hasSize(openers).hasOnlyElementsOfType(Answer.class);
        assertThat(answers).filteredOn(Answer.Claimed.class::isInstance).hasSize(1);
      }
    }
  }

  @Nested
  class OnACluster {

    /** As a node without an append-only file that was started again. */
    @Test
    @Semantics({68, 77})
    void what_a_node_has_lost_is_not_taken_for_new(RedisCluster cluster) {
      cluster.nodes().forEach(Raw::syncLater);
      String[] urls = cluster.urls().toArray(String[]::new);
      try (RedisStore store = RedisStore.at(urls).open()) {
        complete(store);
        Raw.ask(masterWithoutSettings(cluster), it -> it.flushAll());
        rejected(() -> grantedAgain(store));
        assertThat(rejected(() -> RedisStore.at(urls).open()))
            .hasMessageContainingAll("of its 16 shards", "may run again");
        rejected(() -> grantedAgain(store));
        // The node may have had what tells that the store is of no tiers.
        RedisStore.at(urls).remakeLostShards().asTier().open().close();
        assertThat(grantedAgain(store)).as("what the node had").isBetween(1L, KEYS / 2L);
      }
    }

    private static RedisServer masterWithoutSettings(RedisCluster cluster) {
      RedisServer settings = cluster.masterOf("onlyonce:meta");
      return cluster.nodes().stream()
          .filter(
              it -> it != settings && Raw.ask(it, jedis -> jedis.role()).get(0).equals("master"))
          .findFirst()
          .orElseThrow();
    }
  }
}
