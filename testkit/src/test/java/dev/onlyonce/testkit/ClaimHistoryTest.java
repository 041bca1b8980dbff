package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.testkit.ClaimHistory.Asked;
import dev.onlyonce.testkit.ClaimHistory.Renewed;
import dev.onlyonce.testkit.ClaimHistory.Settled;
import dev.onlyonce.testkit.ClaimHistory.Span;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The checker finds what cannot have been, and nothing else. Times are in seconds. */
class ClaimHistoryTest {

  private static final Scope SCOPE = Scope.of("history");
  private static final Key KEY = Key.of("k");

  private final ClaimHistory history = new ClaimHistory();
  private long requestId;

  private static Span at(double begun, double ended) {
    long from = (long) (begun * 1e9);
    long to = (long) (ended * 1e9);
    return new Span(from, to, from, to);
  }

  private static Span at(double moment) {
    return at(moment, moment + 0.1);
  }

  private static Duration seconds(double count) {
    return Duration.ofNanos((long) (count * 1e9));
  }

  private ClaimRequest request(double lease) {
    return new ClaimRequest(
        SCOPE,
        KEY,
        ++requestId,
        null,
        seconds(lease),
        seconds(10),
        Lapse.TAKE,
        null,
        ClaimRequest.ANY);
  }

  private static Claim claim(long token) {
    return new Claim(SCOPE, KEY, token, 1);
  }

  private static Answer claimed(long token, double lease) {
    return new Answer.Claimed(claim(token), seconds(lease), null);
  }

  private void granted(Span span, long token, double lease) {
    history.add(new Asked(span, request(lease), claimed(token, lease)));
  }

  private void completed(Span span, long token, double retention, @Nullable Held answer) {
    history.add(
        new Settled(
            span, new Settlement.Complete(claim(token), Result.NONE, seconds(retention)), answer));
  }

  private void renewed(Span span, long token, double lease, @Nullable Held answer) {
    history.add(new Renewed(span, new Renewal(claim(token), seconds(lease), null), answer));
  }

  private void done(Span span) {
    history.add(new Asked(span, request(1), new Answer.Done(Result.NONE, Duration.ZERO, false)));
  }

  private void assertFine() {
    assertThat(history.violations()).isEmpty();
  }

  private void assertViolation(String fault) {
    assertThat(history.violations()).isNotEmpty().allMatch(it -> it.startsWith(fault), fault);
  }

  @Test
  void an_ordinary_history_is_fine() {
    granted(at(0), 1, 5);
    renewed(at(1), 1, 5, Held.HELD);
    completed(at(2), 1, 10, Held.HELD);
    completed(at(3), 1, 10, Held.ALREADY);
    done(at(4));
    granted(at(13), 2, 5);
    granted(at(19), 3, 5);
    completed(at(20), 2, 10, Held.LOST);
    renewed(at(20), 2, 10, Held.LOST);
    history.add(
        new Settled(
            at(21),
            new Settlement.Release(claim(3), seconds(2), Attempts.KEEP, seconds(10)),
            Held.HELD));
    granted(at(24), 4, 5);
    assertFine();
    assertThat(history.summary())
        .containsEntry("Claimed", 4L)
        .containsEntry("HELD", 3L)
        .containsEntry("LOST", 2L);
  }

  @Test
  void one_token_for_two_requests_is_a_violation() {
    granted(at(0), 1, 1);
    granted(at(5), 1, 1);
    assertViolation("the same token was given to two requests");
  }

  @Test
  void one_token_for_a_repeated_request_is_fine() {
    ClaimRequest request = request(5);
    history.add(new Asked(at(0), request, null));
    history.add(new Asked(at(1), request, claimed(1, 4)));
    history.add(new Asked(at(2), request, claimed(1, 3)));
    assertFine();
  }

  @Test
  void a_later_claim_with_a_smaller_token_is_a_violation() {
    granted(at(0), 2, 1);
    granted(at(5), 1, 1);
    assertViolation("a later claim has a smaller token");
  }

  @Test
  void claims_that_overlap_may_have_come_in_either_order() {
    granted(at(0, 3), 2, 0.1);
    granted(at(1, 4), 1, 0.1);
    assertFine();
  }

  @Test
  void a_completion_accepted_after_a_newer_claim_was_answered_is_a_violation() {
    for (Held answer : new Held[] {Held.HELD, Held.ALREADY}) {
      ClaimHistory before = new ClaimHistory();
      before.add(new Asked(at(0), request(1), claimed(1, 1)));
      before.add(new Asked(at(2), request(1), claimed(2, 1)));
      before.add(
          new Settled(at(3), new Settlement.Complete(claim(1), Result.NONE, seconds(10)), answer));
      assertThat(before.violations()).hasSize(1);
      assertThat(before.violations().get(0)).startsWith("an overtaken holder was not told so");
    }
  }

  @Test
  void a_renewal_accepted_after_a_newer_claim_was_answered_is_a_violation() {
    granted(at(0), 1, 1);
    granted(at(2), 2, 1);
    renewed(at(3), 1, 5, Held.HELD);
    assertViolation("an overtaken holder was not told so");
  }

  @Test
  void a_completion_that_overlaps_the_newer_claim_may_have_come_first() {
    granted(at(0), 1, 1);
    completed(at(2, 4), 1, 0.001, Held.HELD);
    granted(at(3, 5), 2, 1);
    assertFine();
  }

  @Test
  void two_settlements_that_count_are_a_violation() {
    granted(at(0), 1, 5);
    completed(at(1), 1, 10, Held.HELD);
    completed(at(2), 1, 10, Held.HELD);
    assertViolation("one claim was settled twice");
  }

