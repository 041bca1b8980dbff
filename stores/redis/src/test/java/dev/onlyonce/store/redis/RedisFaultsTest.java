package dev.onlyonce.store.redis;

import static dev.onlyonce.store.redis.Claims.ask;
import static dev.onlyonce.store.redis.Claims.claim;
import static dev.onlyonce.store.redis.Claims.claimed;
import static dev.onlyonce.store.redis.Claims.request;
import static dev.onlyonce.store.redis.Claims.requests;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.TcpFaultProxy;
import dev.onlyonce.testkit.process.TcpFaultProxy.Ending;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.exceptions.JedisException;

/** One server that forgets its scripts, fills up, dies, and whose connections break. */
@ExtendWith(Servers.class)
class RedisFaultsTest {

  private RedisServer server;

  @BeforeEach
  void empty(RedisServer own) {
    server = own;
    Raw.ask(
        server,
        it -> {
          it.configSet("maxmemory", "0");
          return it.flushAll();
        });
  }

  private RedisStore.Builder through(TcpFaultProxy proxy) {
    return RedisStore.at("127.0.0.1", proxy.port()).timeout(Duration.ofMillis(500));
  }

  private static Kind kindOf(Runnable call) {
    try {
      call.run();
      throw new AssertionError("was answered");
    } catch (StoreException e) {
      return e.kind();
    }
  }

  @Test
  @Case(35)
  void known_failure_35_a_server_that_has_forgotten_the_scripts_is_told_them_again() {
    try (RedisStore store = RedisStore.open(server.url())) {
      for (int i = 0; i < 3; i++) {
        Claim claim = claim(store, "a" + i);
        Raw.ask(server, it -> it.scriptFlush());
        assertThat(store.renew(List.of(new Renewal(claim, Claims.LONG, null))))
            .containsExactly(Held.HELD);
        Raw.ask(server, it -> it.scriptFlush());
        assertThat(store.settle(List.of(Claims.done(claim)))).containsExactly(Held.HELD);
        Raw.ask(server, it -> it.scriptFlush());
        assertThat(store.claim(requests("batch-" + i, 1_000)))
            .hasOnlyElementsOfType(Answer.Claimed.class);
        Raw.ask(server, it -> it.scriptFlush());
        store.purge(10);
        store.totals();
      }
    }
  }

  /** The claim was made, its answer is lost, and the store asks again by itself. */
  @Test
  @Semantics({70, 98, 103})
  void a_claim_whose_answer_was_lost_is_made_once() {
    try (TcpFaultProxy proxy = TcpFaultProxy.to(server.address());
        RedisStore store = through(proxy).connections(1).open()) {
      claim(store, "warm");
      for (int i = 0; i < 20; i++) {
        proxy.answers().cutOnceAfter(i % 5, i % 2 == 0 ? Ending.RST : Ending.FIN);
        Claim claim = claim(store, "a" + i);
        assertThat(claim.attempt()).isEqualTo(1);
        assertThat(ask(store, "a" + i)).isInstanceOf(Answer.InProgress.class);
        proxy.answers().cutOnceAfter(i % 5, Ending.RST);
        assertThat(store.settle(List.of(Claims.done(claim))))
            .as("done now, or by the call whose answer was lost")
            .containsAnyOf(Held.HELD, Held.ALREADY);
        assertThat(ask(store, "a" + i)).isInstanceOf(Answer.Done.class);
      }
      assertThat(proxy.connections().cut()).isGreaterThanOrEqualTo(40);
    }
  }

  @Test
  @Semantics({70, 98, 103})
  void a_batch_that_is_cut_anywhere_is_made_once() {
    try (TcpFaultProxy proxy = TcpFaultProxy.to(server.address());
        RedisStore store = through(proxy).open()) {
      for (int i = 0; i < 12; i++) {
        List<ClaimRequest> batch = requests("batch-" + i + "-", 800);
        if (i % 2 == 0) {
          proxy.requests().cutOnceAfter(1 + i * 5_000L, Ending.RST);
        } else {
          proxy.answers().cutOnceAfter(1 + i * 100L, Ending.RST);
        }
        for (Answer each : store.claim(batch)) {
          assertThat(claimed(each).attempt()).isEqualTo(1);
        }
        proxy.heal();
        assertThat(store.claim(requests("batch-" + i + "-", 800)))
            .hasOnlyElementsOfType(Answer.InProgress.class);
      }
    }
  }

  @Test
  @Semantics({69, 70})
  void a_server_that_says_nothing_makes_the_store_unavailable_in_time() {
    try (TcpFaultProxy proxy = TcpFaultProxy.to(server.address());
        RedisStore store = through(proxy).patience(Duration.ofMillis(300)).open()) {
      claim(store, "before");
      proxy.requests().stall();
      long start = System.nanoTime();
      ClaimRequest request = request("a");
      assertThat(kindOf(() -> store.claim(List.of(request)))).isEqualTo(Kind.UNAVAILABLE);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
      proxy.heal();
      Claim claim = claimed(store.claim(List.of(request)).get(0));
      assertThat(claim.attempt()).isEqualTo(1);
    }
  }

