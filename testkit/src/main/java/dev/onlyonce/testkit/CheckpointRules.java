package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import java.time.Duration;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Checkpoints: what an attempt saves for the next one. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface CheckpointRules extends StoreFixture {

  private static byte @Nullable [] checkpointOfNext(Lab lab, Claim earlier) {
    return lab.granted(lab.request(earlier.key())).checkpoint();
  }

  @Test
  @Semantics({6, 8})
  default void a_checkpoint_is_handed_to_the_next_attempt_after_a_lapse(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.assertHeld(lab.renew(claim, Duration.ZERO, new byte[] {1, 2, 3}));
    assertThat(checkpointOfNext(lab, claim)).containsExactly(1, 2, 3);
  }

  @Test
  @Semantics(6)
  default void a_checkpoint_is_handed_to_the_next_attempt_after_a_release(Lab lab) {
    for (Attempts attempts : Attempts.values()) {
      Claim claim = lab.claim(lab.key());
      lab.renew(claim, lab.endless(), new byte[] {1, 2, 3});
      lab.assertHeld(lab.release(claim, Duration.ZERO, attempts));
      assertThat(checkpointOfNext(lab, claim)).as("" + attempts).containsExactly(1, 2, 3);
    }
  }

  @Test
  @Semantics({7, 24})
  default void a_checkpoint_is_handed_to_whoever_opens_a_claim_that_failed(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.renew(claim, lab.endless(), new byte[] {1, 2, 3});
    lab.fail(claim);
    Answer.Claimed opened = lab.granted(lab.request(claim.key()).expecting(claim.token()));
    assertThat(opened.checkpoint()).containsExactly(1, 2, 3);
  }

  @Test
  @Semantics(24)
  default void a_checkpoint_is_handed_to_whoever_opens_a_claim_in_doubt(Lab lab) {
    Claim claim = lab.claim(lab.parking(lab.key()));
    lab.renew(claim, Duration.ZERO, new byte[] {1, 2, 3});
    Answer.Claimed opened = lab.granted(lab.request(claim.key()).expecting(claim.token()));
    assertThat(opened.checkpoint()).containsExactly(1, 2, 3);
  }

  @Test
  @Semantics(6)
  default void a_renewal_without_a_checkpoint_leaves_the_one_that_is_there(Lab lab) {
    Claim first = lab.claim(lab.key());
    lab.renew(first, lab.endless(), new byte[] {7});
    lab.lapse(first);
    Claim second = lab.claimAfter(first);
    lab.lapse(second);
    assertThat(checkpointOfNext(lab, second)).containsExactly(7);
  }

  @Test
  @Semantics(6)
  default void the_last_checkpoint_counts_even_if_it_is_empty(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.renew(claim, lab.endless(), new byte[] {1, 2, 3});
    lab.renew(claim, lab.endless(), new byte[] {9});
    lab.lapse(claim);
    Answer.Claimed second = lab.granted(lab.request(claim.key()));
    assertThat(second.checkpoint()).containsExactly(9);
    lab.renew(second.claim(), Duration.ZERO, new byte[0]);
    assertThat(checkpointOfNext(lab, claim)).isNotNull().isEmpty();
  }

  @Test
  @Semantics(6)
  default void a_checkpoint_may_be_any_bytes_up_to_the_limit(Lab lab) {
    byte[] largest = new byte[Limits.CHECKPOINT_BYTES];
    new Random(4711).nextBytes(largest);
    Claim claim = lab.claim(lab.key());
    lab.assertHeld(lab.renew(claim, Duration.ZERO, largest));
    assertThat(checkpointOfNext(lab, claim)).isEqualTo(largest);
  }

  @Test
  @Semantics(98)
  default void a_claim_repeated_after_a_lost_answer_gets_the_checkpoint_too(Lab lab) {
    Claim first = lab.claim(lab.key());
    lab.renew(first, Duration.ZERO, new byte[] {5});
    var request = lab.request(first.key());
    lab.granted(request);
    assertThat(lab.granted(request).checkpoint()).containsExactly(5);
  }

  @Test
  @Semantics(26)
  default void a_checkpoint_is_gone_once_the_record_has_expired(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.renew(claim, lab.endless(), new byte[] {5});
    lab.settle(new Settlement.Release(claim, Duration.ZERO, Attempts.KEEP, lab.units(0.1)));
    lab.pass(0.2);
    assertThat(checkpointOfNext(lab, claim)).isNull();
  }
}
