package dev.onlyonce.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.onlyonce.Backoff;
import dev.onlyonce.Claim;
import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInProgress;
import dev.onlyonce.Outcome;
import dev.onlyonce.Resolver;
import dev.onlyonce.Result;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the steps of a flow say in detail; which step follows which is in {@link FlowTableTest}. */
class FlowTest {

  private static final Key KEY = Key.of("order-1/paid");
  private static final Claim CLAIM = new Claim(Plans.SCOPE, KEY, 71, 1);
  private final StoreException down =
      new StoreException(StoreException.Kind.UNAVAILABLE, "the wire is cut");

  private final List<Event> events = new ArrayList<>();
  private long now = -5; // before zero and soon past it: only differences count

  private Flow<String> flow(Plans plans) {
    return flow(plans, null);
  }

  private Flow<String> flow(Plans plans, Fingerprint fingerprint) {
    return new Flow<>(plans.plan(), new Events(List.of(events::add)), KEY, fingerprint, 4_711);
  }

  private Flow<String> running(Plans plans) {
    Flow<String> flow = flow(plans);
    flow.start();
    claimed(flow, 1);
    return flow;
  }

  private Step<String> claimed(Flow<String> flow, int attempt) {
    Claim claim = new Claim(Plans.SCOPE, KEY, 71, attempt);
    return flow.answered(new Answer.Claimed(claim, Plans.LEASE, null), now, now);
  }

  private Step<String> answered(Flow<String> flow, Answer answer) {
    return flow.answered(answer, now, now);
  }

