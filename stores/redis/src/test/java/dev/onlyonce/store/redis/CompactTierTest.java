package dev.onlyonce.store.redis;

import static dev.onlyonce.store.redis.Claims.SCOPE;
import static dev.onlyonce.store.redis.Claims.ask;
import static dev.onlyonce.store.redis.Claims.claim;
import static dev.onlyonce.store.redis.Claims.claimed;
import static dev.onlyonce.store.redis.Claims.request;
import static dev.onlyonce.store.redis.Claims.requests;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.testkit.Semantics;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

/** Keys that are done move to the compact tier, and are the same there but for what it forgets. */
@ExtendWith(Servers.class)
class CompactTierTest {

  private static final Duration DAY = Duration.ofDays(1);
  private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();
  private static final int HEAD = 4;
  private static final int ENTRY = 20;
  private static final int HOURS_AT = 18;

  private RedisServer server;
  private RedisStore store;

  @BeforeEach
  void open(RedisServer own) {
    server = own;
    Raw.syncLater(server);
    Raw.ask(server, it -> it.configSet("maxmemory", "0"));
    Raw.ask(server, it -> it.flushAll());
    store = at(1_000).open();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private RedisStore.Builder at(long keys) {
    return RedisStore.at(server.url())
        .patience(Duration.ZERO)
        .purgeGrace(Duration.ZERO)
        .compactTier(Duration.ZERO, keys);
  }

  private static Settlement done(Claim claim) {
    return new Settlement.Complete(claim, Result.NONE, DAY);
  }

  private static void purgeAll(RedisStore store) {
    while (store.purge(1_000) > 0) {
      // until nothing is left to do
    }
  }

  /** Claims and completes a key, and has it moved. */
  private Claim moved(String key) {
    Claim claim = claim(store, key);
    assertThat(store.settle(List.of(done(claim)))).containsExactly(Held.HELD);
    long before = store.compactKeys();
    purgeAll(store);
    assertThat(store.compactKeys()).as("keys in the compact tier").isEqualTo(before + 1);
    return claim;
  }

  private ClaimRecord find(String key) {
    return store.find(SCOPE, Key.of(key)).orElseThrow();
  }

  private void completeMany(String prefix, int count) {
    for (int from = 0; from < count; from += 5_000) {
      List<Settlement> settlements = new ArrayList<>();
      List<ClaimRequest> requests = requests(prefix + from + "-", Math.min(5_000, count - from));
      store.claim(requests).forEach(it -> settlements.add(done(claimed(it))));
      assertThat(store.settle(settlements)).containsOnly(Held.HELD);
    }
  }

  @Test
  void a_key_in_the_compact_tier_takes_at_most_25_bytes(TestReporter reporter) {
    int keys = 250_000;
    store.close();
    Raw.ask(server, it -> it.flushAll());
    store = at(keys).open();
    completeMany("order-", keys);
    purgeAll(store);
    assertThat(store.compactKeys()).isEqualTo(keys);
    String shard = Raw.ask(server, it -> it.keys("onlyonce:{*}")).iterator().next();
    double bytes = (double) Raw.ask(server, it -> it.memoryUsage(shard, 0)) / keys;
    reporter.publishEntry("bytes of a key in the compact tier", String.format("%.1f", bytes));
    assertThat(bytes).isBetween(20.0, 25.0);
    List<Answer> again = store.claim(requests("order-0-", 5_000));
    assertThat(again).hasOnlyElementsOfType(Answer.Done.class);
  }

  @Test
  @Semantics({3, 16, 20})
  void a_key_that_has_moved_answers_as_before() {
    Claim claim = moved("a");
    Answer.Done answer = (Answer.Done) ask(store, "a");
    assertThat(answer.result()).isEqualTo(Result.NONE);
    assertThat(store.settle(List.of(done(claim)))).containsExactly(Held.ALREADY);
    Claim zombie = new Claim(SCOPE, claim.key(), claim.token() - 1, 1);
    Settlement failure = new Settlement.Fail(claim, "late", DAY);
    assertThat(store.settle(List.of(done(zombie), failure))).containsOnly(Held.LOST);
    ClaimRecord record = find("a");
    assertThat(record.state()).isEqualTo(ClaimState.DONE);
    assertThat(record.token()).isEqualTo(claim.token());
    assertThat(record.attempt()).isEqualTo(1);
    assertThat(store.compactKeys()).isEqualTo(1);
  }

  /** What is the price of it: the tier does not know by which request a key was completed. */
  @Test
  @Semantics(98)
  void a_request_that_completed_at_once_and_is_repeated_after_the_move_is_a_duplicate() {
    ClaimRequest request = request("a").settlingNow(Result.NONE, DAY);
    Claim claim = claimed(store.claim(List.of(request)).get(0));
    assertThat(claimed(store.claim(List.of(request)).get(0))).isEqualTo(claim);
    purgeAll(store);
    assertThat(store.claim(List.of(request)).get(0)).isInstanceOf(Answer.Done.class);
  }

  @Test
  @Semantics({23, 24, 96})
  void an_operator_opens_a_key_that_has_moved_by_its_token_and_it_is_in_one_place_only() {
    Claim first = claim(store, "a");
    store.settle(List.of(release(first)));
    Claim before = moved("a");
    moved("b");
    long token = find("a").token();
    Claim opened = claimed(store.claim(List.of(request("a").expecting(token))).get(0));
    assertThat(opened.token()).isGreaterThan(before.token());
    assertThat(opened.attempt()).as("the third attempt").isEqualTo(3);
    assertThat(store.compactKeys()).as("b").isEqualTo(1);
    assertThat(store.settle(List.of(release(opened)))).containsExactly(Held.HELD);
    assertThat(claim(store, "a").token()).isGreaterThan(opened.token());
  }

  private static Settlement release(Claim claim) {
    return new Settlement.Release(claim, Duration.ZERO, Settlement.Attempts.KEEP, DAY);
  }

  @Test
  void what_is_not_only_done_stays_where_it_is() {
    store.settle(List.of(new Settlement.Complete(claim(store, "r"), Claims.text("1"), DAY)));
    store.settle(List.of(new Settlement.Complete(claim(store, "n"), Result.NOT_KEPT, DAY)));
    ClaimRequest compared = request("c").withFingerprint(Fingerprint.ofBytes(new byte[16]));
    store.settle(List.of(done(claimed(store.claim(List.of(compared)).get(0)))));
    store.settle(List.of(new Settlement.Fail(claim(store, "f"), "no such account", DAY)));
    store.settle(List.of(release(claim(store, "l"))));
    claim(store, "held");
    Duration brief = Duration.ofMinutes(59);
    store.settle(List.of(new Settlement.Complete(claim(store, "b"), Result.NONE, brief)));
    Claim many = claim(store, "m");
    for (int i = 0; i < 7; i++) {
      store.settle(List.of(release(many)));
      many = claim(store, "m");
    }
    store.settle(List.of(done(many)));
    Map<ClaimState, Long> before = store.totals();
    assertThat(store.purge(1_000)).isZero();
    assertThat(store.compactKeys()).isZero();
    assertThat(store.totals()).isEqualTo(before);
    assertThat(find("m").attempt()).isEqualTo(8);
  }

  @Test
  void a_key_moves_when_it_has_been_done_for_long_enough() {
    store.close();
    Raw.ask(server, it -> it.flushAll());
    store = RedisStore.at(server.url()).compactTier(Duration.ofMinutes(1), 1_000).open();
    store.settle(List.of(done(claim(store, "a"))));
    assertThat(store.purge(1_000)).isZero();
    long now = store.millis();
    store.put(List.of(doneAt(now - 59_000, "young"), doneAt(now - 61_000, "old")));
    assertThat(store.purge(1_000)).isEqualTo(1);
    assertThat(store.compactKeys()).isEqualTo(1);
  }

  private static ClaimRecord doneAt(long millis, String key) {
    return doneAt(millis, millis * 1_000, millis + DAY.toMillis(), key);
  }

  private static ClaimRecord doneAt(long millis, long token, long expires, String key) {
    return new ClaimRecord(
        SCOPE,
        Key.of(key),
        ClaimState.DONE,
        token,
        1,
        1,
        0,
        0,
        expires,
        Lapse.TAKE,
        null,
        Result.NONE,
        null,
        "",
        millis,
        millis);
  }

  /** A copy of the record must not outlive it, so it seems to end up to an hour before it does. */
  @Test
  @Semantics(26)
  void a_key_that_has_moved_ends_within_an_hour_after_its_retention_and_never_before() {
    long now = store.millis();
    for (int i = 0; i < 50; i++) {
      long changed = now - i * HOUR_MILLIS / 5;
      long end = i == 0 ? Long.MAX_VALUE : now + DAY.toMillis() + i * HOUR_MILLIS / 7;
      store.put(List.of(doneAt(changed, changed * 1_000, end, "key-" + i)));
      purgeAll(store);
      ClaimRecord record = find("key-" + i);
      long shown = record.expiresAtMillis();
      assertThat(record.updatedAtMillis()).isEqualTo(changed);
      assertThat(shown).isBetween(i == 0 ? end : end - HOUR_MILLIS + 1, end);
      assertThat(shown == Long.MAX_VALUE || shown % HOUR_MILLIS == 1).isTrue();
    }
    assertThat(store.compactKeys()).isEqualTo(50);
  }

  @Test
  @Semantics({74, 96})
  void a_record_is_put_over_one_that_has_moved_as_over_any_other() {
    long now = store.millis();
    long token = now * 1_000;
    long end = now + DAY.toMillis();
    store.put(List.of(doneAt(now, token, end, "a")));
    purgeAll(store);
    ClaimRecord smaller = doneAt(now, token - 1, end + DAY.toMillis(), "a");
    ClaimRecord same = doneAt(now, token, end, "a");
    assertThat(store.put(List.of(smaller, same))).containsExactly(false, false);
    assertThat(store.compactKeys()).isEqualTo(1);
    ClaimRecord later = doneAt(now, token, end + DAY.toMillis(), "a");
    assertThat(store.put(List.of(later, later))).containsExactly(true, false);
    assertThat(store.compactKeys()).isZero();
    assertThat(find("a").expiresAtMillis()).isEqualTo(later.expiresAtMillis());
    assertThat(store.totals()).containsEntry(ClaimState.DONE, 1L);
  }

  /** One bucket alone: keys that find it full stay, so that looking into it never takes long. */
  @Test
  void a_bucket_takes_256_keys_and_the_others_stay() {
    store.close();
    Raw.ask(server, it -> it.flushAll());
    store = at(1).open();
    completeMany("order-", 300);
    purgeAll(store);
    assertThat(store.compactKeys()).isEqualTo(256);
    assertThat(store.totals()).containsEntry(ClaimState.DONE, 300L);
    assertThat(store.claim(requests("order-0-", 300))).hasOnlyElementsOfType(Answer.Done.class);
  }

  @Test
  @Semantics({24, 82})
  void keys_of_one_bucket_can_be_opened_in_one_batch_each_once() {
    store.close();
    Raw.ask(server, it -> it.flushAll());
    store = at(1).open();
    completeMany("order-", 100);
    purgeAll(store);
    List<ClaimRequest> batch = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      String key = "order-0-" + i;
      batch.add(request(key).expecting(find(key).token()));
      batch.add(request(key));
    }
    List<Answer> answers = store.claim(batch);
    for (int i = 0; i < 100; i += 2) {
      assertThat(claimed(answers.get(i)).key()).isEqualTo(batch.get(i).key());
      assertThat(answers.get(i + 1)).isInstanceOf(Answer.InProgress.class);
    }
    assertThat(store.compactKeys()).isEqualTo(50);
    assertThat(store.totals())
        .containsEntry(ClaimState.DONE, 50L)
        .containsEntry(ClaimState.CLAIMED, 50L);
  }

