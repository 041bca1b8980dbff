package dev.onlyonce.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The contract of a store whose records can be looked at. What a format may drop once a key is DONE
 * is not asked for.
 */
@SuppressWarnings("MemberName") // The names of tests are sentences.
public interface ClaimReaderContract extends StoreFixture {

  /** Returns a reader of what this store, which the test has open, holds: by default itself. */
  default ClaimReader reader(ClaimStore store) {
    return (ClaimReader) store;
  }

  private ClaimReader reader(Lab lab) {
    return reader(lab.store());
  }

  private ClaimRecord find(Lab lab, Claim claim) {
    ClaimRecord record = reader(lab).find(claim.scope(), claim.key()).orElseThrow();
    assertThat(record.scope()).isEqualTo(claim.scope());
    assertThat(record.key()).as("a reader knows what it was asked for").isEqualTo(claim.key());
    assertThat(record.token()).isEqualTo(claim.token());
    return record;
  }

  /** A claimed record is shown whole. */
  @Test
  @Semantics(24)
  default void a_reader_sees_all_of_a_claim(Lab lab) {
    lab.open(settings -> settings.withOwner("worker-7"));
    Fingerprint fingerprint = Fingerprint.sha256(new byte[] {1});
    ClaimRequest request = lab.parking(lab.key()).withFingerprint(fingerprint);
    Claim claim = lab.claim(request);
    lab.renew(claim, lab.endless(), new byte[] {1, 2, 3});
    ClaimRecord record = find(lab, claim);
    assertThat(record.state()).isEqualTo(ClaimState.CLAIMED);
    assertThat(record.requestId()).isEqualTo(request.requestId());
    assertThat(record.attempt()).isEqualTo(1);
    assertThat(record.lapse()).isEqualTo(Lapse.PARK);
    assertThat(record.fingerprint()).isEqualTo(fingerprint);
    assertThat(record.checkpoint()).containsExactly(1, 2, 3);
    assertThat(record.owner()).isEqualTo("worker-7");
    assertThat(record.leaseUntilMillis() - record.updatedAtMillis())
        .isEqualTo(lab.endless().toMillis());
    assertThat(record.createdAtMillis()).isLessThanOrEqualTo(record.updatedAtMillis());
  }

  /** A settled record shows how it ended. */
  @Test
  @Semantics({3, 7, 24})
  default void a_reader_sees_how_a_claim_ended(Lab lab) {
    Claim done = lab.claim(lab.key());
    lab.complete(done, Lab.text("receipt"));
    assertThat(find(lab, done).state()).isEqualTo(ClaimState.DONE);
    assertThat(find(lab, done).result()).isEqualTo(Lab.text("receipt"));
    assertThat(find(lab, done).expiresAtMillis() - find(lab, done).updatedAtMillis())
        .isEqualTo(lab.endless().toMillis());
    Claim none = lab.claim(lab.settlingNow(lab.key(), Result.NOT_KEPT));
    assertThat(find(lab, none).result()).isEqualTo(Result.NOT_KEPT);
    Claim failed = lab.claim(lab.key());
    lab.fail(failed, "no such account");
    assertThat(find(lab, failed).state()).isEqualTo(ClaimState.FAILED);
    assertThat(find(lab, failed).result())
        .isEqualTo(new Result.Value("text/plain", "no such account".getBytes(UTF_8)));
    Claim released = lab.claim(lab.key());
    lab.release(released, lab.units(5));
    ClaimRecord record = find(lab, released);
    assertThat(record.state()).isEqualTo(ClaimState.RELEASED);
    assertThat(record.notBeforeMillis() - record.updatedAtMillis())
        .isEqualTo(lab.units(5).toMillis());
  }

  /** When a record was made is the same for ever, or not known any more: no other time. */
  @Test
  @Semantics(24)
  default void a_record_was_made_when_it_was_claimed_first_or_that_is_not_known_any_more(Lab lab) {
    Claim first = lab.claim(lab.parking(lab.key()));
    long made = find(lab, first).createdAtMillis();
    assertThat(made).isEqualTo(find(lab, first).updatedAtMillis());
    lab.pass(0.1);
    lab.release(first);
    Claim second = lab.claimAfter(first);
    assertThat(find(lab, second).createdAtMillis()).isEqualTo(made);
    lab.complete(second);
    assertThat(find(lab, second).createdAtMillis()).isIn(made, ClaimRecord.UNKNOWN_TIME);
    Claim opened = lab.claim(lab.request(second.key()).expecting(second.token()));
    assertThat(find(lab, opened).createdAtMillis()).isIn(made, ClaimRecord.UNKNOWN_TIME);
    lab.fail(opened);
    assertThat(find(lab, opened).createdAtMillis()).isIn(made, ClaimRecord.UNKNOWN_TIME);
  }

  /** The versions of a record end with the current one. */
  @Test
  @Semantics(24)
  default void a_history_ends_with_the_current_version(Lab lab) {
    Claim first = lab.claim(lab.key());
    lab.release(first);
    Claim second = lab.claimAfter(first);
    List<ClaimRecord> history = reader(lab).history(second.scope(), second.key());
    assertThat(history).isNotEmpty();
    assertThat(history.get(history.size() - 1).token()).isEqualTo(second.token());
    assertThat(history).isSortedAccordingTo((a, b) -> Long.compare(a.token(), b.token()));
    assertThat(reader(lab).history(Lab.SCOPE, lab.key())).isEmpty();
  }

