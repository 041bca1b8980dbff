package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Batches: answers in order, items apart from each other, copies inside one batch. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface BatchRules extends StoreFixture {

  @Test
  @Semantics(1)
  default void an_empty_batch_is_answered_with_nothing(Lab lab) {
    assertThat(lab.store().claim(List.of())).isEmpty();
    assertThat(lab.store().settle(List.of())).isEmpty();
    assertThat(lab.store().renew(List.of())).isEmpty();
  }

  @Test
  @Semantics(82)
  default void copies_inside_one_batch_follow_the_first(Lab lab) {
    Key key = lab.key();
    List<Answer> answers = lab.ask(List.of(lab.request(key), lab.request(key), lab.request(key)));
    assertThat(answers.get(0)).isInstanceOf(Answer.Claimed.class);
    assertThat(answers.get(1))
        .as("a copy of what is only claimed")
        .isInstanceOf(Answer.InProgress.class);
    assertThat(answers.get(2)).isInstanceOf(Answer.InProgress.class);
    Claim first = ((Answer.Claimed) answers.get(0)).claim();
    lab.assertHeld(lab.release(first));
    lab.assertUnharmed(lab.claimAfter(first));
  }

  @Test
  @Semantics(82)
  default void copies_of_what_is_completed_at_once_are_done(Lab lab) {
    Key key = lab.key();
    List<Answer> answers =
        lab.ask(
            List.of(
                lab.settlingNow(key, Lab.text("first")),
                lab.settlingNow(key, Lab.text("second")),
                lab.request(key)));
    assertThat(answers.get(0)).isInstanceOf(Answer.Claimed.class);
    lab.assertDone(answers.get(1), Lab.text("first"));
    lab.assertDone(answers.get(2), Lab.text("first"));
  }

  @Test
  @Semantics(82)
  default void a_copy_does_not_complete_what_the_first_only_claimed(Lab lab) {
    Key key = lab.key();
    List<Answer> answers =
        lab.ask(List.of(lab.request(key), lab.settlingNow(key, Lab.text("too early"))));
    assertThat(answers.get(0)).isInstanceOf(Answer.Claimed.class);
    assertThat(answers.get(1)).isInstanceOf(Answer.InProgress.class);
    lab.assertUnharmed(((Answer.Claimed) answers.get(0)).claim());
  }

  @Test
  @Semantics({4, 82})
  default void a_copy_with_another_payload_is_a_mismatch(Lab lab) {
    ClaimRequest request =
        lab.request(lab.key()).withFingerprint(Fingerprint.sha256(new byte[] {1}));
    ClaimRequest other = Lab.byAnother(request).withFingerprint(Fingerprint.sha256(new byte[] {2}));
    List<Answer> answers = lab.ask(List.of(request, other, Lab.byAnother(request)));
    assertThat(answers.get(0)).isInstanceOf(Answer.Claimed.class);
    assertThat(answers.get(1)).isEqualTo(new Answer.Mismatch(Fingerprint.sha256(new byte[] {1})));
    assertThat(answers.get(2)).isInstanceOf(Answer.InProgress.class);
  }

  @Test
  @Semantics({82, 98})
  default void a_request_that_is_twice_in_one_batch_gets_the_same_claim_twice(Lab lab) {
    ClaimRequest request = lab.request(lab.key());
    List<Answer> answers = lab.ask(List.of(request, request));
    assertThat(answers).allMatch(Answer.Claimed.class::isInstance, "is claimed");
    Claim claim = ((Answer.Claimed) answers.get(0)).claim();
    assertThat(((Answer.Claimed) answers.get(1)).claim()).isEqualTo(claim);
    lab.assertUnharmed(claim);
  }

  @Test
  @Semantics({8, 82})
  default void of_copies_of_a_lapsed_key_the_first_takes_it_over(Lab lab) {
    Claim lapsed = lab.claim(lab.key());
    lab.lapse(lapsed);
    List<Answer> answers = lab.ask(List.of(lab.request(lapsed.key()), lab.request(lapsed.key())));
    assertThat(answers.get(0)).isInstanceOf(Answer.Claimed.class);
    assertThat(answers.get(1)).isInstanceOf(Answer.InProgress.class);
    Claim taken = ((Answer.Claimed) answers.get(0)).claim();
    assertThat(taken.token()).isGreaterThan(lapsed.token());
    assertThat(taken.attempt()).isEqualTo(2);
  }

  @Test
  @Semantics({24, 82})
  default void of_two_that_expect_the_same_token_in_one_batch_the_first_opens_it(Lab lab) {
    Claim parked = lab.claim(lab.parking(lab.key()));
    lab.lapse(parked);
    ClaimRequest open = lab.request(parked.key()).expecting(parked.token());
    List<Answer> answers = lab.ask(List.of(open, Lab.byAnother(open)));
    assertThat(answers.get(0)).isInstanceOf(Answer.Claimed.class);
    assertThat(answers.get(1)).isInstanceOf(Answer.InProgress.class);
  }

  @Test
  @Semantics({16, 17, 82})
  default void settlements_of_one_claim_in_one_batch_take_effect_in_order(Lab lab) {
    Claim claim = lab.claim(lab.key());
    Claim released = lab.claim(lab.key());
    List<Held> answers =
        lab.store()
            .settle(
                List.of(
                    new Settlement.Complete(claim, Lab.text("first"), lab.endless()),
                    new Settlement.Release(released, lab.endless(), Attempts.KEEP, lab.endless()),
                    new Settlement.Complete(claim, Lab.text("second"), lab.endless()),
                    new Settlement.Fail(claim, "third", lab.endless()),
                    new Settlement.Complete(released, Result.NONE, lab.endless())));
    assertThat(answers).containsExactly(Held.HELD, Held.HELD, Held.ALREADY, Held.LOST, Held.LOST);
    lab.assertDone(claim.key(), Lab.text("first"));
    assertThat(lab.ask(released.key())).isInstanceOf(Answer.Deferred.class);
  }

  @Test
  @Semantics({12, 82})
  default void of_renewals_of_one_claim_in_one_batch_the_last_counts(Lab lab) {
    Claim longer = lab.claim(lab.key());
    Claim shorter = lab.claim(lab.key());
    List<Held> answers =
        lab.store()
            .renew(
                List.of(
                    new Renewal(longer, Duration.ZERO, new byte[] {1}),
                    new Renewal(shorter, lab.endless(), new byte[] {1}),
                    new Renewal(longer, lab.endless(), null),
                    new Renewal(shorter, Duration.ZERO, new byte[] {2})));
    assertThat(answers).containsOnly(Held.HELD).hasSize(4);
    lab.assertInProgress(longer.key());
    assertThat(lab.granted(lab.request(shorter.key())).checkpoint()).containsExactly(2);
  }

  @Test
  @Semantics({47, 82, 83})
  default void a_batch_mixes_scopes_policies_and_states_and_answers_in_order(Lab lab) {
    Claim done = lab.claim(lab.key());
    lab.complete(done, Lab.text("done"));
    Claim failed = lab.claim(lab.key());
    lab.fail(failed, "failed");
    Claim deferred = lab.claim(lab.key());
    lab.release(deferred, lab.endless());
    Claim parked = lab.claim(lab.parking(lab.key()));
    lab.lapse(parked);
    Claim lapsed = lab.claim(lab.key());
    lab.lapse(lapsed);
    Claim held = lab.claim(lab.key());
    Scope other = Scope.of("another");
    List<Answer> answers =
        lab.ask(
            List.of(
                lab.request(held.key()),
                lab.request(other, held.key(), lab.endless(), Lapse.PARK),
                lab.request(done.key()),
                lab.settlingNow(lab.key(), Lab.text("now")),
                lab.request(failed.key()),
                lab.request(deferred.key()),
                lab.request(parked.key()),
                lab.request(lapsed.key()),
                lab.request(other, done.key(), lab.endless(), Lapse.TAKE),
                lab.request(lab.key()).expecting(4711)));
    assertThat(answers.stream().map(Answer::getClass).map(Class::getSimpleName))
        .containsExactly(
            "InProgress",
            "Claimed",
            "Done",
            "Claimed",
            "Failed",
            "Deferred",
            "InDoubt",
            "Claimed",
            "Claimed",
            "Claimed");
    lab.assertDone(answers.get(2), Lab.text("done"));
    assertThat(((Answer.Failed) answers.get(4)).reason()).isEqualTo("failed");
    assertThat(answers.get(6)).isEqualTo(new Answer.InDoubt(parked.token(), parked.attempt()));
    lab.assertUnharmed(((Answer.Claimed) answers.get(1)).claim());
  }

  @Test
  @Semantics({11, 83})
  default void one_lost_settlement_in_a_batch_is_no_others_concern(Lab lab) {
    List<Settlement> batch = new ArrayList<>();
    List<Held> expected = new ArrayList<>();
    for (Key key : lab.keys(20)) {
      Claim claim = lab.claim(key);
      boolean lost = batch.size() % 3 == 1;
      if (lost) {
        lab.lapse(claim);
        lab.claimAfter(claim);
      }
      batch.add(new Settlement.Complete(claim, Lab.text("" + key), lab.endless()));
      expected.add(lost ? Held.LOST : Held.HELD);
    }
    assertThat(lab.store().settle(batch)).isEqualTo(expected);
    for (int i = 0; i < batch.size(); i++) {
      Key key = batch.get(i).claim().key();
      if (expected.get(i) == Held.HELD) {
        lab.assertDone(key, Lab.text("" + key));
      } else {
        lab.assertInProgress(key);
      }
    }
  }

  @Test
  @Semantics({1, 3, 82})
  default void the_largest_batch_is_answered_in_order_by_every_verb(Lab lab) {
    int size = lab.fixture().batchLimit();
    List<ClaimRequest> requests = new ArrayList<>();
    for (Key key : lab.keys(size)) {
      Scope scope = Scope.of("scope-" + requests.size() % 7);
      requests.add(lab.request(scope, key, lab.endless(), Lapse.TAKE));
    }
    Collections.shuffle(requests, new Random(4711));
    List<Claim> claims = new ArrayList<>();
    for (Answer answer : lab.ask(requests)) {
      assertThat(answer).isInstanceOf(Answer.Claimed.class);
      Claim claim = ((Answer.Claimed) answer).claim();
      assertThat(claim.scope()).isEqualTo(requests.get(claims.size()).scope());
      assertThat(claim.key()).isEqualTo(requests.get(claims.size()).key());
      claims.add(claim);
    }
    Collections.shuffle(claims, new Random(4712));
    List<Renewal> renewals =
        claims.stream().map(it -> new Renewal(it, lab.endless(), new byte[] {1})).toList();
    assertThat(lab.store().renew(renewals)).hasSize(size).containsOnly(Held.HELD);
    List<Settlement> settlements = new ArrayList<>();
    for (Claim claim : claims) {
      settlements.add(new Settlement.Complete(claim, Lab.text("" + claim), lab.endless()));
    }
    assertThat(lab.store().settle(settlements)).hasSize(size).containsOnly(Held.HELD);
    assertThat(lab.store().settle(settlements)).hasSize(size).containsOnly(Held.ALREADY);
    List<ClaimRequest> again =
        claims.stream()
            .map(it -> lab.request(it.scope(), it.key(), lab.endless(), Lapse.TAKE))
            .toList();
    List<Answer> answers = lab.ask(again);
    for (int i = 0; i < size; i++) {
      lab.assertDone(answers.get(i), Lab.text("" + claims.get(i)));
    }
  }

  @Test
  @Semantics(82)
  default void a_batch_beyond_the_limit_is_served_or_refused_as_a_whole(Lab lab) {
    List<ClaimRequest> requests =
        lab.keys(lab.fixture().batchLimit() * 2 + 1).stream().map(lab::request).toList();
    try {
      assertThat(lab.ask(requests)).allMatch(Answer.Claimed.class::isInstance, "is claimed");
    } catch (StoreException e) {
      assertThat(e.kind()).isEqualTo(StoreException.Kind.REJECTED);
      requests.forEach(it -> assertThat(lab.claim(it.key()).attempt()).isEqualTo(1));
    }
  }
}