  @Test
  @Semantics(24)
  void a_listing_shows_what_has_moved_without_its_scope() {
    completeMany("order-", 500);
    purgeAll(store);
    claim(store, "held");
    for (int limit : new int[] {1, 7, 100, 1_000}) {
      List<ClaimRecord> all = listAll(Query.all(limit), () -> {});
      assertThat(all).as("pages of " + limit).hasSize(501);
      assertThat(all.stream().map(ClaimRecord::requestId).distinct()).hasSize(501);
    }
    assertThat(listAll(Query.all(100).in(SCOPE), () -> {})).hasSize(1);
    Scope unnumbered = Scope.of("onlyonce/unnumbered");
    assertThat(listAll(Query.all(100).in(unnumbered), () -> {}))
        .hasSize(500)
        .allMatch(it -> it.state() == ClaimState.DONE && it.key() == null);
  }

  @Test
  @Semantics(24)
  void a_listing_misses_nothing_that_moves_meanwhile() {
    completeMany("order-", 2_000);
    Set<Long> before = new HashSet<>();
    for (ClaimRecord each : find("order-0-", 2_000)) {
      before.add(each.token());
    }
    List<Long> shown = new ArrayList<>();
    listAll(Query.all(20), () -> store.purge(40)).forEach(it -> shown.add(it.token()));
    assertThat(shown).hasSizeGreaterThanOrEqualTo(2_000).containsAll(before);
    assertThat(store.compactKeys()).isPositive();
  }

