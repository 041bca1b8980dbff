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
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.spi.TierMark;
import dev.onlyonce.store.jdbc.JdbcStore;
import dev.onlyonce.store.redis.RedisStore;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.StoreSettings;
import dev.onlyonce.testkit.process.WorkerProcess;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.params.RestoreParams;

/** Redis says what is new; the database gets what was settled later. */
@ExtendWith(Servers.class)
class RedisAuthorityTest extends TieredFixture {

  private final String url;

  RedisAuthorityTest(Database<PostgreSqlServer> database) {
    super(database.url());
    this.url = database.url();
  }

  private Optional<ClaimRecord> behind(String key) {
    try (JdbcStore direct = Stores.database(source)) {
      return direct.find(SCOPE, Key.of(key));
    }
  }

  private static StoreException refused(Kind kind, Runnable call) {
    try {
      call.run();
      throw new AssertionError("it was not refused");
    } catch (StoreException e) {
      assertThat(e.kind()).as(e.getMessage()).isEqualTo(kind);
      return e;
    }
  }

  @Test
  void what_is_settled_is_in_the_database_soon_and_when_the_store_is_closed() {
    TieredStore store = open(overRedis());
    Claim done = complete(store, "done");
    Claim failed = claim(store, "failed");
    settle(store, new Settlement.Fail(failed, "no such account", LONG));
    Claim released = claim(store, "released");
    settle(
        store,
        new Settlement.Release(released, LONG, Settlement.Attempts.KEEP, LONG.multipliedBy(2)));
    claim(store, request("at-once").settlingNow(text("at once"), LONG));
    claim(store, "held");
    awaitCopies(store, 4);
    assertThat(behind("done")).get().isEqualTo(store.find(SCOPE, Key.of("done")).orElseThrow());
    assertThat(behind("done").orElseThrow().token()).isEqualTo(done.token());
    assertThat(behind("failed").orElseThrow().state()).isEqualTo(ClaimState.FAILED);
    assertThat(behind("released").orElseThrow().state()).isEqualTo(ClaimState.RELEASED);
    assertThat(behind("at-once").orElseThrow().result()).isEqualTo(text("at once"));
    assertThat(behind("held")).as("what is held is known to Redis alone").isEmpty();
    for (int i = 0; i < 2_000; i += 500) {
      store.claim(batch("many-", i, i + 500));
    }
    store.close();
    assertThat(store.statistics().behind().dropped()).isZero();
    try (JdbcStore direct = Stores.database(source)) {
      assertThat(direct.totals().get(ClaimState.DONE)).isEqualTo(2_000 + 2 + 1);
    }
  }

  @Test
  @Semantics(102)
  void neither_redis_nor_the_database_behind_is_opened_alone() {
    JdbcStore.open(source).close();
    RedisStore.open(redis.url()).close();
    open(overRedis()).close();
    refused(Kind.REJECTED, () -> JdbcStore.open(source));
    refused(Kind.REJECTED, () -> RedisStore.open(redis.url()));
    assertThat(refused(Kind.REJECTED, () -> RedisStore.at(redis.url()).openIfThere()))
        .hasMessage(
            "the store in Redis is one of the tiers of a tiered store, of which Redis decides, and"
                + " must not be used alone: open the tiered store; to hand it to that, open it with"
                + " asTier()");
    complete(open(overRedis()), "a");
  }

  @Test
  @Semantics(102)
  void a_database_that_is_the_authority_may_be_used_alone_as_well() {
    open(overDatabase()).close();
    try (JdbcStore alone = JdbcStore.open(source)) {
      assertThat(alone.scopes()).contains(TierMark.ID.scope());
    }
    RedisStore.open(redis.url()).close();
  }

  private static List<ClaimRequest> batch(String prefix, int from, int to) {
    List<ClaimRequest> batch = new ArrayList<>();
    for (int i = from; i < to; i++) {
      batch.add(request(prefix + i).settlingNow(Result.NONE, LONG));
    }
    return batch;
  }

