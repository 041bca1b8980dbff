package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of a store that has room for so many records and no more. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
public interface BoundedStoreContract extends StoreFixture {

  private void openBounded(Lab lab) {
    lab.open(settings -> settings.withCapacity(100).withPurgeGrace(Duration.ZERO));
  }

  private static void assertFull(Lab lab, ClaimRequest request) {
    try {
      Answer answer = lab.ask(request);
      throw new AssertionError("a full store answered " + answer);
    } catch (StoreException e) {
      assertThat(e.kind()).isEqualTo(StoreException.Kind.FULL);
      assertThat(e.getMessage()).as("says how full").contains("100");
    }
  }

  /** A full store refuses new keys, and serves those that it has. */
  @Test
  @Semantics(77)
  default void a_full_store_refuses_new_keys_and_forgets_none_that_it_has(Lab lab) {
    openBounded(lab);
    List<Claim> claims = new ArrayList<>();
    for (Key key : lab.keys(100)) {
      claims.add(lab.claim(key));
    }
    Key over = lab.key();
    for (int i = 0; i < 3; i++) {
      assertFull(lab, lab.request(over));
      assertFull(lab, lab.settlingNow(over, Result.NONE));
    }
    for (Claim claim : claims) {
      lab.assertInProgress(claim.key());
      lab.assertHeld(lab.renew(claim, lab.endless(), new byte[] {1}));
      lab.assertHeld(lab.complete(claim, Lab.text("done")));
    }
    assertFull(lab, lab.request(over));
    claims.forEach(it -> lab.assertDone(it.key(), Lab.text("done")));
  }

  /** A key that a full store has may be released and claimed again. */
  @Test
  @Semantics({6, 77})
  default void a_full_store_still_hands_a_known_key_to_the_next(Lab lab) {
    openBounded(lab);
    lab.keys(99).forEach(lab::claim);
    Claim claim = lab.claim(lab.key());
    lab.release(claim);
    Claim next = lab.claimAfter(claim);
    lab.lapse(next);
    lab.claimAfter(next);
    assertFull(lab, lab.request(lab.key()));
  }

  /** Purging what has expired makes room again, as often as one likes. */
  @Test
  @Semantics({26, 77})
  default void purging_makes_room(Lab lab) {
    openBounded(lab);
    for (int round = 0; round < 5; round++) {
      for (Key key : lab.keys(100)) {
        lab.settle(new Settlement.Complete(lab.claim(key), Result.NONE, lab.units(1)));
      }
      assertFull(lab, lab.request(lab.key()));
      lab.pass(2);
      assertThat(lab.purge()).isEqualTo(100);
    }
    lab.keys(100).forEach(lab::claim);
  }

  /** A batch that does not fit may be asked for again, item by item. */
  @Test
  @Semantics({70, 77, 98})
  default void a_batch_that_did_not_fit_can_be_asked_for_again(Lab lab) {
    openBounded(lab);
    List<ClaimRequest> requests = lab.keys(110).stream().map(lab::request).toList();
    try {
      List<Answer> answers = lab.ask(requests);
      throw new AssertionError("a full store answered " + answers);
    } catch (StoreException e) {
      assertThat(e.kind()).isEqualTo(StoreException.Kind.FULL);
    }
    int granted = 0;
    for (ClaimRequest request : requests) {
      if (granted < 100) {
        assertThat(lab.granted(request).claim().attempt()).isEqualTo(1);
        granted++;
      } else {
        assertFull(lab, request);
      }
    }
  }
}
