package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The contract of a store that remembers what it was told when it is closed and opened again. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
public interface DurableStoreContract extends StoreFixture {

  /** Opens the store that {@link #open} opened and that has been closed since, with its data. */
  ClaimStore reopen(StoreSettings settings);

  private void restart(Lab lab) {
    restart(lab, StoreSettings.defaults());
  }

  private void restart(Lab lab, StoreSettings settings) {
    lab.store().close();
    lab.use(reopen(settings));
  }

  /** Every state is as it was. */
  @Test
  @Semantics({2, 3, 6, 7, 9, 78, 80})
  default void every_record_is_as_it_was_after_a_restart(Lab lab) {
    Claim held = lab.claim(lab.key());
    Claim parked = lab.claim(lab.parking(lab.key()));
    lab.lapse(parked);
    Claim done = lab.claim(lab.key());
    lab.complete(done, Lab.text("receipt"));
    Claim none = lab.claim(lab.settlingNow(lab.key(), Result.NONE));
    Claim notKept = lab.claim(lab.settlingNow(lab.key(), Result.NOT_KEPT));
    Claim failed = lab.claim(lab.key());
    lab.fail(failed, "no such account");
    Claim deferred = lab.claim(lab.key());
    lab.release(deferred, lab.endless());
    for (int i = 0; i < 2; i++) {
      restart(lab);
      lab.assertInProgress(held.key());
      assertThat(lab.ask(parked.key()))
          .isEqualTo(new Answer.InDoubt(parked.token(), parked.attempt()));
      lab.assertDone(done.key(), Lab.text("receipt"));
      lab.assertDone(none.key(), Result.NONE);
      lab.assertDone(notKept.key(), Result.NOT_KEPT);
      Answer answer = lab.ask(failed.key());
      assertThat(answer).isInstanceOf(Answer.Failed.class);
      assertThat(((Answer.Failed) answer).reason()).isEqualTo("no such account");
      assertThat(lab.ask(deferred.key())).isInstanceOf(Answer.Deferred.class);
    }
    lab.assertUnharmed(held);
  }

  /** A claim outlives the process that made it; so does its request id. */
  @Test
  @Semantics({8, 13, 20, 98})
  default void a_claim_can_be_settled_repeated_and_taken_over_after_a_restart(Lab lab) {
    ClaimRequest request = lab.request(lab.key());
    Claim held = lab.claim(request);
    lab.renew(held, lab.endless(), new byte[] {1, 2, 3});
    Claim lapsed = lab.claim(lab.key());
    lab.renew(lapsed, Duration.ZERO, new byte[] {4});
    restart(lab);
    Answer.Claimed again = lab.granted(request);
    assertThat(again.claim()).isEqualTo(held);
    assertThat(again.checkpoint()).containsExactly(1, 2, 3);
    lab.assertUnharmed(held);
    Answer.Claimed taken = lab.granted(lab.request(lapsed.key()));
    assertThat(taken.claim().token()).isGreaterThan(lapsed.token());
    assertThat(taken.claim().attempt()).isEqualTo(2);
    assertThat(taken.checkpoint()).containsExactly(4);
    lab.assertLost(lab.complete(lapsed));
  }

  /** A settlement whose answer got lost may be repeated after a restart. */
  @Test
  @Semantics({16, 18})
  default void a_settlement_repeated_after_a_restart_is_answered_already(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.assertHeld(lab.complete(claim, Lab.text("first")));
    restart(lab);
    assertThat(lab.complete(claim, Lab.text("second"))).isEqualTo(Held.ALREADY);
    lab.assertDone(claim.key(), Lab.text("first"));
  }

  /** Tokens go on from where they were, also where they were ahead of the clock and purged. */
  @Test
  @Semantics({96, 106})
  default void tokens_grow_through_a_restart_with_a_purge_before_it(Lab lab) {
    StoreSettings settings = StoreSettings.defaults().withPurgeGrace(Duration.ZERO);
    lab.open(it -> settings);
    Claim claim = lab.claim(lab.key());
    for (int i = 0; i < 2_000; i++) {
      lab.lapse(claim);
      claim = lab.claimAfter(claim);
    }
    lab.settle(new Settlement.Complete(claim, Result.NONE, Duration.ofMillis(1)));
    lab.fixture().pass(Duration.ofMillis(1));
    lab.purge();
    restart(lab, settings);
    lab.claimAfter(claim);
  }
}
