package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The contract of a store that lives in the test's process and takes its time from a {@link
 * ManualTime}: moments are exact, and a wall clock that jumps does no harm.
 */
@SuppressWarnings("MemberName") // The names of tests are sentences.
public interface ManualClockContract extends StoreFixture {

  /** Returns the clocks that {@link #open} gives to the store: the same ones for a whole test. */
  ManualTime time();

  @Override
  default void pass(Duration duration) {
    time().advance(duration);
  }

  /** One second. */
  @Override
  default Duration unit() {
    return Duration.ofSeconds(1);
  }

  /** A lease that has a millisecond to go is not over, and one that has none is. */
  @Test
  @Semantics(31)
  @Case(27)
  default void a_lease_is_over_at_its_last_moment_exactly(Lab lab) {
    Claim claim = lab.claim(lab.request(lab.key(), Duration.ofSeconds(5)));
    time().advance(Duration.ofMillis(4_999));
    assertThat(lab.ask(claim.key())).isEqualTo(new Answer.InProgress(Duration.ofMillis(1)));
    time().advance(Duration.ofMillis(1));
    lab.claimAfter(claim);
  }

  /** As above, with the clock tolerance. */
  @Test
  @Semantics({31, 92})
  default void a_lease_is_over_when_the_tolerance_is_exactly(Lab lab) {
    lab.open(settings -> settings.withClockTolerance(Duration.ofSeconds(2)));
    Claim claim = lab.claim(lab.request(lab.key(), Duration.ofSeconds(5)));
    time().advance(Duration.ofMillis(6_999));
    assertThat(lab.ask(claim.key())).isEqualTo(new Answer.InProgress(Duration.ofMillis(1)));
    time().advance(Duration.ofMillis(1));
    lab.claimAfter(claim);
  }

  /** As above, for a claim that is parked. */
  @Test
  @Semantics({9, 31})
  default void a_parked_claim_is_in_doubt_from_the_last_moment_of_its_lease_on(Lab lab) {
    Claim claim = lab.claim(lab.parking(lab.key()));
    lab.renew(claim, Duration.ofSeconds(5));
    time().advance(Duration.ofMillis(4_999));
    lab.assertInProgress(claim.key());
    time().advance(Duration.ofMillis(1));
    assertThat(lab.ask(claim.key())).isInstanceOf(Answer.InDoubt.class);
  }

  /** Retention ends as a lease does. */
  @Test
  @Semantics({26, 31})
  default void a_retention_is_over_at_its_last_moment_exactly(Lab lab) {
    for (int i = 0; i < 3; i++) {
      Claim claim = lab.claim(lab.key());
      lab.assertHeld(lab.settle(settlements(claim).get(i)));
      time().advance(Duration.ofMillis(4_999));
      assertThat(lab.ask(claim.key()))
          .isInstanceOfAny(Answer.Done.class, Answer.Failed.class, Answer.Deferred.class);
      time().advance(Duration.ofMillis(1));
      assertThat(lab.claimAfter(claim).attempt()).isEqualTo(1);
    }
  }

  private static List<Settlement> settlements(Claim claim) {
    Duration retention = Duration.ofSeconds(5);
    return List.of(
        new Settlement.Complete(claim, Result.NONE, retention),
        new Settlement.Fail(claim, "it cannot be handled", retention),
        new Settlement.Release(claim, retention, Attempts.KEEP, retention));
  }

  /** A deferred key is due at its moment. */
  @Test
  @Semantics({6, 31})
  default void a_deferred_key_is_due_at_its_moment_exactly(Lab lab) {
    Claim claim = lab.claim(lab.key());
    lab.assertHeld(lab.release(claim, Duration.ofSeconds(5)));
    time().advance(Duration.ofMillis(4_999));
    assertThat(lab.ask(claim.key())).isEqualTo(new Answer.Deferred(Duration.ofMillis(1)));
    time().advance(Duration.ofMillis(1));
    assertThat(lab.claimAfter(claim).attempt()).isEqualTo(2);
  }

  /** What is below a millisecond is rounded in the holder's favour. */
  @Test
  @Semantics({31, 32})
  default void a_lease_of_a_nanosecond_is_not_over_at_once(Lab lab) {
    Claim claim = lab.claim(lab.request(lab.key(), Duration.ofNanos(1)));
    lab.assertInProgress(claim.key());
    time().advance(Duration.ofMillis(1));
    lab.claimAfter(claim);
  }

