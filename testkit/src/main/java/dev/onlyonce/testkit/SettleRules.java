package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What settlements and renewals are answered, in every state and by whoever makes them. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface SettleRules extends StoreFixture {

  /** Every way to settle a claim. */
  private static List<Settlement> settlements(Lab lab, Claim claim) {
    return List.of(
        new Settlement.Complete(claim, Lab.text("done"), lab.endless()),
        new Settlement.Fail(claim, "it cannot be handled", lab.endless()),
        new Settlement.Release(claim, lab.endless(), Attempts.KEEP, lab.endless()));
  }

  private static Class<? extends Answer> answerAfter(Settlement settlement) {
    if (settlement instanceof Settlement.Complete) {
      return Answer.Done.class;
    }
    return settlement instanceof Settlement.Fail ? Answer.Failed.class : Answer.Deferred.class;
  }

  @Test
  @Semantics({16, 17})
  default void the_first_settlement_stands_and_the_same_again_is_answered_already(Lab lab) {
    for (int first = 0; first < 3; first++) {
      for (int second = 0; second < 3; second++) {
        Claim claim = lab.claim(lab.key());
        Settlement one = settlements(lab, claim).get(first);
        Settlement two = settlements(lab, claim).get(second);
        assertThat(lab.settle(one)).as("" + one).isEqualTo(Held.HELD);
        assertThat(lab.settle(two))
            .as(two + " after " + one)
            .isEqualTo(first == second ? Held.ALREADY : Held.LOST);
        assertThat(lab.ask(claim.key())).as("after both").isInstanceOf(answerAfter(one));
      }
    }
  }

  @Test
  @Semantics(16)
  default void completing_again_with_another_result_keeps_the_first(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.assertHeld(lab.complete(claim, Lab.text("first")));
    assertThat(lab.complete(claim, Lab.text("second"))).isEqualTo(Held.ALREADY);
    lab.assertDone(claim.key(), Lab.text("first"));
  }

  @Test
  @Semantics(16)
  default void failing_again_for_another_reason_keeps_the_first(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.assertHeld(lab.fail(claim, "first"));
    assertThat(lab.fail(claim, "second")).isEqualTo(Held.ALREADY);
    assertThat(((Answer.Failed) lab.ask(claim.key())).reason()).isEqualTo("first");
  }

  @Test
  @Semantics(16)
  default void releasing_again_with_another_delay_keeps_the_first(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.assertHeld(lab.release(claim, lab.endless()));
    assertThat(lab.release(claim, Duration.ZERO)).isEqualTo(Held.ALREADY);
    assertThat(lab.ask(claim.key())).isInstanceOf(Answer.Deferred.class);
  }

  @Test
  @Semantics({16, 17})
  default void a_claim_that_is_settled_cannot_be_renewed(Lab lab) {
    for (int i = 0; i < 3; i++) {
      Claim claim = lab.claim(lab.key());
      Settlement settlement = settlements(lab, claim).get(i);
      lab.assertHeld(lab.settle(settlement));
      assertThat(lab.renew(claim, lab.endless())).as("" + settlement).isEqualTo(Held.LOST);
      assertThat(lab.ask(claim.key())).isInstanceOf(answerAfter(settlement));
    }
  }

  @Test
  @Semantics(13)
  default void a_claim_that_was_never_given_settles_nothing(Lab lab) {
    Claim unknown = new Claim(Lab.SCOPE, lab.key(), 4711, 1);
    settlements(lab, unknown).forEach(it -> lab.assertLost(lab.settle(it)));
    lab.assertLost(lab.renew(unknown, lab.endless()));
    assertThat(lab.claim(unknown.key()).attempt()).as("nothing was written").isEqualTo(1);
  }

  @Test
  @Semantics(13)
  @Case(13)
  default void a_claim_with_another_token_scope_or_key_settles_nothing(Lab lab) {
    Claim holder = lab.claim(lab.key());
    Key otherKey = lab.key();
    List<Claim> others =
        List.of(
            new Claim(holder.scope(), holder.key(), holder.token() - 1, holder.attempt()),
            new Claim(holder.scope(), holder.key(), holder.token() + 1, holder.attempt()),
            new Claim(holder.scope(), otherKey, holder.token(), holder.attempt()),
            new Claim(Scope.of("another"), holder.key(), holder.token(), holder.attempt()));
    for (Claim other : others) {
      settlements(lab, other).forEach(it -> lab.assertLost(lab.settle(it)));
      lab.assertLost(lab.renew(other, Duration.ZERO));
    }
    lab.assertUnharmed(holder);
  }

  @Test
  @Semantics({10, 11, 12, 35})
  @Case(13)
  default void a_holder_that_was_overtaken_changes_nothing_any_more(Lab lab) {
    for (int late = 0; late < 4; late++) {
      Claim zombie = lab.claim(lab.key());
      lab.lapse(zombie);
      Claim successor = lab.claimAfter(zombie);
      Held answer =
          late == 3
              ? lab.renew(zombie, Duration.ZERO, new byte[] {1})
              : lab.settle(settlements(lab, zombie).get(late));
      assertThat(answer).as("late verb " + late).isEqualTo(Held.LOST);
      lab.assertUnharmed(successor);
    }
  }

  @Test
  @Semantics({10, 11})
  default void a_late_settlement_is_lost_although_the_successor_settled_in_the_same_way(Lab lab) {
    for (int late = 0; late < 3; late++) {
      Claim zombie = lab.claim(lab.key());
      lab.lapse(zombie);
      Claim successor = lab.claimAfter(zombie);
      lab.assertHeld(lab.settle(settlements(lab, successor).get(late)));
      lab.assertLost(lab.settle(settlements(lab, zombie).get(late)));
      assertThat(lab.settle(settlements(lab, successor).get(late))).isEqualTo(Held.ALREADY);
    }
  }

  @Test
  @Semantics({6, 17})
  default void a_release_repeated_after_the_next_claim_is_lost(Lab lab) {
    Claim first = lab.claim(lab.key());
    lab.assertHeld(lab.release(first));
    Claim second = lab.claimAfter(first);
    lab.assertLost(lab.release(first));
    lab.assertLost(lab.complete(first));
    lab.assertLost(lab.renew(first, Duration.ZERO));
    lab.assertUnharmed(second);
  }

  @Test
  @Semantics({10, 13})
  default void who_is_late_and_was_not_overtaken_still_settles(Lab lab) {
    for (Lapse lapse : Lapse.values()) {
      for (int late = 0; late < 3; late++) {
        Claim claim = lab.claim(lab.request(Lab.SCOPE, lab.key(), lab.units(0.1), lapse));
        lab.pass(0.2);
        Settlement settlement = settlements(lab, claim).get(late);
        assertThat(lab.settle(settlement)).as(lapse + ", " + settlement).isEqualTo(Held.HELD);
        assertThat(lab.ask(claim.key())).isInstanceOf(answerAfter(settlement));
      }
    }
  }

  @Test
  @Semantics({12, 13})
  default void who_is_late_and_was_not_overtaken_may_renew_and_holds_again(Lab lab) {
    for (Lapse lapse : Lapse.values()) {
      Claim claim = lab.claim(lab.request(Lab.SCOPE, lab.key(), lab.units(0.1), lapse));
      lab.pass(0.2);
      lab.assertHeld(lab.renew(claim, lab.endless()));
      lab.assertUnharmed(claim);
    }
  }
}
