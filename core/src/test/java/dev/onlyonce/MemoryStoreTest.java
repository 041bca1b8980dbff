package dev.onlyonce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is the memory store's own; the contract of all stores is run on it by the test kit. */
class MemoryStoreTest {

  private static final Scope SCOPE = Scope.of("memory");
  private static final Duration HOUR = Duration.ofHours(1);

  private final SteppedTime time = new SteppedTime();
  private long requestId;

  private MemoryStore.Builder builder() {
    return MemoryStore.builder().time(time).purgeGrace(Duration.ZERO).forgetful();
  }

  private ClaimRequest request(Key key) {
    return ClaimRequest.of(SCOPE, key, ++requestId, HOUR, Lapse.TAKE);
  }

  private static Claim claimed(MemoryStore store, ClaimRequest request) {
    return ((Answer.Claimed) store.claim(List.of(request)).get(0)).claim();
  }

  private static Answer ask(MemoryStore store, ClaimRequest request) {
    return store.claim(List.of(request)).get(0);
  }

  private static Held settle(MemoryStore store, Settlement settlement) {
    return store.settle(List.of(settlement)).get(0);
  }

  // Capacity.

  @Test
  void a_full_store_says_how_full_and_what_to_do_in_every_language() {
    Locale before = Locale.getDefault(Locale.Category.FORMAT);
    try {
      Locale.setDefault(Locale.Category.FORMAT, Locale.GERMANY);
      MemoryStore store = builder().capacity(2_000).build();
      for (int i = 0; i < 2_000; i++) {
        claimed(store, request(Key.of("key-" + i)));
      }
      StoreException e =
          catchThrowableOfType(StoreException.class, () -> ask(store, request(Key.of("one more"))));
      assertThat(e.kind()).isEqualTo(StoreException.Kind.FULL);
      assertThat(e)
          .hasMessage(
              "the memory store is full: it holds its capacity of 2,000 records; raise the"
                  + " capacity, shorten the retention, or use a store that is not bounded by"
                  + " memory");
    } finally {
      Locale.setDefault(Locale.Category.FORMAT, before);
    }
  }