  private List<ClaimRecord> find(String prefix, int count) {
    return requests(prefix, count).stream().map(it -> find(it.key().toString())).toList();
  }

  private List<ClaimRecord> listAll(Query query, Runnable between) {
    List<ClaimRecord> all = new ArrayList<>();
    String cursor = null;
    do {
      Page page = store.list(query, cursor);
      assertThat(page.records()).hasSizeLessThanOrEqualTo(query.limit());
      all.addAll(page.records());
      cursor = page.next();
      between.run();
    } while (cursor != null);
    return all;
  }

  @Test
  void a_store_says_what_tier_it_was_made_with_to_whoever_opens_it() {
    RedisStore.Builder silent = RedisStore.at(server.url()).patience(Duration.ZERO);
    try (RedisStore untold = silent.openIfThere().orElseThrow()) {
      RedisCompactTier tier = untold.compactTier().orElseThrow();
      assertThat(tier.after()).isEqualTo(Duration.ZERO);
      assertThat(tier.keys()).isEqualTo(1_008);
    }
    at(1_000).open().close();
    Map<String, String> meta = Raw.ask(server, it -> it.hgetAll("onlyonce:meta"));
    assertThat(meta)
        .as("a library of before the tier refuses any format but 1")
        .containsEntry("format", "2")
        .containsEntry("buckets", "21")
        .containsEntry("compactAfter", "0");
  }

