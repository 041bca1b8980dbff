package dev.onlyonce.store.redis;

import static dev.onlyonce.store.redis.Claims.ask;
import static dev.onlyonce.store.redis.Claims.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.testkit.Semantics;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Jedis;

/** What a store is opened with, and what it finds there. */
@ExtendWith(Servers.class)
class RedisSettingsTest {

  private RedisServer server;

  @BeforeEach
  void empty(RedisServer own) {
    server = own;
    Raw.ask(
        server,
        it -> {
          it.configSet("maxmemory-policy", "noeviction");
          it.configSet("maxmemory", "0");
          it.configSet("appendfsync", "everysec");
          return it.flushAll();
        });
  }

  private RedisStore.Builder at() {
    return RedisStore.at(server.url());
  }

  private static StoreException refused(Kind kind, Supplier<?> opening) {
    try {
      Object opened = opening.get();
      throw new AssertionError("opened " + opened);
    } catch (StoreException e) {
      assertThat(e.kind()).as(e.getMessage()).isEqualTo(kind);
      return e;
    }
  }

  @Test
  void the_number_of_shards_is_fixed_when_a_store_is_made() {
    at().shards(4).open().close();
    try (RedisStore store = at().open()) {
      claim(store, "a");
    }
    String kept = Raw.ask(server, it -> it.hget("onlyonce:meta", "shards"));
    assertThat(kept).isEqualTo("4");
    assertThat(refused(Kind.REJECTED, () -> at().shards(16).open()))
        .hasMessageContainingAll("onlyonce:meta", "4 shards", "16 were asked for", "leave it out");
  }

  @Test
  void a_new_store_on_a_single_server_has_one_shard_in_keys_that_never_end() {
    try (RedisStore store = at().open()) {
      claim(store, "a");
    }
    for (String key : Raw.ask(server, it -> it.keys("*"))) {
      long left = Raw.ask(server, it -> it.pttl(key));
      assertThat(left).as("time to live of " + key).isEqualTo(-1);
    }
    Set<String> shards = Raw.ask(server, it -> it.keys("onlyonce:{*}"));
    assertThat(shards).hasSize(1);
  }

  @Test
  void looking_writes_nothing_and_makes_no_store() {
    assertThat(at().openIfThere()).isEmpty();
    assertThat(at().look().servers()).hasSize(1);
    long keys = Raw.ask(server, it -> it.dbSize());
    assertThat(keys).isZero();
  }

  @Test
  void a_store_that_is_there_is_opened_to_look_at_it() {
    try (RedisStore store = at().open()) {
      claim(store, "a");
    }
    try (RedisStore store = at().openIfThere().orElseThrow()) {
      assertThat(store.find(Claims.SCOPE, Key.of("a"))).isPresent();
    }
  }

  @Test
  void stores_with_different_prefixes_have_nothing_in_common() {
    try (RedisStore one = at().prefix("one").open();
        RedisStore two = at().prefix("two").open()) {
      claim(one, "a");
      claim(two, "a");
      assertThat(ask(one, "a")).isInstanceOf(Answer.InProgress.class);
    }
  }

  @Test
  void a_key_with_braces_does_not_break_out_of_its_shard() {
    try (RedisStore store = at().shards(2).open()) {
      Claim claim = claim(store, "{evil}:{0}\r\nFLUSHALL");
      assertThat(ask(store, "{evil}:{0}\r\nFLUSHALL")).isInstanceOf(Answer.InProgress.class);
      store.settle(List.of(Claims.done(claim)));
    }
    long keys = Raw.ask(server, it -> it.dbSize());
    assertThat(keys).as("settings, scopes and two shards").isEqualTo(4);
  }

  @Test
  void a_store_of_a_newer_format_is_refused() {
    at().open().close();
    Raw.ask(server, it -> it.hset("onlyonce:meta", "format", "3"));
    assertThat(refused(Kind.REJECTED, () -> at().open()))
        .hasMessageContainingAll("format 3", "1 and 2", "newer");
  }

