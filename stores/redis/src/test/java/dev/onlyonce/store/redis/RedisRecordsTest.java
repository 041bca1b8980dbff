package dev.onlyonce.store.redis;

import static dev.onlyonce.store.redis.Claims.LONG;
import static dev.onlyonce.store.redis.Claims.SCOPE;
import static dev.onlyonce.store.redis.Claims.ask;
import static dev.onlyonce.store.redis.Claims.claim;
import static dev.onlyonce.store.redis.Claims.claimed;
import static dev.onlyonce.store.redis.Claims.request;
import static dev.onlyonce.store.redis.Claims.requests;
import static java.nio.charset.StandardCharsets.UTF_8;
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
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a Redis store keeps of its records, and how much room that takes. */
@ExtendWith(Servers.class)
class RedisRecordsTest {

  private static final int MANY = 200_000;

  private RedisServer server;
  private RedisStore store;

  @BeforeEach
  void open(RedisServer own) {
    server = own;
    Raw.syncLater(server);
    Raw.ask(server, it -> it.flushAll());
    store = RedisStore.at(server.url()).purgeGrace(Duration.ZERO).owner("worker-7").open();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private double bytesPerKey(int keys) {
    long bytes = 0;
    for (String each : Raw.ask(server, it -> it.keys("onlyonce:{*}"))) {
      bytes += Raw.ask(server, it -> it.memoryUsage(each, 0));
    }
    return (double) bytes / keys;
  }

  private double bytesPerDone(TestReporter reporter, String what, Fingerprint fingerprint) {
    for (int from = 0; from < MANY; from += 5_000) {
      List<Settlement> done = new ArrayList<>();
      List<ClaimRequest> requests = new ArrayList<>();
      for (int i = from; i < from + 5_000; i++) {
        requests.add(request("order-" + i).withFingerprint(fingerprint));
      }
      store.claim(requests).forEach(it -> done.add(Claims.done(claimed(it))));
      assertThat(store.settle(done)).containsOnly(Held.HELD);
    }
    double bytes = bytesPerKey(MANY);
    reporter.publishEntry("bytes of " + what, String.format("%.1f", bytes));
    return bytes;
  }

  @Test
  void a_batch_of_many_calls_answers_in_its_order_and_a_key_that_is_in_it_again_later() {
    List<ClaimRequest> requests = requests("order-", 1_234);
    requests.add(request("order-3"));
    List<Answer> answers = store.claim(requests);
    assertThat(answers.get(1_234)).isInstanceOf(Answer.InProgress.class);
    List<Settlement> settlements = new ArrayList<>();
    for (int i = 0; i < 1_234; i++) {
      Claim claim = claimed(answers.get(i));
      assertThat(claim.key()).isEqualTo(Key.of("order-" + i));
      settlements.add(i % 2 == 0 ? Claims.done(claim) : withResult(claim));
    }
    settlements.add(settlements.get(3));
    List<Held> held = store.settle(settlements);
    assertThat(held.subList(0, 1_234)).containsOnly(Held.HELD);
    assertThat(held.get(1_234)).isEqualTo(Held.ALREADY);
    for (int i : List.of(0, 1, 700, 701, 1_233)) {
      ClaimRecord record = store.find(SCOPE, Key.of("order-" + i)).orElseThrow();
      Result expected = i % 2 == 0 ? Result.NONE : Claims.text("order-" + i);
      assertThat(record.result()).as("result of order-" + i).isEqualTo(expected);
    }
  }

  private static Settlement withResult(Claim claim) {
    return new Settlement.Complete(claim, Claims.text(claim.key().toString()), LONG);
  }

  @Test
  void a_key_that_is_done_takes_at_most_96_bytes(TestReporter reporter) {
    assertThat(bytesPerDone(reporter, "a key that is done", null)).isBetween(60.0, 96.0);
  }

  @Test
  void a_key_that_is_done_with_a_fingerprint_of_16_bytes_takes_at_most_128(TestReporter reporter) {
    Fingerprint fingerprint = Fingerprint.ofBytes(new byte[16]);
    assertThat(bytesPerDone(reporter, "a key that is done with a fingerprint", fingerprint))
        .isBetween(80.0, 128.0);
  }

  @Test
  @Semantics(78)
  void a_result_that_is_too_large_leaves_the_key_done_without_it() {
    try (RedisStore small = RedisStore.at(server.url()).maxResultBytes(4).open()) {
      Claim claim = claim(small, "a");
      small.settle(List.of(new Settlement.Complete(claim, Claims.text("12345"), LONG)));
      claimed(small.claim(List.of(request("b").settlingNow(Claims.text("12345"), LONG))).get(0));
      claimed(small.claim(List.of(request("c").settlingNow(Claims.text("1234"), LONG))).get(0));
      assertThat(((Answer.Done) ask(small, "a")).result()).isEqualTo(Result.NOT_KEPT);
      assertThat(((Answer.Done) ask(small, "b")).result()).isEqualTo(Result.NOT_KEPT);
      assertThat(((Answer.Done) ask(small, "c")).result()).isEqualTo(Claims.text("1234"));
    }
  }

  @Test
  @Semantics(24)
  void operators_see_the_keys_of_what_is_held_or_has_failed_and_not_of_what_is_done() {
    Claim failed = claim(store, "failed");
    store.settle(List.of(new Settlement.Fail(failed, "no such account", LONG)));
    claim(store, "held");
    store.settle(List.of(Claims.done(claim(store, "done"))));
    List<ClaimRecord> all = listAll(Query.all(10));
    assertThat(all.stream().map(it -> it.state() + " " + it.key() + " " + it.owner()))
        .containsExactlyInAnyOrder("FAILED failed worker-7", "CLAIMED held worker-7", "DONE null ");
    assertThat(all).allMatch(it -> it.scope().equals(SCOPE));
    assertThat(store.scopes()).containsExactly(SCOPE);
  }

  private List<ClaimRecord> listAll(Query query) {
    List<ClaimRecord> all = new ArrayList<>();
    String cursor = null;
    do {
      var page = store.list(query, cursor);
      all.addAll(page.records());
      cursor = page.next();
    } while (cursor != null);
    return all;
  }

  @Test
  @Semantics(24)
  void a_listing_of_many_records_shows_each_once() {
    store.claim(requests("key-", 10_000));
    List<ClaimRecord> all = listAll(Query.all(300));
    assertThat(all.stream().map(ClaimRecord::key).distinct()).hasSize(10_000);
    assertThat(all).hasSize(10_000);
    assertThat(store.totals()).containsEntry(ClaimState.CLAIMED, 10_000L);
    assertThatThrownBy(() -> store.list(Query.all(1), "99:0:")).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> store.list(Query.all(1), "x")).isInstanceOf(StoreException.class);
  }