  @Test
  void a_store_is_refused_that_was_made_with_another_tier_or_none() {
    assertThatThrownBy(() -> at(2_000).open())
        .isInstanceOf(StoreException.class)
        .hasMessageContainingAll("PT0S for up to 1,008 keys", "for 2,000", "fixed", "prefix");
    assertThatThrownBy(() -> at(1_000).compactTier(DAY, 1_000).open())
        .isInstanceOf(StoreException.class)
        .hasMessageContainingAll("after PT0S", "after PT24H", "fixed");
    RedisStore.at(server.url()).prefix("plain").open().close();
    assertThatThrownBy(() -> at(1_000).prefix("plain").open())
        .isInstanceOfSatisfying(
            StoreException.class, it -> assertThat(it.kind()).isEqualTo(Kind.REJECTED))
        .hasMessageContainingAll("plain:meta", "without a compact tier", "another prefix");
    String format = Raw.ask(server, it -> it.hget("plain:meta", "format"));
    assertThat(format).isEqualTo("1");
  }

  @Test
  void a_tier_that_takes_keys_while_requests_are_repeated_is_refused() {
    RedisStore.Builder early = RedisStore.at(server.url()).compactTier(Duration.ofSeconds(13), 1);
    assertThatThrownBy(early::open)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("PT14S", "was PT13S", "repeated");
    assertThatThrownBy(() -> early.compactTier(Duration.ofSeconds(-1), 1))
        .hasMessageContaining("PT-1S");
    assertThatThrownBy(() -> early.compactTier(DAY, 0)).hasMessageContaining("was 0");
  }

  /** A store does not say to whom opens it later how long its requests may be repeated. */
  @Test
  void who_repeats_requests_for_longer_than_keys_stay_is_refused_without_naming_the_tier() {
    store.close();
    Raw.ask(server, it -> it.flushAll());
    Duration after = Duration.ofSeconds(20);
    store = RedisStore.at(server.url()).compactTier(after, 1_000).open();
    RedisStore.Builder longer = RedisStore.at(server.url()).patience(Duration.ofMinutes(1));
    for (ThrowingCallable way : List.<ThrowingCallable>of(longer::open, longer::openIfThere)) {
      assertThatThrownBy(way)
          .isInstanceOfSatisfying(
              StoreException.class, it -> assertThat(it.kind()).isEqualTo(Kind.REJECTED))
          .hasMessageContainingAll("after PT20S", "PT1M4S", "patience of at most PT16S");
    }
    longer.patience(Duration.ofSeconds(16)).open().close();
    longer.patience(Duration.ZERO).open().close();
  }

