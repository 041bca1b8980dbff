package dev.onlyonce.store.redis;

import static dev.onlyonce.store.redis.Claims.ask;
import static dev.onlyonce.store.redis.Claims.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onlyonce.services.RedisServer;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Servers that are no cluster: a master that was replaced comes back with what it had. */
class TwoMastersTest {

  private static final Duration GUARD = Duration.ofMinutes(1);

  private RedisServer first;
  private RedisServer second;

  @BeforeEach
  void start() {
    first = RedisServer.start(Map.of("min-replicas-to-write", "0"));
    second = first.startReplica(Map.of());
  }

  @AfterEach
  void end() {
    second.close();
    first.close();
  }

  private RedisStore.Builder atBoth() {
    return RedisStore.at(first.url(), second.url()).patience(Duration.ofMillis(300));
  }

  private static StoreException refused(Callable<?> call) {
    StoreException refusal = catchThrowableOfType(StoreException.class, call::call);
    assertThat(refusal).as("an answer").isNotNull();
    return refusal;
  }

  private static String nameOf(RedisServer server) {
    return "127.0.0.1:" + server.address().getPort();
  }

  private static void complete(RedisStore store, String key) {
    store.settle(List.of(Claims.done(claim(store, key))));
  }

  /** The second has replaced the first, has completed a key, and then the first comes back. */
  private void failOver(String key) {
    Raw.awaitReplica(first);
    first.kill();
    Raw.ask(second, it -> it.replicaofNoOne());
    try (RedisStore store = RedisStore.open(second.url())) {
      complete(store, key);
    }
    first.restart();
  }

  private void makeTheFirstFollow() {
    Raw.ask(first, it -> it.replicaof("127.0.0.1", second.address().getPort()));
    Await.until(
        "the first to follow",
        GUARD,
        () -> Raw.ask(first, it -> it.info("replication")).contains("master_link_status:up"));
  }

  @Test
  @Semantics({67, 103})
  void of_two_masters_none_is_taken_and_both_are_named() {
    atBoth().open().close();
    failOver("a");
    StoreException refusal = refused(() -> atBoth().open());
    assertThat(refusal.kind()).as("it ends by itself").isEqualTo(Kind.UNAVAILABLE);
    assertThat(refusal).hasMessageContainingAll(nameOf(first), nameOf(second), "REPLICAOF");
    makeTheFirstFollow();
    try (RedisStore store = atBoth().open()) {
      assertThat(ask(store, "a")).isInstanceOf(Answer.Done.class);
      assertThat(store.findings().warnings()).noneMatch(it -> it.contains("replica of"));
    }
  }