  private static List<ClaimRequest> leased(String prefix, int from, int to) {
    List<ClaimRequest> batch = new ArrayList<>();
    for (int i = from; i < to; i++) {
      batch.add(request(prefix + i));
    }
    return batch;
  }

  @Test
  @Semantics({96, 101, 102})
  void a_redis_that_was_emptied_is_refused_and_rebuilt_from_the_database_with_larger_tokens() {
    TieredStore store = open(overRedis());
    Claim done = complete(store, "done");
    Claim failed = claim(store, "failed");
    settle(store, new Settlement.Fail(failed, "no such account", LONG));
    awaitCopies(store, 2);
    Claim held = claim(store, "held");
    Raw.ask(redis, it -> it.flushAll());
    assertThat(refused(Kind.REJECTED, () -> ask(store, "done")))
        .hasMessageContaining("doctor --rebuild");
    await("the loss to be noticed", () -> store.statistics().tier("fast").trouble() != null);
    assertThat(store.statistics().tier("fast").trouble()).contains("was emptied");
    assertThat(refused(Kind.REJECTED, () -> overRedis().open()))
        .hasMessageContainingAll("has lost its records", "doctor --rebuild --yes");
    assertThat(overRedis().rebuild()).isEqualTo(2);
    TieredStore again = open(overRedis());
    assertDone(ask(again, "done"), text("of done"));
    assertThat(ask(again, "failed")).isInstanceOf(Answer.Failed.class);
    Claim second = claim(again, "held");
    assertThat(second.token()).as("what was held is new").isGreaterThan(held.token());
    reset(again, done);
    assertThat(claim(again, "done").token()).isGreaterThan(done.token());
  }

  @Test
  @Semantics({101, 102})
  void a_redis_that_was_restored_is_refused_when_it_is_opened_and_in_the_run() {
    TieredStore store = open(overRedis());
    complete(store, "before");
    awaitBeat(store);
    Map<String, byte[]> backup = new HashMap<>();
    for (String key : Raw.ask(redis, it -> it.keys("*"))) {
      backup.put(key, Raw.ask(redis, it -> it.dump(key)));
    }
    complete(store, "after");
    awaitBeat(store);
    for (Map.Entry<String, byte[]> each : backup.entrySet()) {
      Raw.ask(
          redis,
          it ->
              it.restore(
                  each.getKey(), 0, each.getValue(), RestoreParams.restoreParams().replace()));
    }
    await("the loss to be noticed", () -> store.statistics().tier("fast").trouble() != null);
    assertThat(refused(Kind.REJECTED, () -> ask(store, "after")))
        .hasMessageContainingAll("gone back in time", "doctor --rebuild --yes");
    assertThat(refused(Kind.REJECTED, () -> overRedis().open()))
        .hasMessageContainingAll("gone back in time", "doctor --rebuild --yes");
    try (JdbcStore database = Stores.database(source);
        RedisStore front = Stores.front(List.of(redis.url()), prefix, StoreSettings.defaults())) {
      assertThat(refused(Kind.REJECTED, () -> TieredStore.look(Authority.REDIS, database, front)))
          .hasMessageContainingAll("gone back in time", "doctor --rebuild --yes");
    }
    assertThat(refused(Kind.REJECTED, () -> overRedis().rebuild()))
        .hasMessageContaining("must be empty");
    prefix = "another";
    overRedis().rebuild();
    assertDone(ask(open(overRedis()), "after"), text("of after"));
  }

  /** Waits until the beat behind is a later one than now. */
  private void awaitBeat(TieredStore store) {
    long micros = store.millis() * 1_000;
    Query own = Query.all(100).in(dev.onlyonce.Scope.of("onlyonce/tiers"));
    try (JdbcStore direct = Stores.database(source)) {
      await(
          "a beat",
          () ->
              direct.list(own, null).records().stream()
                  .anyMatch(it -> it.state() == ClaimState.RELEASED && it.token() > micros));
    }
  }