  @Test
  void settings_are_checked_at_once() {
    assertThatThrownBy(() -> MemoryStore.builder().capacity(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("capacity must be at least 1, was 0");
    assertThatThrownBy(() -> MemoryStore.builder().purgeGrace(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("purge grace must not be negative, was PT-1S");
    assertThatThrownBy(() -> MemoryStore.builder().clockTolerance(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("clock tolerance must not be negative, was PT-1S");
  }

  @Test
  void an_endless_grace_and_tolerance_are_fine() {
    Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
    MemoryStore store = builder().purgeGrace(endless).clockTolerance(endless).build();
    Claim claim = claimed(store, request(Key.of("k")));
    store.renew(List.of(new Renewal(claim, Duration.ZERO, null)));
    assertThat(ask(store, request(Key.of("k")))).isInstanceOf(Answer.InProgress.class);
    settle(store, new Settlement.Complete(claim, Result.NONE, Duration.ofMillis(1)));
    time.step(HOUR);
    assertThat(store.purge(10)).isZero();
  }

  @Test
  void a_store_of_one_record_holds_one() {
    MemoryStore store = builder().capacity(1).build();
    Claim claim = claimed(store, request(Key.of("a")));
    assertThatThrownBy(() -> ask(store, request(Key.of("b")))).isInstanceOf(StoreException.class);
    settle(store, new Settlement.Complete(claim, Result.NONE, Duration.ofMillis(1)));
    time.step(Duration.ofMillis(1));
    assertThat(store.purge(1)).isEqualTo(1);
    claimed(store, request(Key.of("b")));
  }

  @Test
  void a_capacity_that_is_refused_takes_no_room() {
    MemoryStore store = builder().capacity(100).build();
    List<Claim> claims = new ArrayList<>();
    for (int round = 0; round < 20; round++) {
      for (int i = 0; claims.size() < 100; i++) {
        claims.add(claimed(store, request(Key.of("round-" + round, "key-" + i))));
      }
      for (int i = 0; i < 10; i++) {
        ClaimRequest more = request(Key.of("more-" + i));
        assertThatThrownBy(() -> ask(store, more)).isInstanceOf(StoreException.class);
      }
      for (Claim claim : claims) {
        settle(store, new Settlement.Complete(claim, Result.NONE, Duration.ofMillis(1)));
      }
      claims.clear();
      time.step(Duration.ofMillis(1));
      assertThat(store.purge(1_000)).isEqualTo(100);
    }
  }

  @Test
  void a_full_store_forgets_by_itself_what_it_may() {
    MemoryStore store = builder().capacity(64).build();
    for (int i = 0; i < 64; i++) {
      Claim claim = claimed(store, request(Key.of("old-" + i)));
      settle(store, new Settlement.Complete(claim, Result.NONE, Duration.ofMillis(1)));
    }
    time.step(Duration.ofMillis(1));
    int room = 0;
    for (int i = 0; i < 1_000; i++) {
      try {
        claimed(store, request(Key.of("new-" + i)));
        room++;
      } catch (StoreException e) {
        assertThat(e.kind()).isEqualTo(StoreException.Kind.FULL);
      }
    }
    assertThat(room).as("found without purge()").isEqualTo(64);
  }

  // Compact records.

  @Test
  void a_key_that_is_done_without_a_result_is_exact_though_its_text_is_dropped() {
    MemoryStore store = builder().build();
    Claim claim = claimed(store, request(Key.of("plain")));
    settle(store, new Settlement.Complete(claim, Result.NONE, HOUR));
    ClaimRequest atOnce = request(Key.of("at once")).settlingNow(Result.NOT_KEPT, HOUR);
    Claim now = claimed(store, atOnce);
    time.step(Duration.ofMillis(1_500));
    assertThat(ask(store, request(Key.of("plain"))))
        .isEqualTo(new Answer.Done(Result.NONE, Duration.ofMillis(1_500), false));
    assertThat(ask(store, request(Key.of("at once"))))
        .isEqualTo(new Answer.Done(Result.NOT_KEPT, Duration.ofMillis(1_500), false));
    assertThat(claimed(store, atOnce)).as("asked again").isEqualTo(now);
    assertThat(settle(store, new Settlement.Complete(claim, Result.NOT_KEPT, HOUR)))
        .isEqualTo(Held.ALREADY);
    assertThat(settle(store, new Settlement.Fail(claim, "late", HOUR))).isEqualTo(Held.LOST);
    assertThat(claimed(store, request(Key.of("plain")).expecting(claim.token())).token())
        .isGreaterThan(claim.token());
  }

  @Test
  void a_listing_shows_a_compact_record_without_its_key_and_a_reader_that_asks_has_it() {
    MemoryStore store = builder().owner("me").build();
    Claim claim = claimed(store, request(Key.of("plain")));
    settle(store, new Settlement.Complete(claim, Result.NONE, HOUR));
    ClaimRecord listed = store.list(Query.all(10), null).records().get(0);
    assertThat(listed.key()).isNull();
    assertThat(listed.scope()).isEqualTo(SCOPE);
    assertThat(listed.token()).isEqualTo(claim.token());
    assertThat(listed.attempt()).isEqualTo(1);
    assertThat(listed.state()).isEqualTo(ClaimState.DONE);
    assertThat(listed.result()).isEqualTo(Result.NONE);
    assertThat(listed.expiresAtMillis() - listed.updatedAtMillis()).isEqualTo(HOUR.toMillis());
    assertThat(store.find(SCOPE, Key.of("plain"))).contains(listed.withKey(Key.of("plain")));
  }

  @Test
  void whatever_a_duplicate_would_be_told_is_kept_whole() {
    MemoryStore store = builder().build();
    Result value = new Result.Value("text/plain", new byte[] {1});
    Fingerprint fingerprint = Fingerprint.sha256(new byte[] {1});
    Duration longest = Duration.ofMillis((1L << 46) - 1);
    Claim withResult = claimed(store, request(Key.of("result")));
    settle(store, new Settlement.Complete(withResult, value, HOUR));
    Claim withPrint = claimed(store, request(Key.of("print")).withFingerprint(fingerprint));
    settle(store, new Settlement.Complete(withPrint, Result.NONE, HOUR));
    Claim first = claimed(store, request(Key.of("second attempt")));
    settle(store, new Settlement.Release(first, Duration.ZERO, Settlement.Attempts.KEEP, HOUR));
    Claim second = claimed(store, request(Key.of("second attempt")));
    settle(store, new Settlement.Complete(second, Result.NONE, HOUR));
    Claim compact = claimed(store, request(Key.of("longest")));
    settle(store, new Settlement.Complete(compact, Result.NONE, longest));
    Claim longer = claimed(store, request(Key.of("longer")));
    settle(store, new Settlement.Complete(longer, Result.NONE, longest.plusMillis(1)));
    for (Claim each : List.of(withResult, withPrint, second, longer)) {
      assertThat(store.list(Query.all(10), null).records().stream().map(ClaimRecord::key))
          .contains(each.key());
    }
    assertThat(store.list(Query.all(10), null).records().stream().map(ClaimRecord::key))
        .doesNotContain(Key.of("longest"));
    time.step(Duration.ofMillis(7));
    assertThat(ask(store, request(Key.of("result"))))
        .isEqualTo(new Answer.Done(value, Duration.ofMillis(7), false));
    assertThat(ask(store, request(Key.of("longest"))))
        .isEqualTo(new Answer.Done(Result.NONE, Duration.ofMillis(7), false));
    assertThat(ask(store, request(Key.of("longer"))))
        .isEqualTo(new Answer.Done(Result.NONE, Duration.ofMillis(7), false));
    ClaimRequest open = request(Key.of("second attempt")).expecting(second.token());
    assertThat(claimed(store, open).attempt()).isEqualTo(3);
  }

  // Reading.

  @Test
  void a_cursor_goes_on_where_the_last_page_ended_though_records_come_and_go() {
    MemoryStore store = builder().build();
    for (int i = 0; i < 1_000; i++) {
      claimed(store, request(Key.of("old-" + i)));
    }
    Map<Key, Integer> seen = new HashMap<>();
    @Nullable String cursor = null;
    int added = 0;
    do {
      Page page = store.list(Query.all(37), cursor);
      page.records().forEach(it -> seen.merge(Objects.requireNonNull(it.key()), 1, Integer::sum));
      cursor = page.next();
      claimed(store, request(Key.of("new-" + added++)));
    } while (cursor != null);
    assertThat(seen.values()).as("shown once").containsOnly(1);
    for (int i = 0; i < 1_000; i++) {
      assertThat(seen).containsKey(Key.of("old-" + i));
    }
  }

  @Test
  void a_cursor_that_is_none_is_refused() {
    MemoryStore store = builder().build();
    for (String cursor : List.of("", "x", "-1", "99999999999999999999")) {
      assertThatThrownBy(() -> store.list(Query.all(1), cursor))
          .as(cursor)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cursor");
    }
    assertThat(store.list(Query.all(1), "9999999999").records()).isEmpty();
  }

  // Against a model.

  /** Claims, completions, releases, expiry and purges of 200,000 keys, beside a HashMap. */
  @Test
  void two_hundred_thousand_random_keys_are_told_apart_while_they_come_and_go() {
    MemoryStore store = builder().build();
    Random random = new Random(4711);
    Map<Integer, Long> doneUntil = new HashMap<>();
    Map<Integer, Claim> held = new HashMap<>();
    long now = 0;
    for (int i = 0; i < 400_000; i++) {
      int number = random.nextInt(200_000);
      Key key = Key.of("order-" + number);
      Answer answer = ask(store, request(key));
      if (doneUntil.getOrDefault(number, 0L) > now) {
        assertThat(answer).isInstanceOf(Answer.Done.class);
      } else if (held.containsKey(number)) {
        assertThat(answer).isInstanceOf(Answer.InProgress.class);
        if (random.nextBoolean()) {
          int retention = 1 + random.nextInt(1_000);
          Claim claim = Objects.requireNonNull(held.remove(number));
          Duration keep = Duration.ofMillis(retention);
          assertThat(settle(store, new Settlement.Complete(claim, Result.NONE, keep)))
              .isEqualTo(Held.HELD);
          doneUntil.put(number, now + retention);
        }
      } else {
        assertThat(answer).as("order %d", number).isInstanceOf(Answer.Claimed.class);
        Claim claim = ((Answer.Claimed) answer).claim();
        if (random.nextInt(3) == 0) {
          held.put(number, claim);
        } else {
          int retention = 1 + random.nextInt(1_000);
          settle(store, new Settlement.Complete(claim, Result.NONE, Duration.ofMillis(retention)));
          doneUntil.put(number, now + retention);
        }
      }
      if (i % 100 == 0) {
        time.step(Duration.ofMillis(1));
        now++;
      }
      if (i % 10_000 == 0) {
        int purged = store.purge(1_000);
        assertThat(purged).isBetween(0, 1_000);
      }
    }
    assertTotals(store, doneUntil, held, now);
    while (store.purge(5_000) > 0) {
      assertTotals(store, doneUntil, held, now);
    }
    for (Iterator<Claim> it = held.values().iterator(); it.hasNext(); ) {
      assertThat(settle(store, new Settlement.Complete(it.next(), Result.NONE, HOUR)))
          .isEqualTo(Held.HELD);
    }
  }

  private static void assertTotals(
      MemoryStore store, Map<Integer, Long> doneUntil, Map<Integer, Claim> held, long now) {
    long done = doneUntil.values().stream().filter(it -> it > now).count();
    assertThat(store.totals().getOrDefault(ClaimState.CLAIMED, 0L)).isEqualTo(held.size());
    assertThat(store.totals().getOrDefault(ClaimState.DONE, 0L)).isEqualTo(done);
  }
}