  /** Two processes with two secrets would not see each other's claims. */
  @Test
  @Semantics({69, 77})
  void a_store_that_is_emptied_while_it_is_open_answers_nothing_any_more() {
    try (RedisStore store = at().open()) {
      Claim claim = claim(store, "a");
      Raw.ask(server, it -> it.flushAll());
      assertThat(refused(Kind.REJECTED, () -> ask(store, "a")))
          .hasMessageContainingAll("emptied", "open the store anew");
      refused(Kind.REJECTED, () -> store.settle(List.of(Claims.done(claim))));
      refused(Kind.REJECTED, () -> store.purge(1));
      refused(Kind.REJECTED, () -> store.totals());
      try (RedisStore anew = at().open()) {
        claim(anew, "a");
        refused(Kind.REJECTED, () -> ask(store, "a"));
      }
    }
  }

  @Test
  void a_store_whose_settings_were_deleted_alone_is_refused() {
    at().open().close();
    Raw.ask(server, it -> it.del("onlyonce:meta"));
    assertThat(refused(Kind.REJECTED, () -> at().open()))
        .hasMessageContainingAll("onlyonce:{", "deleted or restored alone");
  }

  @Test
  void databases_are_apart() {
    try (RedisStore zero = at().open();
        RedisStore one = at().database(1).open()) {
      claim(zero, "a");
      claim(one, "a");
    }
  }

  @Test
  @Semantics(69)
  void a_port_where_nobody_listens_is_named_at_once() {
    RedisStore.Builder nobody = RedisStore.at("127.0.0.1", 1);
    assertThat(refused(Kind.UNAVAILABLE, nobody::open)).hasMessageContaining("127.0.0.1:1");
  }

  @Test
  void a_wrong_password_is_told_and_not_shown() {
    String address = "127.0.0.1:" + server.address().getPort();
    Raw.ask(server, it -> it.configSet("requirepass", "geheim"));
    try {
      String wrong = "redis://:gehe1m@" + address;
      assertThat(refused(Kind.REJECTED, () -> RedisStore.open(wrong)))
          .hasMessageContainingAll(address, "WRONGPASS")
          .hasMessageNotContaining("gehe1m");
      assertThat(refused(Kind.REJECTED, () -> RedisStore.open("redis://" + address)))
          .hasMessageContaining("NOAUTH");
      RedisStore.open("redis://:geheim@" + address).close();
      RedisStore.at("redis://" + address).login("default", "geheim").open().close();
    } finally {
      try (Jedis jedis = new Jedis(URI.create("redis://:geheim@" + address))) {
        jedis.configSet("requirepass", "");
      }
    }
  }

  @Test
  @Semantics(68)
  void a_policy_that_evicts_keys_is_refused() {
    for (String policy : List.of("allkeys-lru", "volatile-ttl")) {
      Raw.ask(server, it -> it.configSet("maxmemory-policy", policy));
      assertThat(refused(Kind.REJECTED, () -> at().open()))
          .hasMessageContainingAll("maxmemory-policy " + policy, "noeviction");
    }
  }

  /** It takes over one day, and then it is the one that evicts. */
  @Test
  @Semantics({67, 68})
  void a_policy_that_evicts_keys_is_refused_on_a_replica_too() {
    try (RedisServer replica = server.startReplica(Map.of("maxmemory-policy", "allkeys-lru"))) {
      assertThat(refused(Kind.REJECTED, () -> at().open()))
          .hasMessageContainingAll(
              replica.address().getPort() + ", a replica,", "maxmemory-policy allkeys-lru");
    }
  }

  @Test
  @Semantics({67, 68})
  void what_replicas_do_not_write_down_is_told() {
    try (RedisServer replica =
        server.startReplica(Map.of("appendonly", "no", "min-replicas-to-write", "1"))) {
      int port = replica.address().getPort();
      assertThat(at().look().warnings())
          .anyMatch(it -> it.contains(port + ", a replica, has appendonly no"));
      replica.pause();
      assertThat(at().timeout(Duration.ofMillis(200)).look().warnings())
          .anyMatch(it -> it.contains(port + ", a replica, cannot be asked"));
      replica.resume();
    }
  }

  @Test
  @Semantics({67, 68})
  void a_master_that_would_come_back_empty_and_empty_its_replicas_is_told() {
    try (RedisServer forgetful = RedisServer.start(Map.of("appendonly", "no"));
        RedisServer replica = forgetful.startReplica(Map.of())) {
      assertThat(replica.isRunning()).isTrue();
      assertThat(RedisStore.at(forgetful.url()).look().warnings())
          .anyMatch(it -> it.contains("appendonly no") && it.contains("its replicas with it"));
    }
  }