  /** A purge may take a record when its expiry and the grace are over, and not before. */
  @Test
  @Semantics({31, 106})
  default void the_grace_is_over_at_its_last_moment_exactly(Lab lab) {
    lab.open(settings -> settings.withPurgeGrace(Duration.ofSeconds(10)));
    Claim claim = lab.claim(lab.key());
    Settlement complete = settlements(claim).get(0);
    lab.settle(complete);
    time().advance(Duration.ofMillis(14_999));
    assertThat(lab.purge()).isZero();
    assertThat(lab.settle(complete)).isEqualTo(Held.ALREADY);
    time().advance(Duration.ofMillis(1));
    lab.purge();
    lab.claimAfter(claim);
  }

  /** Time alone would let it shrink: the clock stands still while the token is counted up. */
  @Test
  @Semantics({96, 106})
  default void the_token_grows_through_a_purge_even_when_it_was_ahead_of_the_clock(Lab lab) {
    lab.open(settings -> settings.withPurgeGrace(Duration.ZERO));
    Claim claim = lab.claim(lab.key());
    for (int i = 0; i < 2_000; i++) {
      lab.lapse(claim);
      claim = lab.claimAfter(claim);
    }
    lab.settle(new Settlement.Complete(claim, Result.NONE, Duration.ofMillis(1)));
    time().advance(Duration.ofMillis(1));
    lab.purge();
    lab.claimAfter(claim);
  }

  /** Leases do not go by the wall clock alone. */
  @Test
  @Semantics({27, 28})
  default void a_clock_that_is_set_back_ends_no_lease_early_and_blocks_no_key_for_ever(Lab lab) {
    Claim claim = lab.claim(lab.request(lab.key(), Duration.ofSeconds(30)));
    time().jump(Duration.ofHours(-1));
    lab.assertInProgress(claim.key());
    time().advance(Duration.ofSeconds(29));
    lab.assertInProgress(claim.key());
    time().advance(Duration.ofHours(1).plusSeconds(1));
    Claim next = lab.claimAfter(claim);
    lab.assertLost(lab.complete(claim));
    lab.assertUnharmed(next);
  }

  /** Tokens do not go by the wall clock alone. */
  @Test
  @Semantics({28, 96})
  default void tokens_grow_although_the_clock_is_set_back(Lab lab) {
    Claim claim = lab.claim(lab.key());
    for (int i = 0; i < 5; i++) {
      time().jump(Duration.ofHours(-1));
      lab.release(claim);
      claim = lab.claimAfter(claim);
    }
  }

  /** Neither does the retention. */
  @Test
  @Semantics(29)
  default void a_clock_that_is_set_on_purges_and_forgets_nothing(Lab lab) {
    lab.open(settings -> settings.withPurgeGrace(Duration.ZERO));
    Claim claim = lab.claim(lab.key());
    lab.complete(claim, Lab.text("done"));
    time().jump(Duration.ofDays(365));
    assertThat(lab.purge()).isZero();
    lab.assertDone(claim.key(), Lab.text("done"));
    Key fresh = lab.key();
    lab.complete(lab.claim(fresh), Lab.text("fresh"));
    assertThat(lab.purge()).isZero();
    lab.assertDone(fresh, Lab.text("fresh"));
  }

  /** Whoever is overtaken because of a jump is fenced as ever. */
  @Test
  @Semantics({10, 29})
  default void a_clock_that_is_set_on_leaves_one_holder_who_counts(Lab lab) {
    Claim claim = lab.claim(lab.request(lab.key(), Duration.ofSeconds(30)));
    time().jump(Duration.ofHours(1));
    Answer answer = lab.ask(claim.key());
    if (answer instanceof Answer.Claimed claimed) {
      assertThat(claimed.claim().token()).isGreaterThan(claim.token());
      lab.assertLost(lab.complete(claim));
      lab.assertUnharmed(claimed.claim());
    } else {
      assertThat(answer).isInstanceOf(Answer.InProgress.class);
      lab.assertUnharmed(claim);
    }
  }
}
