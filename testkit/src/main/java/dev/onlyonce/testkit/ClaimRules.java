package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Claims without a race, a lapse or a failure; and the store that is closed. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface ClaimRules extends StoreFixture {

  @Test
  @Semantics(1)
  default void the_first_claim_of_an_absent_key_is_granted(Lab lab) {
    long since = lab.nanoTime();
    Answer.Claimed granted = lab.granted(lab.request(lab.key()));
    assertThat(granted.claim().attempt()).isEqualTo(1);
    assertThat(granted.checkpoint()).isNull();
    lab.assertLeft(granted.lease(), lab.endless(), since);
  }

  @Test
  @Semantics({1, 2})
  default void a_claim_of_a_key_that_is_held_is_in_progress_and_says_how_long(Lab lab) {
    long since = lab.nanoTime();
    Claim holder = lab.claim(lab.key());
    Answer answer = lab.ask(holder.key());
    assertThat(answer).isInstanceOf(Answer.InProgress.class);
    lab.assertLeft(((Answer.InProgress) answer).leaseLeft(), lab.endless(), since);
  }

  @Test
  @Semantics(2)
  default void a_refused_claim_changes_nothing_for_the_holder(Lab lab) {
    Claim holder = lab.claim(lab.key());
    ClaimRequest shorter = lab.request(Lab.SCOPE, holder.key(), Duration.ofMillis(1), Lapse.PARK);
    assertThat(lab.ask(shorter)).isInstanceOf(Answer.InProgress.class);
    assertThat(lab.ask(shorter.settlingNow(Result.NONE, Duration.ofMillis(1))))
        .isInstanceOf(Answer.InProgress.class);
    lab.pass(1);
    lab.assertUnharmed(holder);
  }

  @Test
  @Semantics(3)
  default void a_duplicate_of_a_key_that_is_done_gets_its_result(Lab lab) {
    Claim claim = lab.claim(lab.key());
    long since = lab.nanoTime();
    lab.assertHeld(lab.complete(claim, Lab.text("receipt 7")));
    lab.pass(2);
    Answer answer = lab.ask(claim.key());
    lab.assertDone(answer, Lab.text("receipt 7"));
    lab.assertPassed(((Answer.Done) answer).age(), since);
    lab.assertDone(claim.key(), Lab.text("receipt 7"));
  }

  @Test
  @Semantics(3)
  default void a_duplicate_changes_nothing_about_a_key_that_is_done(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.assertHeld(lab.complete(claim, Lab.text("first")));
    ClaimRequest other =
        lab.request(claim.key()).settlingNow(Lab.text("second"), Duration.ofMillis(1));
    lab.assertDone(lab.ask(other), Lab.text("first"));
    lab.pass(1);
    lab.assertDone(claim.key(), Lab.text("first"));
  }

  @Test
  @Semantics({3, 11})
  @Case(11)
  default void a_key_that_is_done_stays_so_when_its_lease_is_over(Lab lab) {
    Claim claim = lab.claim(lab.request(lab.key(), lab.units(0.5)));
    lab.complete(claim);
    lab.pass(2);
    lab.assertDone(claim.key(), Result.NONE);
  }

  @Test
  @Semantics(14)
  default void who_holds_a_key_already_cannot_claim_it_once_more(Lab lab) {
    Claim holder = lab.claim(lab.key());
    lab.assertInProgress(holder.key());
    lab.assertUnharmed(holder);
  }

  @Test
  @Semantics(14)
  default void the_same_worker_claiming_again_gets_another_token(Lab lab) {
    Claim first = lab.claim(lab.key());
    lab.lapse(first);
    Claim second = lab.claimAfter(first);
    lab.assertLost(lab.complete(first));
    lab.assertUnharmed(second);
  }

  @Test
  @Semantics({7, 21})
  default void a_key_that_failed_is_not_claimed_again(Lab lab) {
    Claim claim = lab.claim(lab.key());
    long since = lab.nanoTime();
    String reason = "no such account: Zoë, \"4711\"\n\tand a tab; 漢字 and 🧾";
    lab.assertHeld(lab.fail(claim, reason));
    for (int copy = 0; copy < 3; copy++) {
      Answer answer = lab.ask(claim.key());
      assertThat(answer).isInstanceOf(Answer.Failed.class);
      assertThat(((Answer.Failed) answer).reason()).isEqualTo(reason);
      lab.assertPassed(((Answer.Failed) answer).age(), since);
      lab.pass(0.1);
    }
  }

  @Test
  @Semantics(47)
  @Case(9)
  default void two_consumers_of_one_event_both_handle_it(Lab lab) {
    Key event = Key.of("evt-1");
    Scope billing = Scope.of("billing");
    Scope mail = Scope.of("mail");
    for (Scope scope : List.of(billing, mail)) {
      Claim claim = lab.claim(lab.request(scope, event, lab.endless(), Lapse.TAKE));
      lab.assertHeld(lab.complete(claim, Lab.text(scope.name())));
    }
    for (Scope scope : List.of(billing, mail)) {
      lab.assertDone(
          lab.ask(lab.request(scope, event, lab.endless(), Lapse.TAKE)), Lab.text(scope.name()));
    }
  }

  @Test
  @Semantics(69)
  default void a_store_that_is_closed_refuses_every_verb_and_may_be_closed_again(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.store().close();
    lab.store().close();
    List<Runnable> verbs =
        List.of(
            () -> lab.ask(lab.key()),
            () -> lab.complete(claim),
            () -> lab.renew(claim, lab.endless()),
            () -> lab.store().purge(1));
    for (Runnable verb : verbs) {
      assertThat(catchStoreException(verb).kind()).isEqualTo(StoreException.Kind.CLOSED);
    }
  }

  private static StoreException catchStoreException(Runnable verb) {
    try {
      verb.run();
    } catch (StoreException e) {
      assertThat(e.getMessage()).as("message").isNotBlank();
      return e;
    }
    throw new AssertionError("a store that is closed must throw a StoreException");
  }
}
