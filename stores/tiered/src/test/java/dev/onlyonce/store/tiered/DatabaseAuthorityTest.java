package dev.onlyonce.store.tiered;

import static dev.onlyonce.store.tiered.Ask.LONG;
import static dev.onlyonce.store.tiered.Ask.SCOPE;
import static dev.onlyonce.store.tiered.Ask.ask;
import static dev.onlyonce.store.tiered.Ask.assertDone;
import static dev.onlyonce.store.tiered.Ask.claim;
import static dev.onlyonce.store.tiered.Ask.complete;
import static dev.onlyonce.store.tiered.Ask.request;
import static dev.onlyonce.store.tiered.Ask.reset;
import static dev.onlyonce.store.tiered.Ask.settle;
import static dev.onlyonce.store.tiered.Ask.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.TierCounts;
import dev.onlyonce.store.redis.RedisStore;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Race;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The database says what is new; Redis and the near cache have copies of what is done. */
@ExtendWith(Servers.class)
class DatabaseAuthorityTest extends TieredFixture {

  private static final Fingerprint ONE = Fingerprint.sha256(new byte[] {1});
  private static final Fingerprint TWO = Fingerprint.sha256(new byte[] {2});

  DatabaseAuthorityTest(Database<PostgreSqlServer> database) {
    super(database.url());
  }

  @Test
  @Semantics({3, 75})
  void what_one_process_has_done_another_is_told_by_redis() {
    TieredStore one = open(overDatabase());
    TieredStore two = open(overDatabase());
    complete(one, "a");
    awaitCopies(one, 1);
    assertDone(ask(two, "a"), text("of a"));
    assertThat(answered(two, "fast")).isEqualTo(1);
    assertThat(keysAsked(two, "database")).as("asked of the database").isZero();
  }

  @Test
  @Semantics(75)
  void what_is_done_is_answered_from_the_near_cache_and_what_is_held_never() {
    TieredStore store = open(overDatabase().near(1 << 20));
    claim(store, "held");
    complete(store, "done");
    long asked = keysAsked(store, "database");
    for (int i = 0; i < 5; i++) {
      assertDone(ask(store, "done"), text("of done"));
    }
    assertThat(keysAsked(store, "database")).isEqualTo(asked);
    assertThat(answered(store, "near")).isEqualTo(5);
    assertThat(ask(store, "held")).isInstanceOf(Answer.InProgress.class);
    assertThat(keysAsked(store, "database")).isEqualTo(asked + 1);
    List<TierCounts.TierCount> counts = store.tierCounts();
    assertThat(counts)
        .extracting(TierCounts.TierCount::tier)
        .containsExactly("near", "fast", "database");
    assertThat(counts.get(0).answered()).isEqualTo(5);
    assertThat(counts.get(2).keys()).isEqualTo(asked + 1);
  }

  @Test
  @Semantics(74)
  void a_duplicate_that_the_database_had_to_answer_is_copied_upwards() {
    TieredStore one = open(overDatabase());
    complete(one, "a");
    awaitCopies(one, 1);
    Raw.ask(redis, it -> it.flushAll());
    TieredStore two = open(overDatabase());
    assertDone(ask(two, "a"), text("of a"));
    awaitCopies(two, 1);
    assertThat(keysAsked(two, "database")).isEqualTo(1);
    assertDone(ask(two, "a"), text("of a"));
    assertThat(answered(two, "fast")).isEqualTo(1);
    assertThat(keysAsked(two, "database")).isEqualTo(1);
  }

