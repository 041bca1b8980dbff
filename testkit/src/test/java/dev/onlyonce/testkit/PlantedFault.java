package dev.onlyonce.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;

/**
 * A store that is broken on purpose, in one way that some real system was.
 *
 * @param name what is wrong
 * @param store opens such a store
 * @param redTests names of contract tests that must notice
 */
record PlantedFault(
    String name, BiFunction<Time, StoreSettings, ModelStore> store, List<String> redTests) {

  /** Between looking and writing: long enough for others, also on a machine that is busy. */
  private static final long GAP_NANOS = 100_000;

  static List<PlantedFault> all() {
    return List.of(
        new PlantedFault(
            "no token check on settle",
            NoTokenCheckOnSettle::new,
            List.of(
                "a_holder_that_was_overtaken_changes_nothing_any_more",
                "a_claim_is_refused_before_the_lease_is_over_and_granted_after_it",
                "a_late_unlock_frees_nothing_of_the_next_holder",
                "whatever_threads_do_at_once_the_history_is_one_that_the_rules_allow")),
        new PlantedFault(
            "no token check on renew",
            NoTokenCheckOnRenew::new,
            List.of(
                "a_holder_that_was_overtaken_changes_nothing_any_more",
                "a_claim_with_another_token_scope_or_key_settles_nothing",
                "whatever_threads_do_at_once_the_history_is_one_that_the_rules_allow")),
        new PlantedFault(
            "check then act",
            CheckThenAct::new,
            List.of(
                "of_threads_that_claim_one_key_together_one_wins",
                "a_thousand_keys_given_to_every_thread_are_handled_a_thousand_times")),
        new PlantedFault(
            "settle looks and then writes",
            SettleThenAct::new,
            List.of(
                "of_settlements_that_race_one_counts",
                "of_a_late_completion_and_a_take_over_that_race_one_counts")),
        new PlantedFault(
            "lease is the retention",
            LeaseIsRetention::new,
            List.of("a_claim_whose_holder_died_is_free_after_the_lease_not_after_the_retention")),
        new PlantedFault(
            "copy in a batch is done before the first",
            CopyIsDone::new,
            List.of(
                "copies_inside_one_batch_follow_the_first",
                "a_copy_does_not_complete_what_the_first_only_claimed",
                "whatever_threads_do_at_once_the_history_is_one_that_the_rules_allow")),
        new PlantedFault(
            "lease over one moment late",
            LateLease::new,
            List.of(
                "a_lease_is_over_at_its_last_moment_exactly",
                "a_renewal_with_lease_zero_gives_the_claim_up_at_once")),
        new PlantedFault(
            "retention over one moment late",
            LateRetention::new,
            List.of("a_retention_is_over_at_its_last_moment_exactly")),
        new PlantedFault(
            "token used again after a purge",
            NoFloor::new,
            List.of("the_token_grows_through_a_purge_even_when_it_was_ahead_of_the_clock")),
        new PlantedFault(
            "release deletes the record",
            ReleaseDeletes::new,
            List.of(
                "a_release_keeps_the_count_and_the_next_claim_is_the_next_attempt",
                "a_key_that_was_released_for_later_is_deferred_until_it_is_due")),
        new PlantedFault(
            "newcomer decides about the lapse",
            NewcomersLapse::new,
            List.of(
                "what_becomes_of_a_lapsed_claim_is_for_its_claimer_to_say",
                "a_parked_claim_whose_lease_is_over_is_in_doubt_and_stays_so")),
        new PlantedFault(
            "long keys are cut",
            CutKeys::new,
            List.of("the_longest_keys_count_to_their_last_byte")),
        new PlantedFault(
            "letter case is folded",
            FoldedCase::new,
            List.of("keys_that_differ_in_letter_case_are_different")),
        new PlantedFault(
            "blanks at the end are padding",
            PaddedKeys::new,
            List.of("keys_that_differ_in_blanks_at_an_end_are_different")),
        new PlantedFault(
            "scope is ignored",
            NoScope::new,
            List.of(
                "two_consumers_of_one_event_both_handle_it",
                "the_same_key_in_two_scopes_is_two_keys")),
        new PlantedFault(
            "purge takes lapsed claims",
            PurgeTakesClaims::new,
            List.of(
                "purging_never_forgets_a_claim_however_old",
                "whatever_threads_do_at_once_the_history_is_one_that_the_rules_allow")),
        new PlantedFault(
            "purge has no grace",
            NoGrace::new,
            List.of(
                "purging_waits_for_the_grace_after_the_expiry",
                "the_grace_is_over_at_its_last_moment_exactly")),
        new PlantedFault(
            "request id is ignored",
            NoRequestId::new,
            List.of(
                "a_claim_asked_for_again_with_its_request_id_is_the_same_claim",
                "who_completed_at_once_and_asks_again_is_told_the_same")),
        new PlantedFault(
            "release always counts",
            NoRefund::new,
            List.of("a_graceful_release_refunds_the_attempt")),
        new PlantedFault(
            "last completion wins",
            LastCompletionWins::new,
            List.of("completing_again_with_another_result_keeps_the_first")),
        new PlantedFault(
            "late completion is refused",
            LateIsLost::new,
            List.of("who_is_late_and_was_not_overtaken_still_settles")),
        new PlantedFault(
            "payload is not compared while running",
            MismatchOnlyWhenDone::new,
            List.of("another_payload_is_a_mismatch_in_every_state_and_changes_nothing")),
        new PlantedFault(
            "failed keys run again",
            FailedRunsAgain::new,
            List.of(
                "a_key_that_failed_is_not_claimed_again",
                "whatever_threads_do_at_once_the_history_is_one_that_the_rules_allow")),
        new PlantedFault(
            "token stays when opened",
            ExpectWithoutNewToken::new,
            List.of(
                "a_forced_completion_fences_whoever_is_still_at_work",
                "of_operators_that_open_one_record_together_one_wins")));
  }

  ModelStore open(Time time, StoreSettings settings) {
    return store.apply(time, settings);
  }

  @Override
  public String toString() {
    return name;
  }

  /** Settles whatever is there. */
  private static final class NoTokenCheckOnSettle extends ModelStore {
    NoTokenCheckOnSettle(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Held settle(Settlement settlement) {
      ClaimRecord found = find(settlement.claim().scope(), settlement.claim().key());
      return super.settle(found == null ? settlement : withToken(settlement, found.token()));
    }
  }

  /** Renews whatever is there. */
  private static final class NoTokenCheckOnRenew extends ModelStore {
    NoTokenCheckOnRenew(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Held renew(Renewal renewal) {
      ClaimRecord found = find(renewal.claim().scope(), renewal.claim().key());
      if (found == null) {
        return Held.LOST;
      }
      var claim = new Claim(found.scope(), renewal.claim().key(), found.token(), found.attempt());
      return super.renew(new Renewal(claim, renewal.lease(), renewal.checkpoint()));
    }
  }

  /** Looks, and then writes: not in one step. */
  private static final class CheckThenAct extends ModelStore {
    CheckThenAct(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    public List<Answer> claim(List<ClaimRequest> batch) {
      List<Answer> answers = new ArrayList<>();
      for (ClaimRequest request : batch) {
        checkOpen();
        ClaimRecord found = find(request.scope(), request.key());
        LockSupport.parkNanos(GAP_NANOS);
        var decision = machine().claim(found, request, nowMicros(), floor());
        if (decision.write() != null) {
          put(decision.write());
        }
        answers.add(decision.answer());
      }
      return answers;
    }
  }

  /** Looks whether the claim is held, and then writes: not in one step. */
  private static final class SettleThenAct extends ModelStore {
    SettleThenAct(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    public List<Held> settle(List<? extends Settlement> batch) {
      List<Held> answers = new ArrayList<>();
      for (Settlement settlement : batch) {
        checkOpen();
        ClaimRecord found = find(settlement.claim().scope(), settlement.claim().key());
        LockSupport.parkNanos(GAP_NANOS);
        var decision = machine().settle(found, settlement, nowMicros());
        if (decision.write() != null) {
          put(decision.write());
        }
        answers.add(decision.answer());
      }
      return answers;
    }
  }

  /** Has one duration for both, as a key with a time to live has. */
  private static final class LeaseIsRetention extends ModelStore {
    LeaseIsRetention(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Answer claim(ClaimRequest request) {
      return super.claim(
          new ClaimRequest(
              request.scope(),
              request.key(),
              request.requestId(),
              request.fingerprint(),
              request.retention(),
              request.retention(),
              request.lapse(),
              request.settleNow(),
              request.expectToken()));
    }
  }

  /** Takes a second copy in one batch for handled since the first is being handled. */
  private static final class CopyIsDone extends ModelStore {
    CopyIsDone(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    public List<Answer> claim(List<ClaimRequest> batch) {
      List<Answer> answers = new ArrayList<>(super.claim(batch));
      for (int i = 0; i < batch.size(); i++) {
        for (int j = 0; j < i; j++) {
          if (batch.get(i).key().equals(batch.get(j).key())
              && answers.get(i) instanceof Answer.InProgress) {
            answers.set(i, new Answer.Done(Result.NONE, Duration.ZERO, false));
          }
        }
      }
      return answers;
    }
  }

  /** Takes over when now &gt; leaseUntil, not when it is equal. */
  private static final class LateLease extends ModelStore {
    LateLease(Time time, StoreSettings settings) {
      super(time, settings.withClockTolerance(settings.clockTolerance().plusMillis(1)));
    }
  }

  /** A record is expired when now &gt; expiresAt, not when it is equal. */
  private static final class LateRetention extends ModelStore {
    LateRetention(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Held settle(Settlement settlement) {
      if (settlement instanceof Settlement.Complete complete
          && complete.retention().compareTo(Duration.ofDays(1_000)) < 0) {
        return super.settle(
            new Settlement.Complete(
                complete.claim(), complete.result(), complete.retention().plusMillis(1)));
      }
      return super.settle(settlement);
    }
  }

  /** Knows no floor: after a purge only time makes tokens grow. */
  private static final class NoFloor extends ModelStore {
    NoFloor(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Answer claim(ClaimRequest request) {
      var decision = machine().claim(find(request.scope(), request.key()), request, nowMicros(), 0);
      if (decision.write() != null) {
        put(decision.write());
      }
      return decision.answer();
    }
  }

  /** Deletes the record on release, as a lock would. */
  private static final class ReleaseDeletes extends ModelStore {
    ReleaseDeletes(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Held settle(Settlement settlement) {
      Held held = super.settle(settlement);
      if (held == Held.HELD && settlement instanceof Settlement.Release) {
        remove(settlement.claim().scope(), settlement.claim().key());
      }
      return held;
    }
  }

  /** Asks the newcomer whether the lapsed claim may be taken over. */
  private static final class NewcomersLapse extends ModelStore {
    NewcomersLapse(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Answer claim(ClaimRequest request) {
      Answer answer = super.claim(request);
      if (answer instanceof Answer.InDoubt doubt && request.lapse() == Lapse.TAKE) {
        return super.claim(request.expecting(doubt.token()));
      }
      return answer;
    }
  }

  /** Cuts keys to 255 bytes, as INSERT IGNORE does. */
  private static final class CutKeys extends ModelStore {
    CutKeys(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Object name(Scope scope, Key key) {
      byte[] bytes = key.toBytes();
      return super.name(scope, Key.fromStored(Arrays.copyOf(bytes, Math.min(255, bytes.length))));
    }
  }

  /** Compares keys as a case-insensitive collation does. */
  private static final class FoldedCase extends ModelStore {
    FoldedCase(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Object name(Scope scope, Key key) {
      return List.of(scope, new String(key.toBytes(), UTF_8).toLowerCase(Locale.ROOT));
    }
  }

  /** Compares keys as a collation with padding does. */
  private static final class PaddedKeys extends ModelStore {
    PaddedKeys(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Object name(Scope scope, Key key) {
      String latin = new String(key.toBytes(), ISO_8859_1);
      return List.of(scope, latin.replaceAll(" +$", ""));
    }
  }

  /** Has one inbox for all consumers. */
  private static final class NoScope extends ModelStore {
    NoScope(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Object name(Scope scope, Key key) {
      return key;
    }
  }

  /** Purges by age alone. */
  private static final class PurgeTakesClaims extends ModelStore {
    PurgeTakesClaims(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    boolean mayForget(ClaimRecord each) {
      return super.mayForget(each)
          || (each.state() == ClaimState.CLAIMED && nowMillis() >= each.leaseUntilMillis());
    }
  }

  /** Purges what has just expired. */
  private static final class NoGrace extends ModelStore {
    NoGrace(Time time, StoreSettings settings) {
      super(time, settings.withPurgeGrace(Duration.ZERO));
    }
  }

  /** Does not know a request again. */
  private static final class NoRequestId extends ModelStore {
    NoRequestId(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Answer claim(ClaimRequest request) {
      return super.claim(Lab.byAnother(request));
    }
  }

  /** Counts every attempt, those given back unused too. */
  private static final class NoRefund extends ModelStore {
    NoRefund(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Held settle(Settlement settlement) {
      if (settlement instanceof Settlement.Release release
          && release.attempts() == Settlement.Attempts.REFUND) {
        return super.settle(
            new Settlement.Release(
                release.claim(), release.after(), Settlement.Attempts.KEEP, release.retention()));
      }
      return super.settle(settlement);
    }
  }

  /** Writes the result of each completion over the one before. */
  private static final class LastCompletionWins extends ModelStore {
    LastCompletionWins(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Held settle(Settlement settlement) {
      Held held = super.settle(settlement);
      if (held == Held.ALREADY && settlement instanceof Settlement.Complete complete) {
        ClaimRecord found =
            Objects.requireNonNull(find(settlement.claim().scope(), settlement.claim().key()));
        put(
            new ClaimRecord(
                found.scope(),
                found.key(),
                found.state(),
                found.token(),
                found.requestId(),
                found.attempt(),
                found.leaseUntilMillis(),
                found.notBeforeMillis(),
                found.expiresAtMillis(),
                found.lapse(),
                found.fingerprint(),
                complete.result(),
                found.checkpoint(),
                found.owner(),
                found.createdAtMillis(),
                found.updatedAtMillis()));
      }
      return held;
    }
  }

  /** Refuses a completion after the lease although nobody has taken over. */
  private static final class LateIsLost extends ModelStore {
    LateIsLost(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Held settle(Settlement settlement) {
      ClaimRecord found = find(settlement.claim().scope(), settlement.claim().key());
      boolean late =
          found != null
              && found.state() == ClaimState.CLAIMED
              && nowMillis() >= found.leaseUntilMillis();
      return late ? Held.LOST : super.settle(settlement);
    }
  }

  /** Compares payloads only with what is done. */
  private static final class MismatchOnlyWhenDone extends ModelStore {
    MismatchOnlyWhenDone(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Answer claim(ClaimRequest request) {
      ClaimRecord found = find(request.scope(), request.key());
      boolean done = found != null && found.state() == ClaimState.DONE;
      return super.claim(found == null || done ? request : request.withFingerprint(null));
    }
  }

  /** Takes a failed key for a free one. */
  private static final class FailedRunsAgain extends ModelStore {
    FailedRunsAgain(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Answer claim(ClaimRequest request) {
      ClaimRecord found = find(request.scope(), request.key());
      boolean failed = found != null && found.state() == ClaimState.FAILED;
      return super.claim(failed ? request.expecting(found.token()) : request);
    }
  }

  /** Lets an operator act with the holder's own token, so that the holder is not fenced. */
  private static final class ExpectWithoutNewToken extends ModelStore {
    ExpectWithoutNewToken(Time time, StoreSettings settings) {
      super(time, settings);
    }

    @Override
    Answer claim(ClaimRequest request) {
      ClaimRecord found = find(request.scope(), request.key());
      if (found == null || found.token() != request.expectToken()) {
        return super.claim(request);
      }
      var claim = new Claim(request.scope(), request.key(), found.token(), found.attempt());
      return new Answer.Claimed(claim, request.lease(), found.checkpoint());
    }
  }

  private static Settlement withToken(Settlement settlement, long token) {
    var claim =
        new Claim(
            settlement.claim().scope(),
            settlement.claim().key(),
            token,
            settlement.claim().attempt());
    if (settlement instanceof Settlement.Complete it) {
      return new Settlement.Complete(claim, it.result(), it.retention());
    }
    if (settlement instanceof Settlement.Fail it) {
      return new Settlement.Fail(claim, it.reason(), it.retention());
    }
    Settlement.Release it = (Settlement.Release) settlement;
    return new Settlement.Release(claim, it.after(), it.attempts(), it.retention());
  }
}