  @Test
  @Semantics(102)
  void the_authority_is_changed_by_a_rebuild_only() {
    TieredStore database = open(overDatabase());
    complete(database, "a");
    database.close();
    assertThat(refused(Kind.REJECTED, () -> overRedis().open()))
        .hasMessageContainingAll("authority: database", "rebuild");
    prefix = "redis-first";
    assertThat(overRedis().rebuild()).isEqualTo(1);
    TieredStore store = open(overRedis());
    assertDone(ask(store, "a"), text("of a"));
    complete(store, "b");
    store.close();
    prefix = "database-first";
    overDatabase().rebuild();
    TieredStore back = open(overDatabase());
    assertDone(ask(back, "b"), text("of b"));
  }

  @Test
  @Semantics(102)
  void a_store_that_was_left_open_when_the_tiers_were_made_anew_is_refused() {
    for (Authority next : Authority.values()) {
      prefix = "old-" + next.name();
      TieredStore left = open(overRedis());
      complete(left, "a");
      awaitCopies(left, 1);
      prefix = "new-" + next.name();
      TieredStore.Builder builder = next == Authority.REDIS ? overRedis() : overDatabase();
      builder.rebuild();
      TieredStore store = open(builder);
      await("the change to be noticed", () -> left.statistics().tier("fast").trouble() != null);
      assertThat(refused(Kind.REJECTED, () -> ask(left, "b"))).hasMessageContaining("made anew");
      claim(store, "b");
      if (next == Authority.REDIS) {
        awaitBeat(store);
      }
      assertThat(store.statistics().tiers()).allMatch(it -> it.trouble() == null);
      store.close();
      Stores.empty(source);
    }
  }

  @Test
  @Semantics(102)
  void a_database_that_has_records_is_not_put_behind_an_empty_redis() {
    try (JdbcStore direct = Stores.database(source)) {
      complete(direct, "a");
    }
    assertThat(refused(Kind.REJECTED, () -> overRedis().open()))
        .hasMessageContainingAll("has records", "doctor --rebuild --yes");
    assertThat(overRedis().rebuild()).isEqualTo(1);
    assertDone(ask(open(overRedis()), "a"), text("of a"));
  }

  @Test
  @Semantics(102)
  void a_redis_of_another_database_is_not_put_before_an_empty_one() {
    complete(open(overRedis()), "a");
    Stores.empty(source);
    assertThat(refused(Kind.REJECTED, () -> overRedis().open()))
        .hasMessageContainingAll("not in the database", "another one", "prefix");
    prefix = "alone";
    try (RedisStore alone =
        Stores.front(List.of(redis.url()), prefix, dev.onlyonce.testkit.StoreSettings.defaults())) {
      complete(alone, "b");
    }
    assertThat(refused(Kind.REJECTED, () -> overRedis().open()))
        .hasMessageContaining("not in the database");
  }

