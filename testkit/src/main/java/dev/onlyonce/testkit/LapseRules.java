package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Leases: when a claim may be taken over, when it is in doubt, and what a renewal does. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface LapseRules extends StoreFixture {

  private static ClaimRequest request(Lab lab, Key key, Lapse lapse) {
    return lab.request(Lab.SCOPE, key, lab.endless(), lapse);
  }

  @Test
  @Semantics({8, 10, 27, 92})
  @Case(27)
  default void a_claim_is_refused_before_the_lease_is_over_and_granted_after_it(Lab lab) {
    lab.play(
        time -> {
          Key key = lab.key();
          Claim a = time.start(() -> lab.claim(lab.request(key, lab.units(5))));
          Answer at4 = time.at(4).within(5, () -> lab.ask(lab.request(key, lab.units(1))));
          assertThat(at4).as("B at 4").isInstanceOf(Answer.InProgress.class);
          time.at(6);
          Claim b = lab.claimAfter(a, lab.request(key, lab.units(1)));
          assertThat(b.attempt()).isEqualTo(2);
          time.at(6.5);
          assertThat(lab.complete(a)).as("A completes at 6.5").isEqualTo(Held.LOST);
        });
  }

  @Test
  @Semantics({10, 11})
  @Case(13)
  default void a_late_unlock_frees_nothing_of_the_next_holder(Lab lab) {
    lab.play(
        time -> {
          Key lock = lab.key();
          Claim a = time.start(() -> lab.claim(lab.request(lock, lab.units(1))));
          time.at(1.5);
          Claim b = lab.claimAfter(a, lab.request(lock, lab.units(5)));
          time.at(3);
          lab.assertLost(lab.release(a));
          Answer c = time.at(3.2).within(6.5, () -> lab.ask(lock));
          assertThat(c).as("C at 3.2").isInstanceOf(Answer.InProgress.class);
          time.at(3.3);
          lab.assertLost(lab.complete(a));
          lab.assertHeld(lab.complete(b, Lab.text("B's work")));
          lab.assertDone(lock, Lab.text("B's work"));
        });
  }

  @Test
  @Semantics(8)
  @Case(11)
  default void a_claim_whose_holder_died_is_free_after_the_lease_not_after_the_retention(Lab lab) {
    lab.play(
        time -> {
          Key key = lab.key();
          Claim dead = time.start(() -> lab.claim(lab.request(key, lab.units(2))));
          Answer at1 = time.at(1).within(2, () -> lab.ask(key));
          assertThat(at1).as("redelivery at 1").isInstanceOf(Answer.InProgress.class);
          time.at(3);
          lab.assertUnharmed(lab.claimAfter(dead));
        });
  }

  @Test
  @Semantics({9, 97})
  default void a_parked_claim_whose_lease_is_over_is_in_doubt_and_stays_so(Lab lab) {
    Claim lapsed = lab.claim(lab.request(Lab.SCOPE, lab.key(), lab.units(0.5), Lapse.PARK));
    lab.pass(1);
    for (Lapse newcomer : Lapse.values()) {
      for (int i = 0; i < 2; i++) {
        Answer answer = lab.ask(request(lab, lapsed.key(), newcomer));
        assertThat(answer).isEqualTo(new Answer.InDoubt(lapsed.token(), lapsed.attempt()));
        lab.pass(0.1);
      }
    }
  }

  @Test
  @Semantics({9, 97})
  default void completing_now_does_not_take_over_what_is_in_doubt(Lab lab) {
    Claim lapsed = lab.claim(lab.parking(lab.key()));
    lab.lapse(lapsed);
    Answer answer = lab.ask(lab.settlingNow(lapsed.key(), Lab.text("a guess")));
    assertThat(answer).isEqualTo(new Answer.InDoubt(lapsed.token(), lapsed.attempt()));
  }

  @Test
  @Semantics(97)
  default void what_becomes_of_a_lapsed_claim_is_for_its_claimer_to_say(Lab lab) {
    Claim parked = lab.claim(lab.parking(lab.key()));
    lab.lapse(parked);
    assertThat(lab.ask(request(lab, parked.key(), Lapse.TAKE)))
        .as("parked, and a newcomer who would take")
        .isInstanceOf(Answer.InDoubt.class);
    Claim free = lab.claim(lab.key());
    lab.lapse(free);
    lab.claimAfter(free, lab.parking(free.key()));
  }

  @Test
  @Semantics(97)
  default void the_newcomer_who_has_the_claim_decides_for_the_next_lapse(Lab lab) {
    Claim first = lab.claim(lab.key());
    lab.lapse(first);
    Claim second = lab.claimAfter(first, lab.parking(first.key()));
    lab.lapse(second);
    assertThat(lab.ask(first.key()))
        .isEqualTo(new Answer.InDoubt(second.token(), second.attempt()));
    lab.assertHeld(lab.release(second));
    Claim third = lab.claimAfter(second);
    lab.lapse(third);
    lab.claimAfter(third);
  }

  @Test
  @Semantics({12, 13})
  default void a_renewal_lets_the_lease_begin_anew(Lab lab) {
    lab.play(
        time -> {
          Key key = lab.key();
          Claim claim = time.start(() -> lab.claim(lab.request(key, lab.units(2))));
          Held renewed = time.at(1).within(2, () -> lab.renew(claim, lab.units(3)));
          lab.assertHeld(renewed);
          Answer at3 = time.at(3).within(4, () -> lab.ask(key));
          assertThat(at3).as("after the first lease").isInstanceOf(Answer.InProgress.class);
          time.at(1 + 3 + 2);
          lab.claimAfter(claim);
        });
  }

  @Test
  @Semantics(12)
  default void a_renewal_may_shorten_the_lease(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.assertHeld(lab.renew(claim, lab.units(0.1)));
    lab.pass(0.2);
    lab.claimAfter(claim);
  }

  @Test
  @Semantics({8, 9})
  default void a_renewal_with_lease_zero_gives_the_claim_up_at_once(Lab lab) {
    Claim taken = lab.claim(lab.key());
    lab.lapse(taken);
    lab.claimAfter(taken);
    Claim parked = lab.claim(lab.parking(lab.key()));
    lab.lapse(parked);
    assertThat(lab.ask(parked.key())).isInstanceOf(Answer.InDoubt.class);
  }

  @Test
  @Semantics(92)
  default void a_claim_is_left_alone_for_the_clock_tolerance_after_its_lease(Lab lab) {
    lab.open(settings -> settings.withClockTolerance(lab.units(2)));
    lab.play(
        time -> {
          Key key = lab.key();
          Claim holder = time.start(() -> lab.claim(lab.request(key, lab.units(5))));
          Answer at6 = time.at(6).within(7, () -> lab.ask(key));
          assertThat(at6).as("lease over, tolerance not").isInstanceOf(Answer.InProgress.class);
          time.at(8);
          lab.claimAfter(holder);
        });
  }

  @Test
  @Semantics({92, 97})
  default void a_parked_claim_is_not_in_doubt_before_the_tolerance_is_over(Lab lab) {
    lab.open(settings -> settings.withClockTolerance(lab.endless()));
    Claim parked = lab.claim(lab.parking(lab.key()));
    lab.lapse(parked);
    lab.assertInProgress(parked.key());
    lab.assertUnharmed(parked);
  }

  @Test
  @Semantics(13)
  default void an_endless_lease_does_not_overflow(Lab lab) {
    Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
    Claim claim = lab.claim(lab.request(lab.key(), forever));
    lab.pass(0.1);
    lab.assertInProgress(claim.key());
    lab.assertHeld(lab.renew(claim, forever));
    lab.assertUnharmed(claim);
  }
}
