package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Retention, purging, and the token that grows through both. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface ExpiryRules extends StoreFixture {

  Fingerprint PAYLOAD = Fingerprint.sha256(new byte[] {1});
  Fingerprint OTHER_PAYLOAD = Fingerprint.sha256(new byte[] {2});

  private static List<Settlement> settlements(Claim claim, Duration retention) {
    return List.of(
        new Settlement.Complete(claim, Lab.text("done"), retention),
        new Settlement.Fail(claim, "it cannot be handled", retention),
        new Settlement.Release(claim, Duration.ZERO, Attempts.KEEP, retention));
  }

  /** Claims keys, a third of each is completed, failed and released, kept for this long. */
  private static List<Claim> settled(Lab lab, int count, Duration retention) {
    List<Claim> claims = new ArrayList<>();
    for (Key key : lab.keys(count)) {
      Claim claim = lab.claim(key);
      lab.assertHeld(lab.settle(settlements(claim, retention).get(claims.size() % 3)));
      claims.add(claim);
    }
    return claims;
  }

  @Test
  @Semantics({26, 96})
  default void a_settled_record_whose_retention_is_over_reads_as_absent(Lab lab) {
    for (int i = 0; i < 3; i++) {
      Key key = lab.key();
      ClaimRequest request = lab.request(key).withFingerprint(PAYLOAD);
      Claim old = lab.claim(request);
      lab.assertHeld(lab.settle(settlements(old, lab.units(0.2)).get(i)));
      lab.pass(0.3);
      Claim fresh = lab.claimAfter(old, Lab.byAnother(request).withFingerprint(OTHER_PAYLOAD));
      assertThat(fresh.attempt()).as("attempts are counted anew").isEqualTo(1);
      lab.assertLost(lab.complete(old));
      lab.assertHeld(lab.complete(fresh));
    }
  }

  @Test
  @Semantics(26)
  default void a_settled_record_is_kept_for_its_retention(Lab lab) {
    lab.play(
        time -> {
          Claim claim = lab.claim(lab.key());
          Settlement complete = settlements(claim, lab.units(3)).get(0);
          lab.assertHeld(time.start(() -> lab.settle(complete)));
          Answer at2 = time.at(2).within(3, () -> lab.ask(claim.key()));
          lab.assertDone(at2, Lab.text("done"));
          time.at(4);
          lab.claimAfter(claim);
        });
  }

  @Test
  @Semantics(26)
  default void what_is_completed_in_the_same_step_is_kept_for_its_retention_too(Lab lab) {
    lab.play(
        time -> {
          ClaimRequest request = lab.request(lab.key()).settlingNow(Lab.text("now"), lab.units(3));
          Claim claim = time.start(() -> lab.claim(request));
          Answer at2 = time.at(2).within(3, () -> lab.ask(request.key()));
          lab.assertDone(at2, Lab.text("now"));
          time.at(4);
          lab.claimAfter(claim);
        });
  }

  @Test
  @Semantics(26)
  default void an_endless_retention_does_not_overflow(Lab lab) {
    Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
    for (int i = 0; i < 3; i++) {
      Claim claim = lab.claim(lab.key());
      lab.assertHeld(lab.settle(settlements(claim, forever).get(i)));
      lab.pass(0.1);
      lab.purge();
      assertThat(lab.settle(settlements(claim, forever).get(i))).isEqualTo(Held.ALREADY);
    }
    Claim deferred = lab.claim(lab.key());
    lab.assertHeld(lab.release(deferred, forever));
    assertThat(lab.ask(deferred.key())).isInstanceOf(Answer.Deferred.class);
  }

  @Test
  @Semantics(34)
  default void purging_never_forgets_a_claim_however_old(Lab lab) {
    lab.open(settings -> settings.withPurgeGrace(Duration.ZERO));
    List<Claim> claims = new ArrayList<>();
    for (Lapse lapse : Lapse.values()) {
      Duration brief = lab.units(0.1);
      claims.add(lab.claim(lab.request(Lab.SCOPE, lab.key(), lab.endless(), lapse)));
      claims.add(
          lab.claim(
              new ClaimRequest(
                  Lab.SCOPE,
                  lab.key(),
                  Lab.newRequestId(),
                  null,
                  brief,
                  brief,
                  lapse,
                  null,
                  ClaimRequest.ANY)));
    }
    lab.pass(1);
    lab.purge();
    for (Claim claim : claims) {
      lab.assertHeld(lab.complete(claim));
      lab.assertDone(claim.key(), Result.NONE);
    }
  }

  @Test
  @Semantics({26, 34})
  default void purging_leaves_what_has_not_expired(Lab lab) {
    lab.open(settings -> settings.withPurgeGrace(Duration.ZERO));
    List<Claim> kept = settled(lab, 12, lab.endless());
    settled(lab, 12, lab.units(0.1));
    lab.pass(0.2);
    lab.purge();
    for (int i = 0; i < kept.size(); i++) {
      Settlement again = settlements(kept.get(i), lab.endless()).get(i % 3);
      assertThat(lab.settle(again)).as("" + again).isEqualTo(Held.ALREADY);
    }
  }

  @Test
  @Semantics(106)
  default void purging_waits_for_the_grace_after_the_expiry(Lab lab) {
    lab.open(settings -> settings.withPurgeGrace(lab.endless()));
    List<Claim> expired = settled(lab, 12, lab.units(0.1));
    lab.pass(0.5);
    assertThat(lab.purge()).as("purged within the grace").isZero();
    for (int i = 0; i < expired.size(); i++) {
      Settlement again = settlements(expired.get(i), lab.endless()).get(i % 3);
      assertThat(lab.settle(again)).as("the record is there").isEqualTo(Held.ALREADY);
    }
    expired.forEach(lab::claimAfter);
  }

  @Test
  @Semantics({34, 106})
  default void one_step_of_purging_is_bounded(Lab lab) {
    lab.open(settings -> settings.withPurgeGrace(Duration.ZERO));
    settled(lab, 30, lab.units(0.1));
    lab.pass(0.2);
    for (int i = 0; i < 10; i++) {
      assertThat(lab.store().purge(7)).isBetween(0, 7);
    }
    assertThatThrownBy(() -> lab.store().purge(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @Semantics({13, 106})
  default void a_settlement_repeated_after_the_purge_brings_nothing_back(Lab lab) {
    lab.open(settings -> settings.withPurgeGrace(Duration.ZERO));
    List<Claim> claims = settled(lab, 3, lab.units(0.1));
    lab.pass(0.2);
    lab.purge();
    for (int i = 0; i < 3; i++) {
      Held again = lab.settle(settlements(claims.get(i), lab.endless()).get(i));
      assertThat(again).as("gone, or kept a little longer").isIn(Held.LOST, Held.ALREADY);
      Claim fresh = lab.claimAfter(claims.get(i));
      assertThat(fresh.attempt()).isEqualTo(1);
    }
  }

  @Test
  @Semantics(96)
  default void tokens_grow_through_release_failure_completion_expiry_and_purge(Lab lab) {
    lab.open(settings -> settings.withPurgeGrace(Duration.ZERO));
    Claim claim = lab.claim(lab.key());
    for (int round = 0; round < 3; round++) {
      lab.release(claim);
      claim = lab.claimAfter(claim);
      lab.lapse(claim);
      claim = lab.claimAfter(claim);
      lab.fail(claim);
      claim = lab.claimAfter(claim, lab.request(claim.key()).expecting(claim.token()));
      lab.settle(settlements(claim, lab.units(0.1)).get(round));
      lab.pass(0.2);
      if (round != 1) {
        lab.purge();
      }
      claim = lab.claimAfter(claim);
    }
  }
}