  @Test
  @Semantics(69)
  void a_server_that_cannot_be_reached_is_unavailable_and_comes_back_by_itself() {
    try (TcpFaultProxy proxy = TcpFaultProxy.to(server.address());
        RedisStore store = through(proxy).patience(Duration.ofMillis(300)).open()) {
      claim(store, "before");
      proxy.refuse();
      proxy.cutAll(Ending.RST);
      assertThat(kindOf(() -> ask(store, "a"))).isEqualTo(Kind.UNAVAILABLE);
      proxy.accept();
      claim(store, "a");
    }
  }

  /** Semantic 68: with an append-only file that is synced each time, SIGKILL takes nothing. */
  @Test
  @Semantics({68, 96, 103})
  void a_server_that_is_killed_and_comes_back_has_all_that_was_answered() {
    try (RedisStore store = RedisStore.at(server.url()).patience(Duration.ofSeconds(30)).open()) {
      List<Claim> claims = new ArrayList<>();
      store.claim(requests("a", 500)).forEach(it -> claims.add(claimed(it)));
      store.settle(claims.subList(0, 250).stream().map(Claims::done).toList());
      server.kill();
      Thread restart = new Thread(server::restart);
      restart.start();
      List<Answer> answers = store.claim(requests("a", 500));
      assertThat(answers.subList(0, 250)).hasOnlyElementsOfType(Answer.Done.class);
      assertThat(answers.subList(250, 500)).hasOnlyElementsOfType(Answer.InProgress.class);
      assertThat(store.settle(claims.subList(250, 500).stream().map(Claims::done).toList()))
          .containsOnly(Held.HELD);
    }
  }

  @Test
  @Semantics({69, 77, 103})
  void at_maxmemory_new_keys_are_refused_and_what_is_held_can_be_settled_and_renewed() {
    try (RedisStore store = RedisStore.open(server.url())) {
      List<Claim> claims = new ArrayList<>();
      store.claim(requests("held", 200)).forEach(it -> claims.add(claimed(it)));
      Claim done = claim(store, "done");
      store.settle(List.of(Claims.done(done)));
      Raw.ask(server, it -> it.configSet("maxmemory", "1mb"));

      assertThat(kindOf(() -> ask(store, "new"))).isEqualTo(Kind.FULL);
      assertThat(ask(store, "done")).isInstanceOf(Answer.Done.class);
      assertThat(ask(store, "held0")).isInstanceOf(Answer.InProgress.class);
      try (RedisStore again = RedisStore.open(server.url())) { // a worker that was started again
        assertThat(ask(again, "done")).isInstanceOf(Answer.Done.class);
      }
      List<Renewal> renewals =
          claims.stream().map(it -> new Renewal(it, Claims.LONG, new byte[100])).toList();
      assertThat(store.renew(renewals)).containsOnly(Held.HELD);
      List<Settlement> settlements = new ArrayList<>();
      for (Claim each : claims) {
        settlements.add(
            new Settlement.Complete(each, Claims.text("receipt"), Duration.ofMillis(1)));
      }
      assertThat(store.settle(settlements)).containsOnly(Held.HELD);
      assertThat(store.purge(1)).as("expired, but within its grace").isZero();

      Raw.ask(server, it -> it.configSet("maxmemory", "0"));
      claim(store, "new");
    }
  }

  /** A pool that shuts down interrupts its threads, whose effects have happened. */
  @Test
  void a_thread_that_is_interrupted_settles_all_the_same() {
    try (RedisStore store = RedisStore.open(server.url())) {
      Claim claim = claim(store, "a");
      Thread.currentThread().interrupt();
      List<Held> held = store.settle(List.of(Claims.done(claim)));
      assertThat(Thread.interrupted()).isTrue();
      assertThat(held).containsExactly(Held.HELD);
    }
  }

  @Test
  @Case(35)
  void known_failure_35_without_patience_scripts_are_told_again_too() {
    Raw.ask(server, it -> it.scriptFlush());
    try (RedisStore store = RedisStore.at(server.url()).patience(Duration.ZERO).open()) {
      claim(store, "a");
    }
  }

  @Test
  @Semantics({34, 77})
  void at_maxmemory_what_has_expired_can_be_purged() {
    try (RedisStore store = RedisStore.at(server.url()).purgeGrace(Duration.ZERO).open()) {
      List<ClaimRequest> brief = new ArrayList<>();
      for (ClaimRequest each : requests("brief", 100)) {
        brief.add(each.settlingNow(Result.NONE, Duration.ofMillis(1)));
      }
      store.claim(brief);
      Raw.ask(server, it -> it.configSet("maxmemory", "1mb"));
      int purged = 0;
      for (long end = System.nanoTime() + 10_000_000_000L; purged < 100; ) {
        purged += store.purge(100);
        assertThat(System.nanoTime()).isLessThan(end);
      }
      assertThat(purged).isEqualTo(100);
    }
  }