  @Test
  @Semantics({4, 5})
  void copies_compare_fingerprints_as_the_database_does() {
    TieredStore store = open(overDatabase().near(1 << 20));
    for (String key : List.of("with", "without")) {
      ClaimRequest first = request(key);
      Claim claim = claim(store, key.equals("with") ? first.withFingerprint(ONE) : first);
      settle(store, new Settlement.Complete(claim, Result.NONE, LONG));
    }
    awaitCopies(store, 2);
    TieredStore other = open(overDatabase());
    for (TieredStore each : List.of(store, other)) {
      assertThat(ask(each, request("with").withFingerprint(TWO)))
          .isEqualTo(new Answer.Mismatch(ONE));
      Answer same = ask(each, request("with").withFingerprint(ONE));
      assertThat(((Answer.Done) same).compared()).isTrue();
      assertThat(((Answer.Done) ask(each, "with")).compared()).isFalse();
      long asked = keysAsked(each, "database");
      assertThat(ask(each, request("without").withFingerprint(TWO)))
          .isInstanceOf(Answer.Done.class);
      assertThat(keysAsked(each, "database"))
          .as("a copy without a fingerprint does not answer a request with one")
          .isEqualTo(asked + 1);
    }
  }

  @Test
  @Semantics({26, 31})
  void a_copy_is_never_used_after_the_retention() {
    TieredStore store = open(overDatabase().near(1 << 20).clockMargin(Duration.ZERO));
    Duration retention = Duration.ofMillis(700);
    ClaimRequest request = request("a").settlingNow(text("first"), retention);
    Claim first = claim(store, request);
    awaitCopies(store, 1);
    TieredStore other = open(overDatabase().clockMargin(Duration.ZERO));
    assertDone(ask(store, "a"), text("first"));
    AtomicInteger duplicates = new AtomicInteger();
    await(
        "the end of the retention",
        () -> {
          boolean isOver = database("a") == null;
          Answer answer = ask(other, request("a"));
          duplicates.addAndGet(answer instanceof Answer.Done ? 1 : 0);
          assertThat(isOver && answer instanceof Answer.Done).as("done after its end").isFalse();
          return answer instanceof Answer.Claimed; // which it may be if it has ended in between
        });
    assertThat(duplicates).as("answered from copies").hasPositiveValue();
    assertThat(ask(store, "a")).isInstanceOf(Answer.InProgress.class);
    assertThat(database("a").token()).isGreaterThan(first.token());
  }

  private ClaimRecord database(String key) {
    try (var direct = Stores.database(source)) {
      return direct.find(SCOPE, Key.of(key)).orElse(null);
    }
  }

  @Test
  @Semantics({23, 24})
  void what_an_operator_resets_no_copy_brings_back() {
    TieredStore one = open(overDatabase().near(1 << 20));
    Claim done = complete(one, "a");
    awaitCopies(one, 1);
    assertDone(ask(one, "a"), text("of a"));
    ClaimRecord copy;
    try (RedisStore direct = Stores.copies(List.of(redis.url()), prefix)) {
      Scope copies =
          direct.scopes().stream()
              .filter(it -> it.name().endsWith("/" + SCOPE))
              .findFirst()
              .orElseThrow();
      copy = direct.find(copies, Key.of("a")).orElseThrow();
      TieredStore operator = open(overDatabase());
      reset(operator, done);
      assertThat(direct.put(List.of(copy.withKey(Key.of("a")))))
          .as("a slow process puts its copy when the key has been reset")
          .containsExactly(false);
    }
    TieredStore three = open(overDatabase());
    assertThat(claim(three, "a").token()).isGreaterThan(done.token());
  }

  @Test
  @Semantics({23, 24})
  void a_reset_in_this_process_is_seen_at_once_and_in_another_after_the_time_of_its_near_cache() {
    TieredStore own = open(overDatabase().near(1 << 20, Duration.ofMinutes(5)));
    Duration keep = Duration.ofSeconds(1);
    TieredStore other = open(overDatabase().near(1 << 20, keep));
    Claim done = complete(own, "a");
    awaitCopies(own, 1);
    long start = System.nanoTime();
    assertDone(ask(other, "a"), text("of a"));
    reset(own, done);
    Answer late = ask(other, "a");
    assertThat(late instanceof Answer.Done && System.nanoTime() - start > keep.toNanos())
        .as("a copy that is older than it may be")
        .isFalse();
    await("the other to see it", () -> ask(other, "a") instanceof Answer.Claimed);
    assertThat(ask(own, "a")).isInstanceOf(Answer.InProgress.class);
  }