  @Test
  @Semantics({69, 77})
  void a_database_that_is_down_refuses_what_is_new_and_nothing_that_was_handled() {
    try (PostgreSqlServer own = PostgreSqlServer.start();
        var pool = Stores.pool(own.url())) {
      TieredStore store =
          TieredStore.with(Authority.REDIS)
              .database(Stores.database(pool))
              .fast(
                  () ->
                      Stores.front(
                          List.of(redis.url()),
                          prefix,
                          dev.onlyonce.testkit.StoreSettings.defaults()))
              .behind(1_000, Duration.ofMillis(300))
              .open();
      own.kill();
      List<Settlement> handled = new ArrayList<>();
      for (int i = 0; i < 1_500; i += 500) {
        for (Answer each : store.claim(leased("held-", i, i + 500))) {
          handled.add(new Settlement.Complete(((Answer.Claimed) each).claim(), Result.NONE, LONG));
        }
      }
      for (int i = 0; i < 1_000; i += 100) {
        assertThat(store.claim(batch("key-", i, i + 100)))
            .hasOnlyElementsOfType(Answer.Claimed.class);
      }
      assertThat(store.statistics().behind().waiting()).isEqualTo(1_000);
      assertThat(refused(Kind.UNAVAILABLE, () -> claim(store, "new")))
          .hasMessageContainingAll("1,000", "nothing was done");
      assertThat(store.find(SCOPE, Key.of("new"))).as("what was refused").isEmpty();
      assertThat(store.settle(handled))
          .as("what was handled counts, though there is no room")
          .containsOnly(Held.HELD);
      assertThat(store.statistics().behind().waiting()).isEqualTo(2_500);
      own.restart();
      await("the database", () -> store.statistics().behind().waiting() == 0);
      assertThat(store.claim(batch("more-", 0, 1_500))).as("more than may wait").hasSize(1_500);
      store.close();
      try (var anew = Stores.pool(own.url());
          JdbcStore direct = Stores.database(anew)) {
        assertThat(direct.totals().get(ClaimState.DONE)).isEqualTo(1_500 + 1_000 + 1_500 + 1);
      }
    }
  }

  @Test
  @Semantics(67)
  void a_process_that_is_killed_leaves_out_of_the_database_what_waited_and_redis_has_it()
      throws SQLException {
    open(overRedis()).close();
    int batches = 4;
    int bound = batches * SettlingWorker.BATCH;
    try (WorkerProcess worker =
            WorkerProcess.of(SettlingWorker.class)
                .arguments(url, redis.url(), prefix, Integer.toString(bound))
                .start();
        Connection lock = source.getConnection();
        Statement statement = lock.createStatement()) {
      worker.awaitLine("ready", GUARD);
      lock.setAutoCommit(false);
      statement.execute("LOCK TABLE onlyonce_claim IN ACCESS EXCLUSIVE MODE");
      worker.send("go");
      worker.awaitLine("done " + (batches - 1), GUARD);
      worker.kill();
      lock.rollback();
    }
    TieredStore store = open(overRedis());
    try (JdbcStore direct = Stores.database(source)) {
      for (int i = 0; i < batches; i++) {
        List<RecordId> ids = SettlingWorker.ids(i);
        assertThat(store.find(ids)).as("in Redis").allMatch(Optional::isPresent);
        assertThat(direct.find(ids)).as("in the database").allMatch(Optional::isEmpty);
      }
    }
  }

  @Test
  @Case(35)
  void a_redis_that_has_forgotten_the_scripts_is_told_them_again_in_both_modes() {
    for (TieredStore.Builder each : List.of(overRedis(), overDatabase())) {
      TieredStore store = open(each);
      int effects = 0;
      for (int i = 0; i < 100; i++) {
        if (i % 30 == 0) {
          Raw.ask(redis, it -> it.scriptFlush());
        }
        complete(store, "key-" + i);
        effects++;
        assertThat(ask(store, "key-" + i)).isInstanceOf(Answer.Done.class);
      }
      assertThat(effects).isEqualTo(100);
      assertThat(store.statistics().tier("fast").failures()).isZero();
      store.close();
      Raw.ask(redis, it -> it.flushAll());
      Stores.empty(source);
    }
  }

  @Test
  void a_later_change_of_a_key_is_what_the_database_has_in_the_end() {
    TieredStore store = open(overRedis().near(1 << 20));
    Claim claim = complete(store, "a");
    for (int i = 0; i < 50; i++) {
      reset(store, claim);
      claim = complete(store, "a", text("round " + i));
    }
    store.close();
    assertThat(behind("a").orElseThrow().result()).isEqualTo(text("round 49"));
    assertThatThrownBy(() -> ask(store, "a"))
        .asInstanceOf(InstanceOfAssertFactories.type(StoreException.class))
        .extracting(StoreException::kind)
        .isEqualTo(Kind.CLOSED);
  }
}