  @Test
  @Semantics(24)
  void a_listing_shows_each_record_once_while_the_server_grows_its_table() {
    store.claim(requests("old-", 2_000));
    List<String> seen = new ArrayList<>();
    String cursor = null;
    int round = 0;
    do {
      ClaimReader.Page page = store.list(Query.all(70), cursor);
      page.records().forEach(it -> seen.add(String.valueOf(it.key())));
      cursor = page.next();
      store.claim(requests("new-" + round + "-", round++ < 30 ? 500 : 0));
    } while (cursor != null);
    List<String> old = requests("old-", 2_000).stream().map(it -> it.key().toString()).toList();
    assertThat(seen).doesNotHaveDuplicates().containsAll(old);
  }

  @Test
  @Semantics({34, 106})
  void a_purge_of_many_records_forgets_all_that_has_expired_and_nothing_else() {
    store.claim(requests("held-", 5_000));
    List<ClaimRequest> brief = new ArrayList<>();
    for (ClaimRequest each : requests("brief-", 5_000)) {
      brief.add(each.settlingNow(Result.NONE, Duration.ofMillis(1)));
    }
    store.claim(brief);
    awaitExpiry(brief.stream().map(it -> new RecordId(it.scope(), it.key())).toList());
    int purged = 0;
    for (int step = -1; step != 0; purged += step) {
      step = store.purge(700);
      assertThat(step).isLessThanOrEqualTo(700);
    }
    assertThat(purged).isEqualTo(5_000);
    assertThat(store.totals()).containsEntry(ClaimState.CLAIMED, 5_000L);
  }