  /** It answers what it has, so it is asked, and no circuit-breaker opens. */
  @Test
  @Semantics({24, 77})
  void who_opens_a_key_that_is_done_is_told_that_redis_is_full_and_may_when_it_has_room(
      RedisServer server) {
    RedisServer own = RedisServer.start();
    redis = own;
    try {
      TieredStore store = open(overDatabase());
      Claim done = complete(store, "done");
      awaitCopies(store, 1);
      Raw.ask(own, it -> it.configSet("maxmemory", "1"));
      assertThatThrownBy(() -> reset(store, done))
          .isInstanceOf(StoreException.class)
          .hasMessageContainingAll("is full", "nothing was done, give it room", "raise maxmemory")
          .hasMessageNotContaining("answers");
      assertThat(store.statistics().tier("fast").trouble()).contains("full", "takes no copies");
      assertDone(ask(store, "done"), text("of done"));
      Raw.ask(own, it -> it.configSet("maxmemory", "0"));
      reset(store, done);
      assertThat(store.statistics().tier("fast").trouble()).isNull();
      assertThat(claim(store, "done").token()).isGreaterThan(done.token());
    } finally {
      own.close();
      redis = server;
    }
  }

  @Test
  @Semantics({24, 69})
  void a_key_that_is_done_is_not_opened_while_its_copy_cannot_be_reached(RedisServer server) {
    RedisServer own = RedisServer.start();
    redis = own;
    try {
      TieredStore store = open(overDatabase());
      Claim done = complete(store, "done");
      Claim failed = claim(store, "failed");
      settle(store, new Settlement.Fail(failed, "no such account", LONG));
      own.kill();
      assertThatThrownBy(() -> reset(store, done))
          .isInstanceOf(StoreException.class)
          .hasMessageContainingAll("nothing was done", "when it answers");
      assertThat(database("done").token()).isEqualTo(done.token());
      reset(store, failed);
      own.restart();
      await("Redis", () -> store.statistics().tier("fast").trouble() == null);
      reset(store, done);
      assertThat(claim(store, "done").token()).isGreaterThan(done.token());
    } finally {
      own.close();
      redis = server;
    }
  }

  @Test
  @Semantics({69, 70})
  void redis_may_be_killed_emptied_and_restarted_and_nothing_runs_twice() {
    RedisServer own = RedisServer.start(Map.of("appendonly", "no"));
    redis = own;
    Map<Key, AtomicInteger> effects = new ConcurrentHashMap<>();
    int threads = 4;
    int keys = 1_200;
    try {
      TieredStore one = open(overDatabase().near(1 << 20));
      TieredStore two = open(overDatabase());
      AtomicInteger progress = new AtomicInteger();
      List<Throwable> chaos = new ArrayList<>();
      Thread killer = new Thread(() -> chaos(own, progress, chaos));
      killer.start();
      Race.run(
          threads,
          number -> {
            TieredStore store = number % 2 == 0 ? one : two;
            for (int i = 0; i < keys; i++) {
              Key key = Key.of("key-" + i);
              if (ask(store, request(key)) instanceof Answer.Claimed claimed) {
                effects.computeIfAbsent(key, it -> new AtomicInteger()).incrementAndGet();
                settle(store, new Settlement.Complete(claimed.claim(), Result.NONE, LONG));
              }
              progress.incrementAndGet();
            }
            return number;
          });
      join(killer);
      assertThat(chaos).isEmpty();
      await("Redis", () -> one.statistics().tier("fast").trouble() == null);
      for (int i = 0; i < keys; i++) {
        assertThat(ask(two, "key-" + i)).isInstanceOf(Answer.Done.class);
      }
    } finally {
      own.close();
    }
    assertThat(effects).hasSize(keys);
    assertThat(effects.values()).as("effects of a key").allMatch(it -> it.get() == 1);
  }