  @Test
  @Semantics({67, 103})
  void a_store_that_is_open_does_not_go_back_to_a_master_that_was_replaced() {
    try (RedisStore store = atBoth().open()) {
      complete(store, "before");
      failOver("a");
      for (int i = 0; i < 3; i++) {
        StoreException refusal = refused(() -> ask(store, "a"));
        assertThat(refusal.kind()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(refusal).hasMessageContainingAll(nameOf(first), nameOf(second));
      }
      makeTheFirstFollow();
      assertThat(ask(store, "a")).isInstanceOf(Answer.Done.class);
    }
  }

  /** What was refused while neither answered is not granted by the one that comes back. */
  @Test
  @Semantics({67, 69, 103})
  void a_store_that_had_nobody_to_ask_looks_again_before_it_asks() {
    try (RedisStore store = atBoth().open()) {
      complete(store, "before");
      Raw.awaitReplica(first);
      first.kill();
      assertThat(refused(() -> ask(store, "a")).kind()).isEqualTo(Kind.UNAVAILABLE);
      Raw.ask(second, it -> it.replicaofNoOne());
      try (RedisStore other = RedisStore.open(second.url())) {
        complete(other, "a");
      }
      first.restart();
      assertThat(refused(() -> ask(store, "a")))
          .hasMessageContainingAll(nameOf(first), nameOf(second));
    }
  }

  /** Who names the first alone cannot see the second; the first itself can know. */
  @Test
  @Semantics({67, 103})
  void a_master_that_is_to_have_a_replica_grants_nothing_when_it_comes_back_alone() {
    try (RedisServer careful = RedisServer.start(Map.of("min-replicas-to-write", "1"));
        RedisServer replica = careful.startReplica(Map.of())) {
      RedisStore.Builder alone = RedisStore.at(careful.url()).patience(Duration.ofMillis(300));
      Await.until("a replica that counts", GUARD, () -> hasGoodReplica(careful));
      try (RedisStore store = alone.open()) {
        complete(store, "before");
      }
      Raw.awaitReplica(careful);
      careful.kill();
      Raw.ask(replica, it -> it.replicaofNoOne());
      careful.restart();
      try (RedisStore store = alone.open()) {
        assertThat(refused(() -> ask(store, "a")).kind()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(ask(store, "before")).isInstanceOf(Answer.Done.class);
      }
    }
  }

  /** The replica knows that it has all a moment before its master does. */
  private static boolean hasGoodReplica(RedisServer master) {
    return Raw.ask(master, it -> it.info("replication")).contains("min_slaves_good_slaves:1");
  }

  /** A replica that is silent counts as being there until its lag is over. */
  @Test
  @Semantics({67, 103})
  void a_master_that_is_cut_off_grants_as_long_as_the_lag_and_that_is_told() {
    Raw.awaitReplica(first);
    Raw.ask(first, it -> it.configSet("min-replicas-to-write", "1"));
    Raw.ask(first, it -> it.configSet("min-replicas-max-lag", "3600"));
    RedisStore.Builder alone = RedisStore.at(first.url()).patience(Duration.ofMillis(300));
    try (RedisStore store = alone.timeout(Duration.ofMillis(500)).open()) {
      assertThat(store.findings().warnings())
          .anyMatch(
              it ->
                  it.startsWith(nameOf(first) + " has min-replicas-max-lag 3600")
                      && it.contains("for about 3600 seconds"));
      second.pause();
      claim(store, "a");
      Raw.ask(first, it -> it.configSet("min-replicas-max-lag", "1"));
      Await.until("the first to miss its replica", GUARD, () -> !isGranted(store));
      assertThat(refused(() -> ask(store, "b")).kind()).isEqualTo(Kind.UNAVAILABLE);
      second.resume();
    }
  }

  private static boolean isGranted(RedisStore store) {
    try {
      claim(store, "tried " + System.nanoTime());
      return true;
    } catch (StoreException e) {
      return false;
    }
  }

  @Test
  @Semantics({67, 103})
  void a_lag_is_safe_if_it_is_short_and_not_zero() {
    Raw.ask(first, it -> it.configSet("min-replicas-to-write", "1"));
    for (int lag : List.of(10, 3, 2, 1, 0)) {
      String setting = "min-replicas-max-lag " + lag;
      Raw.ask(first, it -> it.configSet("min-replicas-max-lag", Integer.toString(lag)));
      List<String> told =
          RedisStore.at(first.url()).look().warnings().stream()
              .filter(it -> it.startsWith(nameOf(first) + " has " + setting + ": "))
              .toList();
      assertThat(told).as(setting).hasSize(lag > 2 || lag == 0 ? 1 : 0);
    }
  }

  @Test
  @Semantics(67)
  void a_server_that_is_named_and_does_not_answer_or_does_not_follow_is_told() {
    try (RedisServer stranger = RedisServer.start();
        RedisServer follower = stranger.startReplica(Map.of());
        RedisStore store = RedisStore.at(first.url(), second.url(), follower.url()).open()) {
      assertThat(store.findings().warnings())
          .anyMatch(it -> it.startsWith(nameOf(follower) + " is no replica of " + nameOf(first)))
          .noneMatch(it -> it.startsWith(nameOf(second) + " is no replica"));
    }
    second.kill();
    try (RedisStore store = atBoth().open()) {
      assertThat(store.findings().warnings())
          .anyMatch(it -> it.startsWith(nameOf(second) + " does not answer"));
    }
  }

  @Test
  void two_names_of_one_server_are_one_master() {
    String other = first.url().replace("127.0.0.1", "localhost");
    try (RedisStore store = RedisStore.at(first.url(), other).open()) {
      claim(store, "a");
    }
  }

  /** As with a password that was changed on one of them only. */
  @Test
  @Semantics({67, 69})
  void a_replica_that_lets_nobody_in_is_told_and_takes_nothing_down() {
    Raw.ask(first, it -> it.aclSetUser("shop", "on", ">pw", "~*", "&*", "+@all"));
    RedisStore.Builder named = atBoth().login("shop", "pw");
    try (RedisStore store = named.open()) {
      claim(store, "a");
      assertThat(store.findings().warnings())
          .anyMatch(it -> it.startsWith(nameOf(second)) && it.contains("WRONGPASS"));
    }
    Raw.ask(first, it -> it.aclDelUser("shop"));
    assertThat(refused(named::open).kind()).isEqualTo(Kind.REJECTED);
  }

  @Test
  @Semantics({67, 69})
  void a_server_that_lets_nobody_in_does_not_end_a_failover() {
    for (RedisServer each : List.of(first, second)) {
      Raw.ask(each, it -> it.aclSetUser("shop", "on", ">pw", "~*", "&*", "+@all"));
    }
    try (RedisServer closed = first.startReplica(Map.of());
        RedisStore store =
            RedisStore.at(first.url(), second.url(), closed.url())
                .patience(Duration.ofMillis(300))
                .login("shop", "pw")
                .open()) {
      complete(store, "a");
      Raw.awaitReplicas(first, 2); // one of them is to take over
      first.kill();
      assertThat(refused(() -> ask(store, "b")).kind()).isEqualTo(Kind.UNAVAILABLE);
      Raw.ask(second, it -> it.replicaofNoOne());
      claim(store, "b");
    }
  }

  private void bar(String... commands) {
    for (RedisServer each : List.of(first, second)) {
      Raw.ask(each, it -> it.aclSetUser("barred", "on", ">pw", "~*", "&*", "+@all"));
      Raw.ask(each, it -> it.aclSetUser("barred", commands));
    }
  }

  @Test
  @Semantics(67)
  void who_may_not_read_info_is_not_told_of_two_masters_where_there_is_one() {
    bar("-info");
    try (RedisStore store = atBoth().login("barred", "pw").open()) {
      claim(store, "a");
      assertThat(store.findings().warnings())
          .anyMatch(it -> it.contains("INFO is barred") && it.contains("+info"))
          .noneMatch(it -> it.contains("is no replica of"));
    }
    String other = first.url().replace("127.0.0.1", "localhost");
    StoreException refusal =
        refused(() -> RedisStore.at(first.url(), other).login("barred", "pw").open());
    assertThat(refusal).hasMessageContainingAll("INFO is barred", "+info", nameOf(first));
  }

  @Test
  @Semantics(67)
  void who_may_read_neither_role_nor_info_is_told_so() {
    bar("-info", "-role");
    StoreException refusal = refused(() -> atBoth().login("barred", "pw").open());
    assertThat(refusal.kind()).isEqualTo(Kind.REJECTED);
    assertThat(refusal).hasMessageContainingAll(nameOf(first), "+role");
    try (RedisStore store = RedisStore.at(first.url()).login("barred", "pw").open()) {
      claim(store, "a");
    }
  }
}