  @Test
  void a_key_granted_again_within_its_retention_is_a_violation() {
    granted(at(0), 1, 5);
    completed(at(1), 1, 10, Held.HELD);
    granted(at(9), 2, 5);
    assertViolation("a settled key was granted again");
  }

  @Test
  void a_key_completed_at_once_and_granted_again_is_a_violation() {
    ClaimRequest atOnce = request(1).settlingNow(Result.NONE, seconds(10));
    history.add(new Asked(at(0), atOnce, claimed(1, 0)));
    granted(at(9), 2, 5);
    assertViolation("a settled key was granted again");
  }

  @Test
  void a_repeated_completion_at_once_counts_from_the_first_request() {
    ClaimRequest atOnce = request(1).settlingNow(Result.NONE, seconds(10));
    history.add(new Asked(at(0), atOnce, null));
    history.add(new Asked(at(5), atOnce, claimed(1, 0)));
    granted(at(11), 2, 5);
    assertFine();
  }

  @Test
  void a_key_granted_before_it_is_due_is_a_violation() {
    granted(at(0), 1, 5);
    history.add(
        new Settled(
            at(1),
            new Settlement.Release(claim(1), seconds(5), Attempts.KEEP, seconds(10)),
            Held.HELD));
    granted(at(5), 2, 5);
    assertViolation("a settled key was granted again");
  }

  @Test
  void a_key_that_an_operator_opened_may_be_granted_again() {
    granted(at(0), 1, 5);
    completed(at(1), 1, 10, Held.HELD);
    history.add(new Asked(at(2), request(1).expecting(1), claimed(2, 1)));
    granted(at(5), 3, 5);
    assertFine();
  }

  @Test
  void two_holders_at_once_are_a_violation() {
    granted(at(0), 1, 5);
    granted(at(4), 2, 5);
    assertViolation("a key was granted while another held it");
  }

  @Test
  void two_holders_at_once_after_a_renewal_are_a_violation() {
    granted(at(0), 1, 5);
    renewed(at(4), 1, 5, Held.HELD);
    granted(at(8), 2, 5);
    assertViolation("a key was granted while another held it");
  }

  @Test
  void a_renewal_that_shortens_the_lease_or_may_have_done_so_lets_others_in() {
    granted(at(0), 1, 50);
    renewed(at(1), 1, 1, Held.HELD);
    granted(at(3), 2, 50);
    renewed(at(4), 2, 1, null);
    granted(at(6), 3, 50);
    renewed(at(7, 9), 3, 0, Held.HELD);
    granted(at(8, 10), 4, 50);
    assertFine();
  }

  @Test
  void a_settlement_whose_answer_got_lost_may_have_let_others_in() {
    granted(at(0), 1, 50);
    history.add(
        new Settled(
            at(1),
            new Settlement.Release(claim(1), Duration.ZERO, Attempts.KEEP, seconds(10)),
            null));
    granted(at(2), 2, 5);
    assertFine();
  }

  @Test
  void a_lease_that_ends_within_the_span_of_the_next_claim_is_fine() {
    granted(at(0, 1), 1, 5);
    granted(at(4, 5.5), 2, 5);
    assertFine();
  }

  @Test
  void a_parked_key_that_a_newcomer_is_granted_is_a_violation() {
    ClaimRequest take = request(1);
    ClaimRequest parking =
        new ClaimRequest(
            SCOPE,
            KEY,
            take.requestId(),
            null,
            seconds(1),
            seconds(10),
            Lapse.PARK,
            null,
            ClaimRequest.ANY);
    history.add(new Asked(at(0), parking, claimed(1, 1)));
    granted(at(50), 2, 5);
    assertViolation("a key that was parked was granted to a newcomer");
  }

  @Test
  void a_duplicate_of_what_nobody_completed_is_a_violation() {
    granted(at(0), 1, 5);
    done(at(1));
    assertViolation("nobody has done that");
  }

  @Test
  void a_duplicate_before_its_completion_is_a_violation() {
    granted(at(0), 1, 5);
    done(at(1));
    completed(at(2), 1, 10, Held.HELD);
    assertViolation("nobody has done that");
  }

  @Test
  void a_duplicate_of_a_completion_that_was_lost_to_a_zombie_is_a_violation() {
    granted(at(0), 1, 5);
    completed(at(1), 1, 10, Held.LOST);
    done(at(2));
    assertViolation("nobody has done that");
  }

  @Test
  void a_duplicate_after_the_retention_is_a_violation() {
    granted(at(0), 1, 5);
    completed(at(1), 1, 10, Held.HELD);
    done(at(12));
    assertViolation("nobody has done that, or its retention is over");
  }

  @Test
  void a_duplicate_of_a_completion_whose_answer_got_lost_is_fine() {
    granted(at(0), 1, 5);
    completed(at(1), 1, 10, null);
    done(at(2));
    assertFine();
  }

  @Test
  void a_failure_that_nobody_reported_is_a_violation() {
    granted(at(0), 1, 5);
    completed(at(1), 1, 10, Held.HELD);
    history.add(new Asked(at(2), request(1), new Answer.Failed("no reason", Duration.ZERO)));
    assertViolation("nobody has done that");
  }

  @Test
  void keys_and_scopes_are_apart() {
    granted(at(0), 1, 5);
    for (ClaimRequest other :
        new ClaimRequest[] {
          ClaimRequest.of(SCOPE, Key.of("other"), 1, seconds(5), Lapse.TAKE),
          ClaimRequest.of(Scope.of("other"), KEY, 2, seconds(5), Lapse.TAKE)
        }) {
      Claim claim = new Claim(other.scope(), other.key(), 1, 1);
      history.add(new Asked(at(1), other, new Answer.Claimed(claim, seconds(5), null)));
    }
    assertFine();
  }
}