  /** Kills Redis, which has no log, starts it again without its data, and empties it later. */
  private static void chaos(RedisServer server, AtomicInteger progress, List<Throwable> faults) {
    try {
      await("some progress", () -> progress.get() > 500);
      server.kill();
      await("progress without Redis", () -> progress.get() > 1_500);
      server.restart();
      await("progress with an empty Redis", () -> progress.get() > 3_000);
      Raw.ask(server, it -> it.flushAll());
    } catch (RuntimeException | AssertionError e) {
      faults.add(e);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Test
  @Semantics({1, 73})
  @Case(33)
  void a_filter_as_the_first_tier_tells_no_two_threads_that_a_key_is_new() {
    TieredStore store =
        open(overDatabase().near(1 << 22).filter(KeyFilter.forKeys(10_000).scalable()));
    await("the filter", () -> store.statistics().tier("filter").trouble() == null);
    int keys = 10_000;
    List<Integer> won =
        Race.run(
            8,
            number -> {
              int mine = 0;
              for (int from = 0; from < keys; from += 100) {
                List<ClaimRequest> batch = new ArrayList<>();
                for (int i = from; i < from + 100; i++) {
                  batch.add(request("value-" + i).settlingNow(Result.NONE, LONG));
                }
                for (Answer each : store.claim(batch)) {
                  mine += each instanceof Answer.Claimed ? 1 : 0;
                }
              }
              return mine;
            });
    assertThat(won.stream().mapToInt(it -> it).sum()).as("effects").isEqualTo(keys);
  }

  @Test
  @Semantics(73)
  void a_filter_that_was_loaded_spares_redis_the_keys_that_were_never_done() {
    TieredStore one = open(overDatabase());
    complete(one, "known");
    awaitCopies(one, 1);
    TieredStore two = open(overDatabase().filter(KeyFilter.forKeys(1_000).scalable()));
    await("the filter", () -> two.statistics().tier("filter").trouble() == null);
    for (int i = 0; i < 100; i++) {
      claim(two, "new-" + i);
    }
    assertThat(answered(two, "filter")).isGreaterThan(90);
    assertThat(keysAsked(two, "fast")).isLessThan(10);
    assertDone(ask(two, "known"), text("of known"));
    assertThat(answered(two, "fast")).isEqualTo(1);
  }

  @Test
  void hot_keys_are_found_and_asked_for_once_at_a_time() {
    TieredStore store = open(overDatabase().near(1 << 20, LONG));
    int threads = 16;
    List<List<Answer>> rounds = new ArrayList<>();
    for (int round = 0; round < 10; round++) {
      String key = "round-" + round;
      rounds.add(Race.run(threads, number -> ask(store, key)));
    }
    for (List<Answer> each : rounds) {
      assertThat(each).filteredOn(Answer.Claimed.class::isInstance).hasSize(1);
      assertThat(each).filteredOn(Answer.InProgress.class::isInstance).hasSize(threads - 1);
    }
    assertThat(store.statistics().joined()).as("joined").isPositive();
    complete(store, "hot");
    for (int i = 0; i < 3_000; i++) {
      ask(store, "hot");
      ask(store, request("cold-" + i).settlingNow(Result.NONE, LONG));
    }
    TieredStatistics statistics = store.statistics();
    assertThat(statistics.hotKeys().get(0).key()).isEqualTo(Key.of("hot"));
    assertThat(statistics.hotKeys().get(0).atLeast()).isBetween(1_500L, 6_000L);
    assertThat(statistics.tier("near").answered()).isGreaterThanOrEqualTo(3_000);
    assertThat(statistics.tier("database").mean()).isPositive();
    assertThat(statistics.tier("database").p99())
        .isGreaterThanOrEqualTo(statistics.tier("near").p99());
  }

  @Test
  @Semantics({13, 69})
  void redis_that_is_not_there_yet_is_used_when_it_comes() {
    RedisServer own = RedisServer.start();
    redis = own;
    own.kill();
    try {
      TieredStore store = open(overDatabase());
      assertThat(store.statistics().tier("fast").trouble()).isNotNull();
      complete(store, "a");
      own.restart();
      await("Redis", () -> store.statistics().tier("fast").trouble() == null);
      complete(store, "b");
      awaitCopies(store, 1);
    } finally {
      own.close();
    }
  }

  /** While it is open it would be left alone for that, too. */
  @Test
  @Semantics({13, 69})
  void redis_that_bars_a_command_is_used_when_it_is_allowed(RedisServer server) {
    Raw.ask(server, it -> it.aclSetUser("clerk", "reset", "on", ">pw", "~*", "+@all", "-hset"));
    String clerk = server.url().replace("//", "//clerk:pw@");
    TieredStore store = open(overDatabase().fast(() -> Stores.copies(List.of(clerk), prefix)));
    assertThat(store.statistics().tier("fast").trouble()).contains("ACL SETUSER clerk +hset");
    Claim done = complete(store, "a");
    assertDone(ask(store, "a"), text("of a"));
    assertThatThrownBy(() -> reset(store, done))
        .as("its copy may be there, of another process")
        .hasMessageContainingAll("nothing was done", "ACL SETUSER clerk +hset");
    Raw.ask(server, it -> it.aclSetUser("clerk", "+hset"));
    await("Redis", () -> store.statistics().tier("fast").trouble() == null);
    complete(store, "b");
    awaitCopies(store, 1);
    Raw.ask(server, it -> it.aclDelUser("clerk"));
  }

  @Test
  @Semantics(74)
  void what_somebody_else_has_done_in_redis_is_no_copy() {
    for (Scope scope : List.of(SCOPE, Scope.of("s".repeat(128)))) {
      ClaimRequest first = ClaimRequest.of(scope, Key.of("k"), 1, LONG, Lapse.TAKE);
      TieredStore store = open(overDatabase());
      try (RedisStore direct = Stores.copies(List.of(redis.url()), prefix)) {
        claim(direct, first.settlingNow(text("of somebody else"), LONG));
      }
      ClaimRequest mine = ClaimRequest.of(scope, Key.of("k"), 2, LONG, Lapse.TAKE);
      claim(store, mine.settlingNow(text("mine"), LONG));
      awaitCopies(store, 1);
      TieredStore other = open(overDatabase());
      assertDone(
          ask(other, ClaimRequest.of(scope, Key.of("k"), 3, LONG, Lapse.TAKE)), text("mine"));
      assertThat(answered(other, "fast")).isEqualTo(1);
    }
  }

  @Test
  @Semantics(74)
  void a_copy_whose_time_is_over_is_made_anew() {
    TieredStore store =
        open(overDatabase().copiesKeptFor(Duration.ofSeconds(1)).clockMargin(Duration.ZERO));
    complete(store, "a");
    awaitCopies(store, 1);
    await("the copy's end", () -> isAskedOfTheDatabase(store, "a"));
    awaitCopies(store, 2);
    assertThat(answeredByRedis(store, "a")).as("answered from the new copy").isTrue();
  }

  private static boolean isAskedOfTheDatabase(TieredStore store, String key) {
    long asked = keysAsked(store, "database");
    assertDone(ask(store, key), text("of " + key));
    return keysAsked(store, "database") > asked;
  }

  private static boolean answeredByRedis(TieredStore store, String key) {
    long answered = answered(store, "fast");
    for (int i = 0; i < 1_000; i++) {
      assertDone(ask(store, key), text("of " + key));
    }
    return answered(store, "fast") > answered;
  }
}