  private void awaitExpiry(List<RecordId> ids) {
    Await.until(
        "expiry",
        Duration.ofSeconds(10),
        () -> store.find(ids).stream().allMatch(Optional::isEmpty));
  }

  @Test
  @Semantics(82)
  void a_batch_of_many_scripts_answers_copies_in_their_order() {
    List<ClaimRequest> batch = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      batch.addAll(requests("key-", 9_000));
    }
    List<Answer> answers = store.claim(batch);
    assertThat(answers.subList(0, 9_000)).hasOnlyElementsOfType(Answer.Claimed.class);
    assertThat(answers.subList(9_000, 27_000)).hasOnlyElementsOfType(Answer.InProgress.class);
  }

  /** A record that has been given away as it is comes back as it was. */
  @Test
  @Semantics({24, 101})
  void a_record_of_each_state_can_be_put_and_found() {
    List<ClaimRecord> records = new ArrayList<>();
    for (ClaimState state : ClaimState.values()) {
      if (state != ClaimState.UNKNOWN) {
        records.add(record("full-" + state, state, 4_711, true));
        records.add(record("bare-" + state, state, 4_711, false));
      }
    }
    assertThat(store.put(records)).containsOnly(true).hasSameSizeAs(records);
    List<RecordId> ids = records.stream().map(it -> new RecordId(it.scope(), it.key())).toList();
    List<Optional<ClaimRecord>> found = store.find(ids);
    for (int i = 0; i < records.size(); i++) {
      assertThat(found.get(i)).get().usingRecursiveComparison().isEqualTo(asKept(records.get(i)));
    }
    assertThat(store.find(List.of(new RecordId(SCOPE, Key.of("nobody")))))
        .containsOnly(Optional.empty());
  }

  private static ClaimRecord record(String key, ClaimState state, long token, boolean full) {
    long now = 4_000_000_000_000L;
    boolean done = state == ClaimState.DONE;
    boolean failed = state == ClaimState.FAILED;
    Result result = full && done ? Claims.text("receipt") : Result.NONE;
    return new ClaimRecord(
        Scope.of("put"),
        Key.of(key),
        state,
        token,
        -42,
        full ? 3 : 0,
        state == ClaimState.CLAIMED ? now + 1_000 : 0,
        state == ClaimState.RELEASED ? now + 2_000 : 0,
        state == ClaimState.CLAIMED ? 0 : now + 3_000,
        full ? Lapse.PARK : Lapse.TAKE,
        full ? Fingerprint.sha256(new byte[] {1}) : null,
        failed ? Claims.text("no such account") : result,
        full && !done ? new byte[] {1, 2, 3} : null,
        full && !done ? "worker-8" : "",
        now - 5_000,
        now);
  }

  /** A DONE record is without owner, lapse policy and creation time. */
  private static ClaimRecord asKept(ClaimRecord record) {
    if (record.state() != ClaimState.DONE) {
      return record;
    }
    return new ClaimRecord(
        record.scope(),
        record.key(),
        record.state(),
        record.token(),
        record.requestId(),
        record.attempt(),
        0,
        0,
        record.expiresAtMillis(),
        Lapse.TAKE,
        record.fingerprint(),
        record.result(),
        null,
        "",
        ClaimRecord.UNKNOWN_TIME,
        record.updatedAtMillis());
  }

  private static ClaimRecord endingLater(ClaimRecord it) {
    return new ClaimRecord(
        it.scope(),
        it.key(),
        it.state(),
        it.token(),
        it.requestId(),
        it.attempt(),
        it.leaseUntilMillis(),
        it.notBeforeMillis(),
        it.expiresAtMillis() + 1_000,
        it.lapse(),
        it.fingerprint(),
        it.result(),
        it.checkpoint(),
        it.owner(),
        it.createdAtMillis(),
        it.updatedAtMillis());
  }

  @Test
  @Semantics(74)
  void a_record_that_is_done_is_put_over_itself_when_it_ends_later_and_no_other_is() {
    long token = 4_000_000_000_000_000L;
    for (ClaimState state : List.of(ClaimState.DONE, ClaimState.FAILED, ClaimState.RELEASED)) {
      ClaimRecord record = record("ends-" + state, state, token, false);
      ClaimRecord later = endingLater(record);
      boolean isCopy = state == ClaimState.DONE;
      assertThat(store.put(List.of(record, later))).containsExactly(true, isCopy);
      assertThat(store.put(List.of(record, later))).containsExactly(false, false);
      ClaimRecord found = store.find(record.scope(), Key.of("ends-" + state)).orElseThrow();
      assertThat(found.expiresAtMillis()).isEqualTo((isCopy ? later : record).expiresAtMillis());
    }
  }

  @Test
  @Semantics({74, 96})
  void a_record_is_put_over_none_or_a_smaller_token_only_and_later_claims_have_larger_ones() {
    long ahead = 4_000_000_000_000_000L;
    ClaimRecord released = record("a", ClaimState.RELEASED, ahead, false);
    ClaimRecord free =
        new ClaimRecord(
            released.scope(),
            released.key(),
            ClaimState.RELEASED,
            ahead,
            1,
            1,
            0,
            0,
            released.expiresAtMillis(),
            Lapse.TAKE,
            null,
            Result.NONE,
            null,
            "",
            0,
            0);
    assertThat(store.put(List.of(free, free))).containsExactly(true, false);
    assertThat(store.put(List.of(record("a", ClaimState.DONE, ahead - 1, false))))
        .containsExactly(false);
    ClaimRequest request = ClaimRequest.of(free.scope(), Key.of("a"), 7, LONG, Lapse.TAKE);
    Claim claim = claimed(store.claim(List.of(request)).get(0));
    assertThat(claim.token()).isEqualTo(ahead + 1);
    assertThat(claim.attempt()).isEqualTo(2);
    store.settle(List.of(new Settlement.Complete(claim, Result.NONE, Duration.ofMillis(1))));
    awaitExpiry(List.of(new RecordId(free.scope(), Key.of("a"))));
    Claim later = claimed(store.claim(List.of(request)).get(0));
    assertThat(later.token()).as("after its expiry").isGreaterThan(claim.token());
  }

  @Test
  void what_cannot_be_put_is_refused_before_anything_is_done() {
    ClaimRecord good = record("a", ClaimState.DONE, 1, false);
    ClaimRecord keyless = good.withKey(null);
    ClaimRecord unknown = record("b", ClaimState.UNKNOWN, 1, false);
    ClaimRecord inexact = record("c", ClaimState.DONE, 1L << 52, false);
    for (ClaimRecord bad : List.of(keyless, unknown, inexact)) {
      assertThatThrownBy(() -> store.put(List.of(good, bad))).isInstanceOf(StoreException.class);
    }
    assertThat(store.totals()).containsEntry(ClaimState.DONE, 0L);
  }

  @Test
  @Semantics({6, 20})
  void what_a_holder_saved_goes_through_release_and_take_over() {
    Claim claim = claim(store, "a");
    byte[] checkpoint = String.join("", Collections.nCopies(1_000, "step")).getBytes(UTF_8);
    store.renew(List.of(new Renewal(claim, LONG, checkpoint)));
    store.renew(List.of(new Renewal(claim, LONG, new byte[0])));
    store.renew(List.of(new Renewal(claim, LONG, checkpoint)));
    long created = store.find(SCOPE, Key.of("a")).orElseThrow().createdAtMillis();
    for (int i = 0; i < 300; i++) {
      store.settle(
          List.of(new Settlement.Release(claim, Duration.ZERO, Settlement.Attempts.KEEP, LONG)));
      Answer.Claimed next = (Answer.Claimed) ask(store, "a");
      assertThat(next.checkpoint()).isEqualTo(checkpoint);
      claim = next.claim();
    }
    assertThat(claim.attempt()).isEqualTo(301);
    ClaimRecord record = store.find(SCOPE, Key.of("a")).orElseThrow();
    assertThat(record.createdAtMillis()).isEqualTo(created);
    assertThat(record.key()).isEqualTo(Key.of("a"));
  }
}