  /** What is absent, or was never there, is not found. */
  @Test
  @Semantics(26)
  default void a_reader_finds_nothing_where_nothing_is_or_what_has_expired(Lab lab) {
    Claim claim = lab.claim(lab.key());
    assertThat(reader(lab).find(Scope.of("another"), claim.key())).isEmpty();
    assertThat(reader(lab).find(claim.scope(), lab.key())).isEmpty();
    lab.settle(new Settlement.Complete(claim, Result.NONE, lab.units(0.1)));
    lab.pass(0.2);
    assertThat(reader(lab).find(claim.scope(), claim.key())).isEmpty();
    assertThat(reader(lab).history(claim.scope(), claim.key())).isEmpty();
    assertThat(listAll(lab, Query.all(100))).isEmpty();
    assertThat(reader(lab).totals().values()).allMatch(it -> it == 0);
  }

  /** Looking at a record does not change it. */
  @Test
  @Semantics(1)
  default void looking_decides_nothing(Lab lab) {
    Key key = lab.key();
    assertThat(reader(lab).find(Lab.SCOPE, key)).isEmpty();
    Claim claim = lab.claim(key);
    assertThat(claim.attempt()).isEqualTo(1);
    lab.lapse(claim);
    find(lab, claim);
    lab.assertHeld(lab.renew(claim, lab.endless()));
    lab.assertUnharmed(claim);
  }

  private List<ClaimRecord> listAll(Lab lab, Query query) {
    List<ClaimRecord> all = new ArrayList<>();
    @Nullable String cursor = null;
    Set<String> cursors = new HashSet<>();
    do {
      Page page = reader(lab).list(query, cursor);
      assertThat(page.records()).hasSizeLessThanOrEqualTo(query.limit());
      all.addAll(page.records());
      cursor = page.next();
      assertThat(cursor == null || cursors.add(cursor)).as("a cursor goes on").isTrue();
    } while (cursor != null);
    return all;
  }

  /** Pages of any size show each record once. */
  @Test
  @Semantics(24)
  default void a_listing_shows_each_record_once_in_pages_of_any_size(Lab lab) {
    List<ClaimRequest> batch = lab.keys(100).stream().map(lab::request).toList();
    lab.ask(batch);
    for (int limit : new int[] {1, 7, 100, 1_000}) {
      List<ClaimRecord> all = listAll(lab, Query.all(limit));
      assertThat(all).as("pages of " + limit).hasSize(batch.size());
      assertThat(all.stream().map(ClaimRecord::key).toList())
          .containsExactlyInAnyOrderElementsOf(batch.stream().map(ClaimRequest::key).toList());
    }
  }

  /** A query may ask for one scope, and for some states. */
  @Test
  @Semantics({24, 47})
  default void a_listing_may_be_of_one_scope_and_of_some_states(Lab lab) {
    Scope other = Scope.of("another");
    Set<Key> held = new HashSet<>();
    for (Key key : lab.keys(20)) {
      Claim here = lab.claim(key);
      Claim there = lab.claim(lab.request(other, key, lab.endless(), Lapse.TAKE));
      if (held.size() < 5) {
        held.add(key);
      } else if (held.size() % 2 == 1) {
        lab.fail(here);
        lab.complete(there);
      }
    }
    Query claimedHere = Query.all(3).in(Lab.SCOPE).of(Set.of(ClaimState.CLAIMED));
    assertThat(listAll(lab, claimedHere).stream().map(ClaimRecord::key))
        .containsExactlyInAnyOrderElementsOf(held);
    Query failedHere =
        Query.all(3).in(Lab.SCOPE).of(Set.of(ClaimState.FAILED, ClaimState.RELEASED));
    assertThat(listAll(lab, failedHere))
        .hasSize(15)
        .allMatch(it -> it.state() == ClaimState.FAILED && it.scope().equals(Lab.SCOPE));
    assertThat(listAll(lab, Query.all(3).of(Set.of(ClaimState.DONE))))
        .hasSize(15)
        .allMatch(it -> it.scope().equals(other));
  }

  /** A query for what is in doubt leaves out who holds, and what the next claim takes over. */
  @Test
  @Semantics({9, 24, 97})
  default void a_listing_may_be_of_what_is_in_doubt(Lab lab) {
    Claim doubtful = lab.claim(lab.parking(lab.key()));
    lab.lapse(doubtful);
    lab.lapse(lab.claim(lab.key()));
    lab.claim(lab.parking(lab.key()));
    lab.complete(lab.claim(lab.parking(lab.key())));
    for (Query query : List.of(Query.inDoubt(3), Query.inDoubt(3).in(Lab.SCOPE))) {
      assertThat(listAll(lab, query).stream().map(ClaimRecord::token))
          .containsExactly(doubtful.token());
    }
    assertThat(listAll(lab, Query.inDoubt(3).in(Scope.of("another")))).isEmpty();
  }

  /** Totals count what a listing would show. */
  @Test
  @Semantics(24)
  default void totals_count_the_records_of_each_state(Lab lab) {
    List<Key> keys = lab.keys(10);
    keys.forEach(lab::claim);
    lab.complete(lab.claim(lab.key()));
    lab.claim(lab.settlingNow(lab.key(), Lab.text("now")));
    lab.fail(lab.claim(lab.key()));
    lab.release(lab.claim(lab.key()));
    lab.settle(new Settlement.Complete(lab.claim(lab.key()), Result.NONE, Duration.ofMillis(1)));
    lab.pass(0.2);
    Map<ClaimState, Long> totals = reader(lab).totals();
    assertThat(totals)
        .containsEntry(ClaimState.CLAIMED, 10L)
        .containsEntry(ClaimState.DONE, 2L)
        .containsEntry(ClaimState.FAILED, 1L)
        .containsEntry(ClaimState.RELEASED, 1L);
  }
}