  @Test
  @Semantics(68)
  void an_append_only_file_that_is_not_synced_while_it_is_rewritten_is_told() {
    Raw.ask(server, it -> it.configSet("appendfsync", "always"));
    Raw.ask(server, it -> it.configSet("no-appendfsync-on-rewrite", "yes"));
    try {
      assertThat(at().look().warnings())
          .singleElement()
          .asString()
          .contains("no-appendfsync-on-rewrite yes", "loss of power");
    } finally {
      Raw.ask(server, it -> it.configSet("no-appendfsync-on-rewrite", "no"));
    }
  }

  @Test
  @Semantics(68)
  void weak_persistence_is_told_in_plain_words() {
    try (RedisStore store = at().open()) {
      assertThat(store.findings().warnings())
          .singleElement()
          .asString()
          .contains("appendfsync everysec", "loss of power");
      assertThat(store.findings().cluster()).isFalse();
    }
    Raw.ask(server, it -> it.configSet("appendfsync", "always"));
    try (RedisStore store = at().open()) {
      assertThat(store.findings().warnings()).isEmpty();
    }
    Raw.ask(server, it -> it.configSet("appendonly", "no"));
    try (RedisStore store = at().open()) {
      assertThat(store.findings().warnings())
          .singleElement()
          .asString()
          .contains("appendonly no", "are new");
    } finally {
      Raw.ask(server, it -> it.configSet("appendonly", "yes"));
    }
  }

  @Test
  @Semantics(68)
  void a_setting_of_several_servers_is_one_warning() {
    try (RedisServer one = server.startReplica(Map.of("appendfsync", "no"));
        RedisServer two = server.startReplica(Map.of("appendfsync", "no"))) {
      assertThat(at().look().warnings())
          .filteredOn(it -> it.contains("appendfsync no"))
          .singleElement()
          .asString()
          .contains(
              ":" + Math.min(port(one), port(two)) + " and ",
              ":" + Math.max(port(one), port(two)) + ", replicas, have appendfsync no: a loss");
    }
  }

  private static int port(RedisServer server) {
    return server.address().getPort();
  }

  @Test
  void a_command_that_is_barred_is_told_with_the_rule_that_is_missing() {
    at().open().close();
    for (String command : List.of("eval", "hmget", "wait")) {
      String[] rules = {"reset", "on", ">pw", "~*", "+@all", "-evalsha", "-" + command};
      Raw.ask(server, it -> it.aclSetUser("barred", rules));
      RedisStore.Builder barred = at().login("barred", "pw");
      if (command.equals("wait")) {
        barred.waitForReplicas(1, Duration.ofSeconds(1));
      }
      Raw.ask(server, it -> command.equals("eval") ? "" : it.aclSetUser("barred", "+evalsha"));
      assertThatThrownBy(() -> openAndClaim(barred))
          .as(command)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("let the user do what a store does: ACL SETUSER barred ")
          .hasMessageContaining("+" + command);
    }
  }

  private static void openAndClaim(RedisStore.Builder builder) {
    try (RedisStore store = builder.open()) {
      claim(store, "a");
    }
  }

  @Test
  @Semantics(68)
  void settings_that_the_server_does_not_tell_are_told_to_be_unknown() {
    Raw.ask(server, it -> it.aclSetUser("barred", "on", ">pw", "~*", "&*", "+@all", "-config"));
    try (RedisStore store = at().login("barred", "pw").open()) {
      assertThat(store.findings().warnings()).singleElement().asString().contains("CONFIG");
      assertThat(store.findings().servers().get(0).appendonly()).isNull();
      claim(store, "a");
    }
  }

  @Test
  @Semantics(77)
  void the_window_is_what_the_memory_holds_at_a_rate() {
    try (RedisStore store = at().open()) {
      assertThat(store.findings().window(1_000, 96)).as("without a limit").isEmpty();
    }
    Raw.ask(server, it -> it.configSet("maxmemory", "1gb"));
    try (RedisStore store = at().open()) {
      Duration window = store.findings().window(1_000, 96).orElseThrow();
      assertThat(window).isBetween(Duration.ofHours(3), Duration.ofSeconds(11_184));
    }
  }

