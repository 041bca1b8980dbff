package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** The same key with another payload. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface FingerprintRules extends StoreFixture {

  Fingerprint FIRST = Fingerprint.sha256(new byte[] {1});
  Fingerprint OTHER = Fingerprint.sha256(new byte[] {2});

  @Test
  @Semantics(4)
  default void another_payload_is_a_mismatch_in_every_state_and_changes_nothing(Lab lab) {
    List<BiConsumer<Lab, Claim>> states =
        List.of(
            (it, claim) -> {},
            (it, claim) -> it.lapse(claim),
            (it, claim) -> it.complete(claim),
            (it, claim) -> it.fail(claim),
            (it, claim) -> it.release(claim),
            (it, claim) -> it.release(claim, it.endless()));
    for (int i = 0; i < states.size(); i++) {
      ClaimRequest request = lab.request(lab.key()).withFingerprint(FIRST);
      Claim claim = lab.claim(request);
      states.get(i).accept(lab, claim);
      ClaimRequest other = Lab.byAnother(request).withFingerprint(OTHER);
      assertThat(lab.ask(other)).as("state " + i).isEqualTo(new Answer.Mismatch(FIRST));
      assertThat(lab.ask(Lab.byAnother(other).settlingNow(Result.NONE, lab.endless())))
          .as("state " + i + ", completing now")
          .isEqualTo(new Answer.Mismatch(FIRST));
      assertThat(lab.ask(Lab.byAnother(request)))
          .as("state " + i + ", the first payload again")
          .isNotInstanceOf(Answer.Mismatch.class);
    }
  }

  @Test
  @Semantics(4)
  default void another_payload_of_a_key_in_doubt_is_a_mismatch(Lab lab) {
    Claim claim = lab.claim(lab.parking(lab.key()).withFingerprint(FIRST));
    lab.lapse(claim);
    assertThat(lab.ask(lab.request(claim.key()).withFingerprint(OTHER)))
        .isEqualTo(new Answer.Mismatch(FIRST));
    assertThat(lab.ask(lab.request(claim.key()).withFingerprint(FIRST)))
        .isInstanceOf(Answer.InDoubt.class);
  }

  @Test
  @Semantics({3, 4})
  default void the_same_payload_is_a_duplicate_that_was_compared(Lab lab) {
    ClaimRequest request = lab.request(lab.key()).withFingerprint(FIRST);
    lab.complete(lab.claim(request));
    Answer answer = lab.ask(Lab.byAnother(request));
    lab.assertDone(answer, Result.NONE);
    assertThat(((Answer.Done) answer).compared()).isTrue();
  }

  @Test
  @Semantics(5)
  default void a_payload_without_a_fingerprint_matches_and_the_answer_says_so(Lab lab) {
    ClaimRequest with = lab.request(lab.key()).withFingerprint(FIRST);
    lab.complete(lab.claim(with));
    Answer without = lab.ask(lab.request(with.key()));
    lab.assertDone(without, Result.NONE);
    assertThat(((Answer.Done) without).compared()).isFalse();

    Key plain = lab.key();
    lab.complete(lab.claim(plain));
    Answer given = lab.ask(lab.request(plain).withFingerprint(OTHER));
    lab.assertDone(given, Result.NONE);
    assertThat(((Answer.Done) given).compared()).isFalse();
    assertThat(((Answer.Done) lab.ask(plain)).compared()).isFalse();
  }

  @Test
  @Semantics({4, 5})
  default void an_attempt_without_a_fingerprint_keeps_the_one_that_is_there(Lab lab) {
    Claim first = lab.claim(lab.request(lab.key()).withFingerprint(FIRST));
    lab.release(first);
    Claim second = lab.claimAfter(first);
    assertThat(lab.ask(lab.request(first.key()).withFingerprint(OTHER)))
        .isEqualTo(new Answer.Mismatch(FIRST));
    lab.complete(second);
    assertThat(lab.ask(lab.request(first.key()).withFingerprint(OTHER)))
        .isEqualTo(new Answer.Mismatch(FIRST));
  }

  @Test
  @Semantics({4, 5})
  default void an_attempt_with_a_fingerprint_adds_it_where_there_was_none(Lab lab) {
    Claim first = lab.claim(lab.key());
    lab.lapse(first);
    Claim second = lab.claimAfter(first, lab.request(first.key()).withFingerprint(FIRST));
    lab.complete(second);
    assertThat(lab.ask(lab.request(first.key()).withFingerprint(OTHER)))
        .isEqualTo(new Answer.Mismatch(FIRST));
  }

  @Test
  @Semantics(4)
  default void fingerprints_are_compared_by_all_their_bytes_at_every_length(Lab lab) {
    for (int length : new int[] {1, 16, Fingerprint.MAX_BYTES}) {
      byte[] bytes = new byte[length];
      Fingerprint zeros = Fingerprint.ofBytes(bytes);
      bytes[length - 1] = (byte) 0x80;
      Fingerprint lastBit = Fingerprint.ofBytes(bytes);
      ClaimRequest request = lab.request(lab.key()).withFingerprint(zeros);
      lab.complete(lab.claim(request));
      assertThat(lab.ask(Lab.byAnother(request).withFingerprint(lastBit)))
          .isEqualTo(new Answer.Mismatch(zeros));
      assertThat(lab.ask(Lab.byAnother(request))).isInstanceOf(Answer.Done.class);
      if (length > 1) {
        Fingerprint shorter = Fingerprint.ofBytes(Arrays.copyOf(zeros.toBytes(), length - 1));
        assertThat(lab.ask(Lab.byAnother(request).withFingerprint(shorter)))
            .isEqualTo(new Answer.Mismatch(zeros));
      }
    }
  }
}
