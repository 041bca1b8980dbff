package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Claims that expect a token: how an operator and a resolver act on a record. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface OperatorRules extends StoreFixture {

  private static ClaimRequest opening(Lab lab, Claim claim) {
    return lab.request(claim.key()).expecting(claim.token());
  }

  @Test
  @Semantics({23, 24})
  default void expecting_the_token_opens_the_record_in_every_state(Lab lab) {
    List<BiConsumer<Lab, Claim>> states =
        List.of(
            (it, claim) -> {},
            (it, claim) -> it.lapse(claim),
            (it, claim) -> it.complete(claim, Lab.text("done")),
            (it, claim) -> it.complete(claim),
            (it, claim) -> it.fail(claim),
            (it, claim) -> it.release(claim),
            (it, claim) -> it.release(claim, it.endless()));
    for (int i = 0; i < states.size(); i++) {
      Claim before = lab.claim(lab.key());
      states.get(i).accept(lab, before);
      Claim opened = lab.claimAfter(before, opening(lab, before));
      assertThat(opened.attempt()).as("state " + i).isEqualTo(2);
      assertThat(lab.settle(completion(lab, before))).as("state " + i).isEqualTo(Held.LOST);
      lab.assertUnharmed(opened);
    }
  }

  private static Settlement completion(Lab lab, Claim claim) {
    return new Settlement.Complete(claim, Result.NONE, lab.endless());
  }

  @Test
  @Semantics({23, 24})
  default void a_token_that_is_not_the_records_opens_nothing(Lab lab) {
    Claim held = lab.claim(lab.key());
    for (long token : new long[] {held.token() - 1, held.token() + 1, 1, Long.MAX_VALUE, -1}) {
      assertThat(lab.ask(lab.request(held.key()).expecting(token)))
          .as("held, expecting " + token)
          .isInstanceOf(Answer.InProgress.class);
    }
    lab.assertHeld(lab.complete(held, Lab.text("done")));
    lab.assertDone(lab.ask(lab.request(held.key()).expecting(held.token() + 1)), Lab.text("done"));
    Claim failed = lab.claim(lab.key());
    lab.fail(failed);
    assertThat(lab.ask(lab.request(failed.key()).expecting(failed.token() - 1)))
        .isInstanceOf(Answer.Failed.class);
  }

  @Test
  @Semantics({23, 24})
  default void who_expects_another_token_gets_nothing_although_a_newcomer_would(Lab lab) {
    Claim lapsed = lab.claim(lab.key());
    lab.lapse(lapsed);
    assertThat(lab.ask(lab.request(lapsed.key()).expecting(lapsed.token() + 1)))
        .isInstanceOf(Answer.InProgress.class);
    lab.claimAfter(lapsed);
    Claim released = lab.claim(lab.key());
    lab.release(released);
    assertThat(lab.ask(lab.request(released.key()).expecting(released.token() + 1)))
        .isInstanceOf(Answer.Deferred.class);
    lab.claimAfter(released);
    Claim parked = lab.claim(lab.parking(lab.key()));
    lab.lapse(parked);
    assertThat(lab.ask(lab.request(parked.key()).expecting(parked.token() + 1)))
        .isEqualTo(new Answer.InDoubt(parked.token(), parked.attempt()));
  }

  @Test
  @Semantics(24)
  default void a_record_can_be_opened_once_by_the_same_token(Lab lab) {
    Claim parked = lab.claim(lab.parking(lab.key()));
    lab.lapse(parked);
    ClaimRequest one = opening(lab, parked);
    Claim first = lab.claimAfter(parked, one);
    assertThat(lab.ask(Lab.byAnother(one))).isInstanceOf(Answer.InProgress.class);
    lab.assertUnharmed(first);
  }

  @Test
  @Semantics(24)
  default void expecting_a_token_of_a_key_that_is_absent_claims_it(Lab lab) {
    assertThat(lab.claim(lab.request(lab.key()).expecting(4711)).attempt()).isEqualTo(1);
  }

  @Test
  @Semantics({23, 24})
  default void who_opens_a_record_need_not_know_the_payload(Lab lab) {
    Fingerprint payload = Fingerprint.sha256(new byte[] {1});
    Fingerprint other = Fingerprint.sha256(new byte[] {2});
    Claim failed = lab.claim(lab.request(lab.key()).withFingerprint(payload));
    lab.fail(failed);
    Claim opened = lab.claimAfter(failed, opening(lab, failed));
    lab.assertHeld(lab.release(opened, Duration.ZERO, Attempts.RESET));
    assertThat(lab.ask(lab.request(failed.key()).withFingerprint(other)))
        .as("the payload is still compared")
        .isEqualTo(new Answer.Mismatch(payload));
  }

  @Test
  @Semantics({23, 24})
  default void a_reset_makes_a_failed_key_claimable_and_fences_its_handler(Lab lab) {
    Claim failed = lab.claim(lab.key());
    lab.fail(failed);
    Claim operator = lab.claimAfter(failed, opening(lab, failed));
    lab.assertHeld(lab.release(operator, Duration.ZERO, Attempts.RESET));
    Claim fresh = lab.claimAfter(operator);
    assertThat(fresh.attempt()).isEqualTo(1);
    lab.assertLost(lab.fail(failed));
    lab.assertLost(lab.release(operator));
    lab.assertUnharmed(fresh);
  }

  @Test
  @Semantics(24)
  default void a_forced_completion_fences_whoever_is_still_at_work(Lab lab) {
    Claim zombie = lab.claim(lab.key());
    Claim operator = lab.claimAfter(zombie, opening(lab, zombie));
    lab.assertHeld(lab.complete(operator, Lab.text("by hand")));
    lab.assertLost(lab.complete(zombie, Lab.text("late")));
    lab.assertLost(lab.renew(zombie, lab.endless()));
    lab.assertDone(zombie.key(), Lab.text("by hand"));
  }

  @Test
  @Semantics(24)
  default void an_operator_may_complete_in_the_same_step(Lab lab) {
    Claim parked = lab.claim(lab.parking(lab.key()));
    lab.lapse(parked);
    ClaimRequest request = opening(lab, parked).settlingNow(Lab.text("by hand"), lab.endless());
    Claim operator = lab.claimAfter(parked, request);
    assertThat(lab.claim(request)).isEqualTo(operator);
    lab.assertLost(lab.complete(parked));
    lab.assertDone(parked.key(), Lab.text("by hand"));
  }

  /** A key that had run once, and was then decided about, showed two attempts. */
  @Test
  @Semantics({20, 24})
  default void completing_in_the_same_step_is_a_decision_and_no_attempt(Lab lab) {
    List<BiConsumer<Lab, Claim>> states =
        List.of(
            (it, claim) -> {},
            (it, claim) -> it.lapse(claim),
            (it, claim) -> it.complete(claim, Lab.text("done")),
            (it, claim) -> it.fail(claim),
            (it, claim) -> it.release(claim));
    for (int i = 0; i < states.size(); i++) {
      Claim first = lab.claim(lab.key());
      lab.release(first);
      Claim before = lab.claimAfter(first);
      states.get(i).accept(lab, before);
      ClaimRequest decision = opening(lab, before).settlingNow(Lab.text("by hand"), lab.endless());
      Claim operator = lab.claimAfter(before, decision);
      assertThat(operator.attempt()).as("state " + i).isEqualTo(2);
      assertThat(lab.claim(decision)).as("state " + i + ", asked again").isEqualTo(operator);
      Claim opened = lab.claimAfter(operator, opening(lab, operator));
      assertThat(opened.attempt()).as("state " + i + ", opened").isEqualTo(3);
    }
  }

  @Test
  @Semantics({9, 24})
  default void what_is_in_doubt_can_be_resolved_either_way(Lab lab) {
    Claim happened = lab.claim(lab.parking(lab.key()));
    lab.lapse(happened);
    Claim yes = lab.claimAfter(happened, opening(lab, happened));
    lab.assertHeld(lab.complete(yes));
    lab.assertDone(happened.key(), Result.NONE);

    Claim didNot = lab.claim(lab.parking(lab.key()));
    lab.lapse(didNot);
    Claim no = lab.claimAfter(didNot, opening(lab, didNot));
    assertThat(no.attempt()).isEqualTo(2);
    lab.assertUnharmed(no);

    Claim unknown = lab.claim(lab.parking(lab.key()));
    lab.lapse(unknown);
    Claim asking = lab.claimAfter(unknown, lab.parking(unknown.key()).expecting(unknown.token()));
    lab.lapse(asking);
    assertThat(lab.ask(unknown.key()))
        .as("given back unanswered")
        .isEqualTo(new Answer.InDoubt(asking.token(), asking.attempt()));
    lab.assertLost(lab.complete(unknown));
  }

  @Test
  @Semantics({9, 13})
  default void the_holder_of_a_claim_in_doubt_that_comes_back_decides_it(Lab lab) {
    Claim parked = lab.claim(lab.parking(lab.key()));
    lab.lapse(parked);
    assertThat(lab.ask(parked.key())).isInstanceOf(Answer.InDoubt.class);
    lab.assertHeld(lab.complete(parked, Lab.text("it happened")));
    lab.assertDone(parked.key(), Lab.text("it happened"));
  }
}