  /** What a newer clock has given is not undercut when the clock is set back. */
  @Test
  @Semantics({28, 96})
  void tokens_grow_although_the_clock_of_the_server_is_behind_them() {
    try (RedisStore store = RedisStore.at(server.url()).purgeGrace(Duration.ZERO).open()) {
      long ahead = 4_000_000_000_000_000L;
      Key key = Key.of("a");
      ClaimRecord future =
          new ClaimRecord(
              Claims.SCOPE,
              key,
              ClaimState.DONE,
              ahead,
              1,
              1,
              0,
              0,
              1,
              Lapse.TAKE,
              null,
              Result.NONE,
              null,
              "",
              0,
              0);
      store.put(List.of(future));
      assertThat(store.purge(10)).isEqualTo(1);
      assertThat(claim(store, "a").token()).isGreaterThan(ahead);
    }
  }

  @Test
  @Semantics(69)
  void a_store_that_is_closed_says_so() {
    RedisStore store = RedisStore.open(server.url());
    store.close();
    assertThat(kindOf(() -> ask(store, "a"))).isEqualTo(Kind.CLOSED);
    store.close();
  }

  /** Semantic 67: a replica that has not got it is told, and the same request may be repeated. */
  @Test
  @Semantics({67, 98})
  void an_answer_that_no_replica_has_is_an_error_and_may_be_asked_for_again() {
    try (RedisServer replica = server.startReplica(Map.of());
        RedisStore store =
            RedisStore.at(server.url()).waitForReplicas(1, Duration.ofSeconds(1)).open()) {
      assertThat(store.findings().warnings()).anyMatch(it -> it.contains("min-replicas-to-write"));
      Claim first = claim(store, "a");
      store.settle(List.of(Claims.done(first)));
      replica.pause();
      ClaimRequest request = request("b");
      for (int i = 0; i < 2; i++) {
        assertThat(kindOf(() -> store.claim(List.of(request)))).isEqualTo(Kind.UNAVAILABLE);
      }
      replica.resume();
      assertThat(claimed(store.claim(List.of(request)).get(0)).attempt()).isEqualTo(1);
    }
  }

  /** As behind Sentinel: all servers are named, and the one that is the master is taken. */
  @Test
  @Semantics({67, 103})
  void of_a_master_and_its_replica_the_one_that_is_the_master_is_asked() {
    try (RedisServer master = RedisServer.start();
        RedisServer replica = master.startReplica(Map.of());
        RedisStore store = RedisStore.at(replica.url(), master.url()).open()) {
      Claim claim = claim(store, "a");
      Raw.awaitReplica(master);
      master.kill();
      Raw.ask(replica, it -> it.replicaofNoOne());
      assertThat(store.settle(List.of(Claims.done(claim)))).containsExactly(Held.HELD);
      assertThat(ask(store, "a")).isInstanceOf(Answer.Done.class);
    }
  }

  /** Who is connected stays so, and is told READONLY. */
  @Test
  @Semantics({67, 103})
  void a_master_that_becomes_a_replica_is_left_for_the_new_one() {
    try (RedisServer master = RedisServer.start();
        RedisServer replica = master.startReplica(Map.of());
        RedisStore store = RedisStore.at(master.url(), replica.url()).open()) {
      Claim claim = claim(store, "a");
      Raw.awaitReplica(master);
      Raw.ask(replica, it -> it.replicaofNoOne());
      Raw.ask(master, it -> it.replicaof("127.0.0.1", replica.address().getPort()));
      assertThat(store.settle(List.of(Claims.done(claim)))).containsExactly(Held.HELD);
      assertThat(ask(store, "a")).isInstanceOf(Answer.Done.class);
      String errors = Raw.ask(master, it -> it.info("errorstats"));
      assertThat(errors).contains("errorstat_READONLY");
    }
  }

  @Test
  @Semantics({68, 69, 96})
  void a_server_that_is_still_loading_is_waited_for() {
    Map<String, String> slowToLoad =
        Map.of(
            "appendonly", "no",
            "key-load-delay", "20000",
            "loading-process-events-interval-bytes", "1024");
    try (RedisServer slow = RedisServer.start(slowToLoad);
        RedisStore store = RedisStore.at(slow.url()).patience(Duration.ofMinutes(1)).open()) {
      Claim claim = claim(store, "a");
      for (int i = 0; i < 100; i++) {
        String key = "other" + i;
        Raw.ask(slow, it -> it.set(key, "x".repeat(1_024)));
      }
      Raw.ask(slow, it -> it.save());
      slow.kill();
      Thread restart = new Thread(slow::restart);
      restart.start();
      awaitLoading(slow);
      assertThat(store.settle(List.of(Claims.done(claim)))).containsExactly(Held.HELD);
      assertThat(ask(store, "a")).isInstanceOf(Answer.Done.class);
    }
  }

  private static void awaitLoading(RedisServer server) {
    String said = "";
    for (long end = System.nanoTime() + 60_000_000_000L; !said.startsWith("LOADING"); ) {
      assertThat(System.nanoTime()).as("the last thing said was " + said).isLessThan(end);
      try {
        said = "" + Raw.ask(server, it -> it.get("a"));
      } catch (JedisException e) {
        said = "" + e.getMessage();
      }
    }
  }
}