  private void pass(Duration duration) {
    now += duration.toNanos();
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Outcome<String>> T ended(Step<String> step, Class<?> kind) {
    assertThat(step).isInstanceOf(Step.End.class);
    Outcome<String> outcome = ((Step.End<String>) step).outcome();
    assertThat(outcome).isInstanceOf(kind);
    return (T) outcome;
  }

  private static Duration waiting(Step<String> step) {
    assertThat(step).isInstanceOf(Step.Wait.class);
    return ((Step.Wait<String>) step).duration();
  }

  private static Settlement settlement(Step<String> step) {
    assertThat(step).isInstanceOf(Step.Settle.class);
    return ((Step.Settle<String>) step).settlement();
  }

  // Asking.

  @Test
  void every_question_of_a_flow_has_the_same_request_id() {
    Flow<String> flow = flow(Plans.standard().resolver(doubt -> new Resolver.Unknown<>()));
    List<Step<String>> questions = new ArrayList<>();
    questions.add(flow.start());
    questions.add(flow.storeFailed(down, now));
    answered(flow, new Answer.InDoubt(70, 1));
    flow.resolved(new Resolver.DidNotHappen<>());
    questions.add(flow.settled(Held.HELD));
    answered(flow, new Answer.Claimed(CLAIM, Duration.ZERO, null));
    questions.add(flow.settled(Held.HELD));
    assertThat(questions)
        .allSatisfy(
            step -> assertThat(((Step.Ask<String>) step).request().requestId()).isEqualTo(4_711));
  }

  @Test
  void the_lease_is_counted_from_before_the_question() {
    Flow<String> flow = flow(Plans.standard());
    flow.start();
    long asked = now;
    pass(Duration.ofSeconds(29));
    Step<String> step =
        flow.answered(new Answer.Claimed(CLAIM, Plans.LEASE, new byte[] {1}), asked, now);
    assertThat(step)
        .asInstanceOf(type(Step.Run.class))
        .satisfies(
            run -> {
              assertThat(run.leased()).isTrue();
              assertThat(run.leaseEndNanos()).isEqualTo(asked + Plans.LEASE.toNanos());
              assertThat(run.checkpoint()).containsExactly(1);
            });
  }

  /**
   * The first answer was lost for longer than a lease. Asked again, the store says that the claim
   * stands and has no time left. It was taken for a claim without a lease: never renewed, and the
   * handler was told for ever that it held it, while another took over.
   *
   * <p>The first remedy was to renew it before the handler runs. The simulator showed that a
   * resolver could have said in the meantime that nothing can happen under this token any more.
   */
  @Test
  void a_claim_whose_lease_is_over_before_the_answer_came_is_given_back_and_asked_for_anew() {
    Flow<String> flow = flow(Plans.standard());
    flow.start();
    flow.storeFailed(down, now);
    Step<String> step = answered(flow, new Answer.Claimed(CLAIM, Duration.ZERO, null));
    assertThat(settlement(step))
        .isEqualTo(
            new Settlement.Release(
                CLAIM, Duration.ZERO, Settlement.Attempts.REFUND, Plans.RETENTION));
    assertThat(flow.settled(Held.HELD)).isInstanceOf(Step.Ask.class);
    assertThat(claimed(flow, 1)).isInstanceOf(Step.Run.class);
  }

  @Test
  void a_store_that_takes_longer_than_a_lease_again_and_again_is_a_fault() {
    Flow<String> flow = flow(Plans.standard());
    Step<String> step = flow.start();
    for (int i = 0; step instanceof Step.Ask; i++) {
      assertThat(i).isLessThan(3);
      long asked = now;
      pass(Plans.LEASE);
      flow.answered(new Answer.Claimed(CLAIM, Plans.LEASE, null), asked, now);
      step = flow.settled(Held.HELD);
    }
    assertThat(((Step.Fault<String>) step).cause())
        .hasMessage("the store takes longer than the lease of PT30S to answer");
  }

  @Test
  void attempts_that_ended_without_an_outcome_are_used_up_too() {
    Flow<String> flow = flow(Plans.standard());
    flow.start();
    Settlement settlement = settlement(claimed(flow, 4));
    assertThat(settlement)
        .asInstanceOf(type(Settlement.Fail.class))
        .satisfies(
            fail ->
                assertThat(fail.reason())
                    .isEqualTo("gave up: 3 attempts have ended without an outcome"));
    Outcome.Failed<String> failed = ended(flow.settled(Held.HELD), Outcome.Failed.class);
    assertThat(failed.cause()).isNull();
    assertThat(events).hasAtLeastOneElementOfType(Event.Failed.class);
  }

  /** It was reported as lost by a handler, which had not run. */
  @Test
  void whoever_is_overtaken_while_giving_up_asks_again() {
    Flow<String> flow = flow(Plans.standard());
    flow.start();
    claimed(flow, 4);
    assertThat(flow.settled(Held.LOST)).isInstanceOf(Step.Ask.class);
    assertThat(claimed(flow, 2)).isInstanceOf(Step.Run.class);
  }

  // Waiting.

  @Test
  void a_wait_grows_and_ends_at_the_bound_by_the_clock() {
    Flow<String> flow =
        flow(Plans.standard().onInProgress(OnInProgress.waitUpTo(Duration.ofSeconds(1))));
    flow.start();
    Answer busy = new Answer.InProgress(Duration.ofSeconds(20));
    List<Long> waits = new ArrayList<>();
    Step<String> step = answered(flow, busy);
    long started = now;
    while (step instanceof Step.Wait<String> wait) {
      waits.add(wait.duration().toMillis());
      pass(wait.duration());
      flow.waited(false);
      pass(Duration.ofMillis(20)); // the store takes its time
      step = answered(flow, busy);
    }
    assertThat(waits).containsExactly(10L, 20L, 40L, 80L, 160L, 250L, 250L, 50L);
    assertThat(Duration.ofNanos(now - started)).isEqualTo(Duration.ofMillis(1_020));
    Outcome.InProgress<String> outcome = ended(step, Outcome.InProgress.class);
    assertThat(outcome.retryAfter()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void a_wait_is_not_longer_than_what_is_left_of_the_lease() {
    Flow<String> flow =
        flow(Plans.standard().onInProgress(OnInProgress.waitUpTo(Duration.ofSeconds(1))));
    flow.start();
    assertThat(waiting(answered(flow, new Answer.InProgress(Duration.ofMillis(3)))))
        .isEqualTo(Duration.ofMillis(3));
  }

  /**
   * A record in a state that only a newer version knows reads as in progress with nothing left. It
   * was asked for every millisecond.
   */
  @Test
  void an_unknown_holder_is_not_asked_for_without_pause() {
    Flow<String> waiting =
        flow(Plans.standard().onInProgress(OnInProgress.waitUpTo(Duration.ofSeconds(1))));
    waiting.start();
    assertThat(waiting(answered(waiting, new Answer.InProgress(Duration.ZERO))))
        .isEqualTo(Duration.ofMillis(10));
    waiting.waited(false);
    assertThat(waiting(answered(waiting, new Answer.InProgress(Duration.ZERO))))
        .isEqualTo(Duration.ofMillis(20));
    Flow<String> leaving = flow(Plans.standard());
    leaving.start();
    Outcome.InProgress<String> outcome =
        ended(answered(leaving, new Answer.InProgress(Duration.ZERO)), Outcome.InProgress.class);
    assertThat(outcome.retryAfter()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void whoever_is_refused_is_not_told_to_come_again() {
    Flow<String> flow = flow(Plans.standard().onInProgress(OnInProgress.reject()));
    flow.start();
    Outcome.InProgress<String> outcome =
        ended(
            answered(flow, new Answer.InProgress(Duration.ofSeconds(9))), Outcome.InProgress.class);
    assertThat(outcome.retryAfter()).isNull();
    assertThat(outcome.leaseLeft()).isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void only_the_last_of_several_answers_to_a_waiter_is_an_event() {
    Flow<String> flow =
        flow(Plans.standard().onInProgress(OnInProgress.waitUpTo(Duration.ofSeconds(1))));
    flow.start();
    answered(flow, new Answer.InProgress(Duration.ofSeconds(9)));
    flow.waited(false);
    answered(flow, new Answer.InProgress(Duration.ofSeconds(8)));
    flow.waited(true);
    assertThat(events)
        .containsExactly(
            new Event.Received(Plans.SCOPE, KEY),
            new Event.InProgress(Plans.SCOPE, KEY, Duration.ofSeconds(8)));
  }

  // In doubt.

  @Test
  void a_resolver_that_knows_of_the_effect_has_the_claim_in_doubt_completed() {
    Flow<String> flow = flow(Plans.standard().resolver(doubt -> new Resolver.Unknown<>()));
    flow.start();
    Step<String> step = answered(flow, new Answer.InDoubt(70, 2));
    assertThat(((Step.Resolve<String>) step).doubt())
        .isEqualTo(new Resolver.Doubt(Plans.SCOPE, KEY, 70, 2));
    assertThat(settlement(flow.resolved(new Resolver.Happened<>("receipt"))))
        .isEqualTo(
            new Settlement.Complete(
                new Claim(Plans.SCOPE, KEY, 70, 2),
                ResultCodec.TEXT.encode("receipt"),
                Plans.RETENTION));
    Outcome.Duplicate<String> duplicate = ended(flow.settled(Held.HELD), Outcome.Duplicate.class);
    assertThat(duplicate.result()).isEqualTo("receipt");
  }

  @Test
  void a_resolver_that_knows_of_no_effect_has_the_claim_in_doubt_released() {
    Flow<String> flow = flow(Plans.standard().resolver(doubt -> new Resolver.Unknown<>()));
    flow.start();
    answered(flow, new Answer.InDoubt(70, 2));
    assertThat(settlement(flow.resolved(new Resolver.DidNotHappen<>())))
        .isEqualTo(
            new Settlement.Release(
                new Claim(Plans.SCOPE, KEY, 70, 2),
                Duration.ZERO,
                Settlement.Attempts.KEEP,
                Plans.RETENTION));
    assertThat(flow.settled(Held.HELD)).isInstanceOf(Step.Ask.class);
    assertThat(claimed(flow, 3)).isInstanceOf(Step.Run.class);
  }

  /**
   * Found by the simulator. While a resolver was asked, the holder, who had only been slow,
   * completed its claim. The verdict then opened the record by its token, whatever its state: a key
   * that was done was completed a second time with another result, and one that had failed ran
   * again.
   */
  @Test
  void a_holder_that_settles_while_the_resolver_is_asked_is_not_overruled() {
    Flow<String> flow = flow(Plans.standard().resolver(doubt -> new Resolver.Unknown<>()));
    flow.start();
    answered(flow, new Answer.InDoubt(70, 2));
    flow.resolved(new Resolver.Happened<>("found"));
    assertThat(flow.settled(Held.ALREADY)).isInstanceOf(Step.Ask.class);
    Answer done = new Answer.Done(ResultCodec.TEXT.encode("its own"), Duration.ZERO, true);
    Outcome.Duplicate<String> duplicate = ended(answered(flow, done), Outcome.Duplicate.class);
    assertThat(duplicate.result()).isEqualTo("its own");
  }

  @Test
  void a_resolver_that_does_not_know_is_asked_again_after_the_backoff() {
    Flow<String> flow = flow(Plans.standard().resolver(doubt -> new Resolver.Unknown<>()));
    flow.start();
    answered(flow, new Answer.InDoubt(70, 2));
    Outcome.InDoubt<String> outcome =
        ended(flow.resolved(new Resolver.Unknown<>()), Outcome.InDoubt.class);
    assertThat(outcome.askAgainAfter()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void a_parked_key_waits_for_an_operator() {
    Flow<String> flow = flow(Plans.standard().parking());
    flow.start();
    Outcome.InDoubt<String> outcome =
        ended(answered(flow, new Answer.InDoubt(70, 2)), Outcome.InDoubt.class);
    assertThat(outcome).isEqualTo(new Outcome.InDoubt<>(70, 2, null, null));
  }

  /** It said "only an operator can decide" whatever the policy was. */
  @Test
  void whoever_has_left_a_key_in_doubt_is_told_when_to_come_again_unless_an_operator_decides() {
    ArithmeticException doubtful = new ArithmeticException("timed out");
    for (Plans plans :
        List.of(Plans.standard(), Plans.standard().resolver(doubt -> new Resolver.Unknown<>()))) {
      Flow<String> flow = running(plans);
      flow.threw(doubtful, false);
      Outcome.InDoubt<String> outcome = ended(flow.settled(Held.HELD), Outcome.InDoubt.class);
      assertThat(outcome).isEqualTo(new Outcome.InDoubt<>(71, 1, Duration.ofSeconds(5), doubtful));
    }
    Flow<String> flow = running(Plans.standard().parking());
    flow.threw(doubtful, false);
    Outcome.InDoubt<String> outcome = ended(flow.settled(Held.HELD), Outcome.InDoubt.class);
    assertThat(outcome).isEqualTo(new Outcome.InDoubt<>(71, 1, null, doubtful));
  }

  // The handler's end.

  @Test
  void a_failure_is_released_with_backoff_until_the_last_attempt_and_then_fails() {
    IllegalStateException failure = new IllegalStateException("card declined");
    Flow<String> first = running(Plans.standard());
    assertThat(settlement(first.threw(failure, false)))
        .isEqualTo(
            new Settlement.Release(
                CLAIM, Duration.ofSeconds(5), Settlement.Attempts.KEEP, Plans.RETENTION));
    Outcome.Released<String> released = ended(first.settled(Held.HELD), Outcome.Released.class);
    assertThat(released).isEqualTo(new Outcome.Released<>(failure, 1, Duration.ofSeconds(5)));
    Flow<String> last = flow(Plans.standard());
    last.start();
    claimed(last, 3);
    assertThat(settlement(last.threw(failure, false)))
        .asInstanceOf(type(Settlement.Fail.class))
        .satisfies(
            fail ->
                assertThat(fail.reason())
                    .isEqualTo("java.lang.IllegalStateException: card declined"));
  }

  /** A time-out at shutdown was released and refunded, and the effect ran a second time. */
  @Test
  void what_a_handler_says_of_its_effect_counts_also_when_the_engine_shuts_down() {
    Step<String> doubtful = running(Plans.standard()).threw(new ArithmeticException(), true);
    assertThat(((Step.GiveUp<String>) doubtful).renewal().lease()).isZero();
    Step<String> cutShort = running(Plans.standard()).threw(new InterruptedException(), true);
    assertThat(settlement(cutShort))
        .isEqualTo(
            new Settlement.Release(
                CLAIM, Duration.ZERO, Settlement.Attempts.REFUND, Plans.RETENTION));
  }

  /** A handler that was interrupted in the middle of a charge had its key released, and charged. */
  @Test
  void a_handler_that_is_cut_short_is_in_doubt_unless_doubtful_keys_are_run_again() {
    Step<String> parked =
        running(Plans.standard().parking()).threw(new InterruptedException(), true);
    assertThat(((Step.GiveUp<String>) parked).renewal().lease()).isZero();
    Step<String> rerun = running(Plans.standard()).threw(new InterruptedException(), true);
    assertThat(settlement(rerun)).isInstanceOf(Settlement.Release.class);
  }

  @Test
  void a_failure_is_an_event_in_every_mode() {
    running(Plans.standard().mode(DeliveryMode.AT_MOST_ONCE))
        .threw(new IllegalStateException("no"), false);
    Flow<String> unprotected = flow(Plans.standard().mode(DeliveryMode.AT_LEAST_ONCE));
    unprotected.start();
    unprotected.threw(new IllegalStateException("no"), false);
    assertThat(events)
        .hasAtLeastOneElementOfType(Event.Failed.class)
        .hasAtLeastOneElementOfType(Event.Released.class);
  }

  @Test
  void null_no_result_and_too_large_a_result_are_told_apart() {
    assertThat(completion(Plans.standard(), "receipt"))
        .isEqualTo(ResultCodec.TEXT.encode("receipt"));
    assertThat(completion(Plans.standard(), null)).isEqualTo(Result.NONE);
    assertThat(events).doesNotHaveAnyElementsOfTypes(Event.ResultNotKept.class);
    assertThat(completion(Plans.standard(), "x".repeat(Plans.RESULT_LIMIT)))
        .isInstanceOf(Result.Value.class);
    assertThat(completion(Plans.standard(), "x".repeat(Plans.RESULT_LIMIT + 1)))
        .isEqualTo(Result.NOT_KEPT);
    assertThat(events)
        .contains(new Event.ResultNotKept(CLAIM, "the result has 101 bytes, the limit is 100"));
  }

  /** A stack overflow in the encoder left a key in doubt whose effect had happened. */
  @Test
  void a_result_that_cannot_be_encoded_does_not_keep_the_key_from_being_completed() {
    for (Throwable problem : List.of(new IllegalStateException(), new StackOverflowError())) {
      ResultCodec<String> broken =
          new ResultCodec<>() {
            @Override
            public Result.Value encode(String result) {
              throw FlowTest.<RuntimeException>sneaky(problem);
            }

            @Override
            public String decode(Result.Value stored) {
              throw new AssertionError();
            }
          };
      assertThat(completion(Plans.standard().codec(broken), "receipt")).isEqualTo(Result.NOT_KEPT);
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T sneaky(Throwable thrown) throws T {
    throw (T) thrown;
  }

  private Result completion(Plans plans, String result) {
    return ((Settlement.Complete) settlement(running(plans).returned(result))).result();
  }

  @Test
  void a_fingerprint_that_had_nothing_to_be_compared_with_is_counted() {
    Flow<String> flow = flow(Plans.standard(), Fingerprint.sha256(new byte[1]));
    flow.start();
    answered(flow, new Answer.Done(Result.NONE, Duration.ZERO, false));
    assertThat(events).contains(new Event.NotCompared(Plans.SCOPE, KEY));
    events.clear();
    flow = flow(Plans.standard());
    flow.start();
    answered(flow, new Answer.Done(Result.NONE, Duration.ZERO, false));
    assertThat(events).doesNotHaveAnyElementsOfTypes(Event.NotCompared.class);
  }

  // Settling while the store is away.

  @Test
  void settling_is_tried_for_a_lease_and_then_the_fault_says_what_happened() {
    Flow<String> flow = running(Plans.standard());
    flow.returned("receipt");
    Result receipt = ResultCodec.TEXT.encode("receipt");
    long started = now;
    Step<String> step = flow.storeFailed(down, now);
    int tries = 1;
    while (step instanceof Step.Wait<String> wait) {
      assertThat(wait.duration()).isBetween(Duration.ofMillis(10), Duration.ofMillis(250));
      pass(wait.duration());
      assertThat(settlement(flow.waited(false)))
          .isEqualTo(new Settlement.Complete(CLAIM, receipt, Plans.RETENTION));
      pass(Duration.ofMillis(50));
      step = flow.storeFailed(down, now);
      tries++;
    }
    assertThat(tries).isBetween(100, 120);
    assertThat(Duration.ofNanos(now - started)).isBetween(Plans.LEASE, Plans.LEASE.plusMillis(300));
    StoreException fault = ((Step.Fault<String>) step).cause();
    assertThat(fault)
        .hasMessage(
            "the handler of key order-1/paid has run, but that could not be recorded and the claim"
                + " is left to its lease: the wire is cut")
        .hasCause(down);
  }

  /** Only the pauses were counted: with a time-out of 30 s a call, it went on for an hour. */
  @Test
  void a_store_that_takes_its_time_to_fail_is_not_tried_for_longer() {
    Flow<String> flow = running(Plans.standard());
    flow.returned("receipt");
    flow.storeFailed(down, now);
    pass(Duration.ofMillis(10));
    flow.waited(false);
    pass(Duration.ofSeconds(31));
    assertThat(flow.storeFailed(down, now)).isInstanceOf(Step.Fault.class);
  }

  /** It was tried for ever or not at all, and the effect was repeated. */
  @Test
  void a_key_whose_result_the_store_refuses_is_done_without_it() {
    for (StoreException.Kind kind :
        List.of(StoreException.Kind.REJECTED, StoreException.Kind.FULL)) {
      events.clear();
      Flow<String> flow = running(Plans.standard());
      flow.returned("receipt");
      Step<String> step = flow.storeFailed(new StoreException(kind, "larger than a packet"), now);
      assertThat(completed(step)).isEqualTo(Result.NOT_KEPT);
      assertThat(events).doesNotHaveAnyElementsOfTypes(Event.ResultNotKept.class);
      assertThat(flow.settled(Held.HELD))
          .isEqualTo(new Step.End<>(new Outcome.Processed<>("receipt", CLAIM)));
      assertThat(events)
          .contains(
              new Event.ResultNotKept(
                  CLAIM, "the store did not take the result of 7 bytes: larger than a packet"));
    }
  }

  @Test
  void a_result_that_was_kept_before_its_answer_was_lost_is_not_told_as_left_out() {
    Flow<String> flow = running(Plans.standard());
    flow.returned("receipt");
    flow.storeFailed(new StoreException(StoreException.Kind.FULL, "no room"), now);
    flow.settled(Held.ALREADY);
    assertThat(events).doesNotHaveAnyElementsOfTypes(Event.ResultNotKept.class);
  }

  @Test
  void what_a_resolver_knows_is_recorded_without_a_result_that_the_store_refuses() {
    Flow<String> flow = flow(Plans.standard().resolver(doubt -> new Resolver.Unknown<>()));
    flow.start();
    answered(flow, new Answer.InDoubt(7, 1));
    flow.resolved(new Resolver.Happened<>("receipt"));
    Step<String> step =
        flow.storeFailed(new StoreException(StoreException.Kind.REJECTED, "too large"), now);
    assertThat(completed(step)).isEqualTo(Result.NOT_KEPT);
    assertThat(flow.settled(Held.HELD)).isInstanceOf(Step.End.class);
    assertThat(events).hasAtLeastOneElementOfType(Event.ResultNotKept.class);
  }

  private Result completed(Step<String> step) {
    return ((Settlement.Complete) settlement(step)).result();
  }

  @Test
  void a_fault_after_a_failure_carries_what_the_handler_threw() {
    IllegalStateException failure = new IllegalStateException("card declined");
    Flow<String> flow = running(Plans.standard());
    flow.threw(failure, false);
    Step<String> step =
        flow.storeFailed(new StoreException(StoreException.Kind.REJECTED, "too long"), now);
    assertThat(step)
        .asInstanceOf(type(Step.Fault.class))
        .satisfies(
            fault -> {
              assertThat(fault.thrown()).isSameAs(failure);
              assertThat(fault.cause()).hasMessageContaining("has failed, but that could not");
            });
  }

  @Test
  void a_backoff_longer_than_can_be_counted_does_no_harm() {
    OnFailure endless =
        OnFailure.defaults().backoff(Backoff.fixed(Duration.ofSeconds(Long.MAX_VALUE)));
    Plans standard = Plans.standard();
    Plans plans =
        new Plans(
            standard.mode(),
            standard.lapse(),
            null,
            OnInProgress.waitUpTo(Duration.ofSeconds(Long.MAX_VALUE)),
            endless,
            false,
            ResultCodec.TEXT);
    Flow<String> flow = flow(plans);
    flow.start();
    assertThat(waiting(answered(flow, new Answer.Deferred(Duration.ofSeconds(Long.MAX_VALUE)))))
        .isEqualTo(Duration.ofMillis(10));
    flow.waited(false);
    claimed(flow, 1);
    settlement(flow.threw(new IllegalStateException(), false));
  }
}
