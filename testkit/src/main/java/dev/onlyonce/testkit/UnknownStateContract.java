package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The contract of a store into which a test can write what a newer version would. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
public interface UnknownStateContract extends StoreFixture {

  /**
   * Changes the record of this claim, behind the back of the store that the test has open, to a
   * state with a number that no version knows, and with an expiry that is long over.
   */
  void plantUnknownState(Claim claim);

  /** A record in a state that is not known is nobody's. */
  @Test
  @Semantics(81)
  default void a_state_of_a_newer_version_reads_as_in_progress(Lab lab) {
    lab.open(settings -> settings.withPurgeGrace(Duration.ZERO));
    Fingerprint fingerprint = Fingerprint.sha256(new byte[] {1});
    Claim claim = lab.claim(lab.request(lab.key()).withFingerprint(fingerprint));
    plantUnknownState(claim);
    for (int i = 0; i < 2; i++) {
      lab.assertInProgress(claim.key());
      assertThat(lab.ask(lab.settlingNow(claim.key(), Result.NONE)))
          .isInstanceOf(Answer.InProgress.class);
      assertThat(
              lab.ask(lab.request(claim.key()).withFingerprint(Fingerprint.sha256(new byte[] {2}))))
          .as("another payload: what a newer version means by it is not known")
          .isInstanceOf(Answer.InProgress.class);
      lab.assertLost(lab.complete(claim));
      lab.assertLost(lab.fail(claim));
      lab.assertLost(lab.release(claim));
      lab.assertLost(lab.renew(claim, Duration.ZERO));
      assertThat(lab.purge()).as("purged").isZero();
    }
  }
}