  @Test
  @Semantics({26, 96})
  void a_key_that_has_moved_and_whose_hour_is_over_is_new_and_purged() {
    Claim claim = moved("a");
    setEnd(1);
    assertThat(ask(store, "a")).as("in the hour before its end").isInstanceOf(Answer.Done.class);
    assertThat(store.purge(1_000)).isZero();
    setEnd(0);
    assertThat(store.find(SCOPE, Key.of("a"))).isEmpty();
    assertThat(store.totals()).containsEntry(ClaimState.DONE, 0L);
    assertThat(store.list(Query.all(10), null).records()).isEmpty();
    Claim fresh = claim(store, "a");
    assertThat(fresh.attempt()).isEqualTo(1);
    assertThat(fresh.token()).isGreaterThan(claim.token());
    assertThat(store.settle(List.of(done(claim)))).containsExactly(Held.LOST);
    moved("b");
    setEnd(0);
    assertThat(store.purge(1_000)).isEqualTo(1);
    Set<byte[]> fields = Raw.ask(server, it -> it.hkeys(shard()));
    assertThat(fields).as("q and the claim of a").hasSize(2);
  }

  /** So that the purge may pass by: not a later hour, which would keep what has ended. */
  @Test
  @Semantics(26)
  void a_bucket_says_when_its_first_entry_can_end() {
    store.close();
    Raw.ask(server, it -> it.flushAll());
    store = at(1).open();
    for (int days : new int[] {3, 1, 2, 4}) {
      Claim claim = claim(store, days + "d");
      Duration retention = Duration.ofDays(days);
      store.settle(List.of(new Settlement.Complete(claim, Result.NONE, retention)));
      assertThat(store.purge(1_000)).isEqualTo(1);
    }
    assertThat(bucketsHour()).isEqualTo(hourOfEnd("1d"));
    long first = find("1d").token();
    setEnd(0, token -> token == first);
    assertThat(store.purge(1_000)).isEqualTo(1);
    assertThat(store.compactKeys()).isEqualTo(3);
    assertThat(bucketsHour()).as("without the first").isEqualTo(hourOfEnd("2d"));
  }

  /** Returns the hour with which the only bucket begins. */
  private long bucketsHour() {
    byte[] first = {0, 0, 0, 0};
    byte[] bucket = Raw.ask(server, it -> it.hget(shard(), first));
    return Integer.toUnsignedLong(ByteBuffer.wrap(bucket).getInt());
  }

  /** Returns the hour at which a key ends that has moved: it shows the earliest moment before. */
  private long hourOfEnd(String key) {
    return find(key).expiresAtMillis() / HOUR_MILLIS + 1;
  }

  private byte[] shard() {
    return Raw.ask(server, it -> it.keys("onlyonce:{*}")).iterator().next().getBytes(US_ASCII);
  }

  private void setEnd(long later) {
    setEnd(later, token -> true);
  }

  /** Makes entries of these tokens end at a full hour: the last one, or so many later. */
  private void setEnd(long later, LongPredicate tokens) {
    long end = store.millis() / HOUR_MILLIS + later;
    byte[] shard = shard();
    Map<byte[], byte[]> all = Raw.ask(server, it -> it.hgetAll(shard));
    all.forEach(
        (field, bucket) -> {
          if (field.length == 4) {
            ByteBuffer.wrap(bucket).putInt((int) end);
            for (int at = HEAD; at < bucket.length; at += ENTRY) {
              long token = ByteBuffer.wrap(bucket).getLong(at + 10) & (1L << 53) - 1;
              long hours = end - token / 1_000 / HOUR_MILLIS;
              if (tokens.test(token)) {
                ByteBuffer.wrap(bucket).putShort(at + HOURS_AT, (short) hours);
              }
            }
            Raw.ask(server, it -> it.hset(shard, field, bucket));
          }
        });
  }
}