  /** There is room for hardly any more, but those that are there go when new ones come. */
  @Test
  @Semantics(77)
  void a_memory_that_is_full_of_keys_holds_what_is_in_it() {
    int keys = 10_000;
    try (RedisStore store = at().shards(3).open()) {
      for (int i = 0; i < keys; i += 100) {
        store.claim(
            Claims.requests(i + "-", 100).stream()
                .map(it -> it.settlingNow(Result.NONE, Claims.LONG))
                .toList());
      }
    }
    long used = at().look().servers().get(0).usedBytes();
    Raw.ask(server, it -> it.configSet("maxmemory", Long.toString(used + 200_000)));
    assertThat(at().look().window(10, 90).orElseThrow())
        .isBetween(Duration.ofSeconds(1_000), Duration.ofSeconds(1_500));
    assertThat(at().prefix("other").look().window(10, 90).orElseThrow())
        .as("what is in use is another store's")
        .isLessThan(Duration.ofSeconds(500));
  }

  @Test
  @Semantics(93)
  void a_server_that_no_other_can_replace_is_believed_about_the_time() {
    try (RedisStore store = at().open()) {
      Claim lapsed = claim(store, "a");
      store.renew(List.of(new Renewal(lapsed, Duration.ZERO, null)));
      claim(store, "a");
    }
  }

  @Test
  void settings_are_checked_when_they_are_set() {
    RedisStore.Builder builder = at();
    assertThatThrownBy(() -> builder.prefix("a{b}")).hasMessageContaining("'a{b}'");
    assertThatThrownBy(() -> builder.shards(0)).hasMessage("shards must be 1 to 1,024, was 0");
    assertThatThrownBy(() -> builder.connections(0)).hasMessageContaining("was 0");
    assertThatThrownBy(() -> builder.timeout(Duration.ZERO)).hasMessageContaining("PT0S");
    assertThatThrownBy(() -> builder.waitForReplicas(0, Duration.ofSeconds(1)))
        .hasMessageContaining("was 0");
    assertThatThrownBy(() -> RedisStore.at()).hasMessageContaining("name a server");
    assertThatThrownBy(() -> RedisStore.at("redis://:geheim@h/x"))
        .hasMessageContaining("must be a number")
        .hasMessageNotContaining("geheim");
    assertThatThrownBy(() -> RedisStore.at("redis://:geheim @h")).hasMessageNotContaining("geheim");
    assertThatThrownBy(() -> RedisStore.at("http://h")).hasMessageContaining("rediss://");
    assertThatThrownBy(() -> RedisStore.at("redis://")).hasMessageContaining("names a host");
    assertThatThrownBy(() -> RedisStore.at("redis://u:geheim@h:abc"))
        .hasMessageContaining("must be 1 to 65,535, was 'abc'");
    for (String uri : List.of("redis://:ge/heim@h:0", "redis://h:65536", "redis://:gehe:im@h:x")) {
      assertThatThrownBy(() -> RedisStore.at(uri))
          .as(uri)
          .hasMessageContaining("must be 1 to 65,535")
          .hasMessageNotContainingAny("ge/", "heim", "im@");
    }
    assertThatThrownBy(() -> RedisStore.at("redis://:geheim@h", "redis://:hemlig@h"))
        .hasMessageContaining("differ")
        .hasMessageNotContaining("geheim")
        .hasMessageNotContaining("hemlig");
  }

  @Test
  @Semantics(94)
  void a_pool_of_one_connection_serves_many_threads() throws Exception {
    try (RedisStore store = at().connections(1).open()) {
      List<Thread> threads = new ArrayList<>();
      AtomicInteger won = new AtomicInteger();
      for (int i = 0; i < 64; i++) {
        Thread thread =
            new Thread(
                () -> {
                  if (ask(store, "a") instanceof Answer.Claimed) {
                    won.incrementAndGet();
                  }
                });
        threads.add(thread);
        thread.start();
      }
      for (Thread each : threads) {
        each.join();
      }
      assertThat(won).hasValue(1);
    }
  }
}
