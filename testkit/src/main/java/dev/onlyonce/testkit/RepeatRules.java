package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests that are made again since their answer got lost, and claims that complete at once. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface RepeatRules extends StoreFixture {

  @Test
  @Semantics({70, 98})
  default void a_claim_asked_for_again_with_its_request_id_is_the_same_claim(Lab lab) {
    ClaimRequest request = lab.request(lab.key());
    long since = lab.nanoTime();
    Claim claim = lab.claim(request);
    lab.pass(1);
    Answer.Claimed again = lab.granted(request);
    assertThat(again.claim()).isEqualTo(claim);
    lab.assertLeft(again.lease(), lab.endless(), since);
    lab.assertUnharmed(claim);
  }

  @Test
  @Semantics({70, 98})
  default void a_repeated_request_does_not_lengthen_the_lease(Lab lab) {
    lab.play(
        time -> {
          ClaimRequest request = lab.request(lab.key(), lab.units(3));
          Claim claim = time.start(() -> lab.claim(request));
          Answer.Claimed again = time.at(2).within(3, () -> lab.granted(request));
          assertThat(again.claim()).isEqualTo(claim);
          time.at(4);
          lab.claimAfter(claim);
        });
  }

  @Test
  @Semantics({13, 98})
  default void a_repeated_request_whose_lease_is_over_still_holds_and_says_that_none_is_left(
      Lab lab) {
    for (ClaimRequest request : List.of(lab.request(lab.key()), lab.parking(lab.key()))) {
      Claim claim = lab.claim(request);
      lab.lapse(claim);
      Answer.Claimed again = lab.granted(request);
      assertThat(again.claim()).isEqualTo(claim);
      assertThat(again.lease()).isEqualTo(Duration.ZERO);
    }
  }

  @Test
  @Semantics({70, 98})
  default void a_repeated_request_that_was_overtaken_is_answered_as_a_newcomer(Lab lab) {
    ClaimRequest request = lab.request(lab.key());
    Claim first = lab.claim(request);
    lab.lapse(first);
    Claim second = lab.claimAfter(first);
    assertThat(lab.ask(request)).isInstanceOf(Answer.InProgress.class);
    lab.assertUnharmed(second);
  }

  @Test
  @Semantics({6, 98})
  default void a_request_id_used_again_after_the_release_is_a_new_attempt(Lab lab) {
    ClaimRequest request = lab.request(lab.key());
    Claim first = lab.claim(request);
    lab.release(first);
    Claim second = lab.claimAfter(first, request);
    assertThat(second.attempt()).isEqualTo(2);
    lab.assertHeld(lab.release(second, lab.endless()));
    assertThat(lab.ask(request)).isInstanceOf(Answer.Deferred.class);
  }

  @Test
  @Semantics({3, 98})
  default void a_request_id_used_again_after_the_end_is_a_duplicate(Lab lab) {
    ClaimRequest request = lab.request(lab.key());
    lab.complete(lab.claim(request), Lab.text("done"));
    lab.assertDone(lab.ask(request), Lab.text("done"));
    ClaimRequest failing = lab.request(lab.key());
    lab.fail(lab.claim(failing));
    assertThat(lab.ask(failing)).isInstanceOf(Answer.Failed.class);
  }

  @Test
  @Semantics(98)
  default void request_ids_belong_to_their_key_and_may_be_any_number(Lab lab) {
    for (long requestId : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      ClaimRequest one = withRequestId(lab.request(lab.key()), requestId);
      ClaimRequest two = withRequestId(lab.request(lab.key()), requestId);
      Claim first = lab.claim(one);
      Claim second = lab.claim(two);
      assertThat(lab.claim(one)).isEqualTo(first);
      assertThat(lab.claim(two)).isEqualTo(second);
      lab.assertInProgress(one.key());
    }
  }

  private static ClaimRequest withRequestId(ClaimRequest request, long requestId) {
    return new ClaimRequest(
        request.scope(),
        request.key(),
        requestId,
        request.fingerprint(),
        request.lease(),
        request.retention(),
        request.lapse(),
        request.settleNow(),
        request.expectToken());
  }

  @Test
  @Semantics({70, 98})
  default void opening_a_record_by_its_token_may_be_repeated_too(Lab lab) {
    Claim parked = lab.claim(lab.parking(lab.key()));
    lab.lapse(parked);
    ClaimRequest open = lab.request(parked.key()).expecting(parked.token());
    Claim opened = lab.claimAfter(parked, open);
    assertThat(lab.claim(open)).isEqualTo(opened);
    lab.assertUnharmed(opened);
  }

  @Test
  @Semantics({1, 3})
  default void who_completes_at_once_is_answered_that_it_claimed_and_others_that_it_is_done(
      Lab lab) {
    ClaimRequest request = lab.settlingNow(lab.key(), Lab.text("first"));
    Claim winner = lab.claim(request);
    assertThat(winner.attempt()).isEqualTo(1);
    lab.assertDone(lab.ask(lab.settlingNow(request.key(), Lab.text("second"))), Lab.text("first"));
    lab.assertDone(request.key(), Lab.text("first"));
    lab.assertLost(lab.renew(winner, lab.endless()));
    assertThat(lab.complete(winner, Lab.text("third"))).isEqualTo(Held.ALREADY);
    lab.assertDone(request.key(), Lab.text("first"));
  }

  @Test
  @Semantics({70, 98})
  default void who_completed_at_once_and_asks_again_is_told_the_same(Lab lab) {
    for (Result result : List.of(Result.NONE, Result.NOT_KEPT, Lab.text("kept"))) {
      ClaimRequest request = lab.settlingNow(lab.key(), result);
      Claim winner = lab.claim(request);
      assertThat(lab.claim(request)).as("" + result).isEqualTo(winner);
      lab.assertDone(lab.ask(Lab.byAnother(request)), result);
      assertThat(lab.claim(request)).as("" + result).isEqualTo(winner);
    }
  }

  @Test
  @Semantics({2, 7})
  default void completing_at_once_respects_what_is_there(Lab lab) {
    Claim held = lab.claim(lab.key());
    assertThat(lab.ask(lab.settlingNow(held.key(), Result.NONE)))
        .isInstanceOf(Answer.InProgress.class);
    lab.assertUnharmed(held);
    Claim failed = lab.claim(lab.key());
    lab.fail(failed);
    assertThat(lab.ask(lab.settlingNow(failed.key(), Result.NONE)))
        .isInstanceOf(Answer.Failed.class);
  }

  @Test
  @Semantics({6, 8})
  default void completing_at_once_takes_over_what_may_be_taken(Lab lab) {
    Claim lapsed = lab.claim(lab.key());
    lab.lapse(lapsed);
    Claim taken = lab.claimAfter(lapsed, lab.settlingNow(lapsed.key(), Lab.text("taken")));
    assertThat(taken.attempt()).isEqualTo(2);
    lab.assertLost(lab.complete(lapsed, Lab.text("late")));
    lab.assertDone(lapsed.key(), Lab.text("taken"));
    Claim released = lab.claim(lab.key());
    lab.release(released);
    ClaimRequest request = lab.settlingNow(released.key(), Lab.text("again"));
    Claim again = lab.claimAfter(released, request);
    assertThat(lab.claim(request)).isEqualTo(again);
    lab.assertDone(released.key(), Lab.text("again"));
  }
}
