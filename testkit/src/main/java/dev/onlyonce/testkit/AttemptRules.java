package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.spi.Settlement.Release;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Releases, and how attempts are counted. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface AttemptRules extends StoreFixture {

  @Test
  @Semantics({6, 20})
  default void a_release_keeps_the_count_and_the_next_claim_is_the_next_attempt(Lab lab) {
    Claim claim = lab.claim(lab.key());
    for (int attempt = 2; attempt <= 5; attempt++) {
      lab.assertHeld(lab.release(claim));
      claim = lab.claimAfter(claim);
      assertThat(claim.attempt()).isEqualTo(attempt);
    }
  }

  @Test
  @Semantics({8, 20})
  default void an_attempt_counts_when_it_is_claimed_so_that_a_killed_one_counts(Lab lab) {
    Claim claim = lab.claim(lab.key());
    for (int attempt = 2; attempt <= 5; attempt++) {
      lab.lapse(claim);
      claim = lab.claimAfter(claim);
      assertThat(claim.attempt()).isEqualTo(attempt);
    }
  }

  @Test
  @Semantics(20)
  default void a_graceful_release_refunds_the_attempt(Lab lab) {
    Claim first = lab.claim(lab.key());
    lab.assertHeld(lab.release(first, Duration.ZERO, Attempts.REFUND));
    Claim second = lab.claimAfter(first);
    assertThat(second.attempt()).as("after the refund of the first").isEqualTo(1);
    lab.release(second);
    Claim third = lab.claimAfter(second);
    assertThat(third.attempt()).isEqualTo(2);
    lab.release(third, Duration.ZERO, Attempts.REFUND);
    assertThat(lab.claimAfter(third).attempt()).as("after the refund of the second").isEqualTo(2);
  }

  @Test
  @Semantics({20, 23})
  default void a_reset_starts_the_count_anew(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.release(claim);
    claim = lab.claimAfter(claim);
    lab.release(claim);
    claim = lab.claimAfter(claim);
    lab.assertHeld(lab.release(claim, Duration.ZERO, Attempts.RESET));
    assertThat(lab.claimAfter(claim).attempt()).isEqualTo(1);
  }

  @Test
  @Semantics({6, 88})
  default void a_key_that_was_released_for_later_is_deferred_until_it_is_due(Lab lab) {
    lab.play(
        time -> {
          Claim claim = lab.claim(lab.key());
          long since = lab.nanoTime();
          lab.assertHeld(time.start(() -> lab.release(claim, lab.units(3))));
          Answer at1 = time.at(1).within(3, () -> lab.ask(claim.key()));
          assertThat(at1).isInstanceOf(Answer.Deferred.class);
          lab.assertLeft(((Answer.Deferred) at1).left(), lab.units(3), since);
          Answer now = time.within(3, () -> lab.ask(lab.settlingNow(claim.key(), Result.NONE)));
          assertThat(now).as("completing now").isInstanceOf(Answer.Deferred.class);
          time.at(4);
          assertThat(lab.claimAfter(claim).attempt()).isEqualTo(2);
        });
  }

  @Test
  @Semantics(6)
  default void a_release_is_remembered_at_least_until_the_key_is_due(Lab lab) {
    lab.play(
        time -> {
          Claim claim = lab.claim(lab.key());
          Release release = new Release(claim, lab.units(4), Attempts.KEEP, lab.units(1));
          lab.assertHeld(time.start(() -> lab.settle(release)));
          Answer at2 = time.at(2).within(4, () -> lab.ask(claim.key()));
          assertThat(at2).as("retention over, not due").isInstanceOf(Answer.Deferred.class);
          time.at(5);
          lab.claimAfter(claim);
        });
  }

  @Test
  @Semantics({3, 6, 20})
  @Case(19)
  default void a_key_whose_handler_threw_is_handled_again_and_then_done(Lab lab) {
    Key m1 = lab.key();
    Key m2 = lab.key();
    Claim first = lab.claim(m1);
    lab.assertHeld(lab.release(first));
    lab.assertHeld(lab.complete(lab.claim(m2), Lab.text("m2")));
    Claim second = lab.claimAfter(first);
    assertThat(second.attempt()).isEqualTo(2);
    lab.assertHeld(lab.complete(second, Lab.text("m1")));
    lab.assertDone(m1, Lab.text("m1"));
    lab.assertDone(m2, Lab.text("m2"));
  }

  @Test
  @Semantics({7, 21, 23})
  @Case(21)
  default void a_key_that_failed_for_good_runs_once_after_a_reset(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.release(claim);
    claim = lab.claimAfter(claim);
    lab.release(claim);
    claim = lab.claimAfter(claim);
    lab.assertHeld(lab.fail(claim));
    assertThat(lab.ask(claim.key())).isInstanceOf(Answer.Failed.class);
    Claim operator = lab.claimAfter(claim, lab.request(claim.key()).expecting(claim.token()));
    lab.assertHeld(lab.release(operator, Duration.ZERO, Attempts.RESET));
    Claim redriven = lab.claimAfter(operator);
    assertThat(redriven.attempt()).isEqualTo(1);
    lab.assertHeld(lab.complete(redriven, Lab.text("repaired")));
    lab.assertDone(claim.key(), Lab.text("repaired"));
    assertThat(lab.fail(claim)).as("the first handler, late").isEqualTo(Held.LOST);
  }

  @Test
  @Semantics({6, 96})
  default void a_lock_is_a_claim_that_is_released_and_its_tokens_grow(Lab lab) {
    Claim holder = lab.claim(lab.key());
    for (int i = 0; i < 20; i++) {
      lab.assertInProgress(holder.key());
      lab.assertHeld(lab.release(holder));
      holder = lab.claimAfter(holder);
    }
  }
}
