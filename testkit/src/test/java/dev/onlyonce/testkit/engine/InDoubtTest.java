package dev.onlyonce.testkit.engine;

import static dev.onlyonce.testkit.engine.Bench.BACKOFF;
import static dev.onlyonce.testkit.engine.Bench.KEY;
import static dev.onlyonce.testkit.engine.Bench.SCOPE;
import static dev.onlyonce.testkit.engine.Bench.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.DeliveryMode;
import dev.onlyonce.NotProcessedException;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.Resolver;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Event.Resolved.Verdict;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.FaultyStore.Moment;
import dev.onlyonce.testkit.FaultyStore.Verb;
import dev.onlyonce.testkit.Semantics;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is done with a key whose holder vanished. */
class InDoubtTest {

  private final Bench bench = Bench.withManualTime();
  private final AtomicInteger runs = new AtomicInteger();
  private final AtomicInteger questions = new AtomicInteger();

  @AfterEach
  void close() {
    bench.close();
  }

  private OnlyOnce<String> resolving(Resolver<String> resolver) {
    return bench
        .engine()
        .onInDoubt(
            doubt -> {
              questions.incrementAndGet();
              return resolver.resolve(doubt);
            })
        .build();
  }

  private Outcome<String> take(Way way, OnlyOnce<String> once) {
    return way.take(once, KEY, attempt -> "run " + runs.incrementAndGet());
  }

  @Test
  @Semantics(9)
  void a_choice_is_required_and_there_is_no_default() {
    assertThatThrownBy(() -> OnlyOnce.builder(bench.store).scope("billing").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "onInDoubt must be chosen, there is no default: OnInDoubt.RERUN, OnInDoubt.PARK or a"
                + " Resolver");
    for (DeliveryMode mode :
        new DeliveryMode[] {DeliveryMode.AT_MOST_ONCE, DeliveryMode.AT_LEAST_ONCE}) {
      OnlyOnce.builder(bench.store).scope("billing").mode(mode).build();
    }
  }

  /** The resolver was forgotten, and every key in doubt parked without a word. */
  @Test
  void results_of_another_type_need_another_resolver() {
    assertThatThrownBy(
            () ->
                OnlyOnce.builder(bench.store)
                    .scope("billing")
                    .onInDoubt(doubt -> new Resolver.Unknown<>())
                    .results(ResultCodec.TEXT)
                    .build())
        .hasMessageStartingWith("onInDoubt must be chosen");
  }

  @Way.Each
  @Semantics({8, 9})
  void a_rerun_has_a_larger_token_and_the_next_attempt(Way way) {
    Claim vanished = bench.claimedByAnother(Lapse.TAKE);
    OnlyOnce<String> once = bench.engine().onInDoubt(OnInDoubt.RERUN).build();
    as(Outcome.InProgress.class, take(way, once));
    bench.lapse();
    Outcome.Processed<?> outcome = as(Outcome.Processed.class, take(way, once));
    assertThat(outcome.claim().attempt()).isEqualTo(2);
    assertThat(outcome.claim().token()).isGreaterThan(vanished.token());
  }

  /** Lease and retention are two things: a crash blocks the key for the lease, not for a day. */
  @Way.Each
  @Case(11)
  @Semantics(8)
  void a_crash_blocks_the_key_for_the_lease_and_not_for_the_retention(Way way) {
    OnlyOnce<String> once =
        bench.engine().lease(Duration.ofSeconds(2)).retention(Duration.ofHours(24)).build();
    bench.memory.claim(List.of(ClaimRequest.of(SCOPE, KEY, 1, Duration.ofSeconds(2), Lapse.TAKE)));
    bench.time.advance(Duration.ofSeconds(1));
    as(Outcome.InProgress.class, take(way, once));
    bench.time.advance(Duration.ofSeconds(2));
    as(Outcome.Processed.class, take(way, once));
    assertThat(runs).hasValue(1);
  }

  @Way.Each
  @Semantics(9)
  void a_parked_key_waits_for_an_operator(Way way) {
    Claim vanished = bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once = bench.engine().onInDoubt(OnInDoubt.PARK).build();
    for (int i = 0; i < 2; i++) {
      assertThat(take(way, once)).isEqualTo(new Outcome.InDoubt<>(vanished.token(), 1, null, null));
    }
    assertThat(runs).hasValue(0);
    assertThat(bench.events)
        .containsOnly(
            new Event.Received(SCOPE, KEY), new Event.InDoubt(SCOPE, KEY, vanished.token(), 1));
    assertThatThrownBy(() -> once.process(KEY, attempt -> "never"))
        .isInstanceOf(NotProcessedException.class)
        .hasMessage(
            "key order-4711/paid is in doubt since attempt 1 (token "
                + vanished.token()
                + ") did not end; a resolver or an operator must decide");
  }

  @Way.Each
  @Semantics(97)
  void another_consumers_policy_does_not_run_what_was_to_be_parked(Way way) {
    bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    as(Outcome.InDoubt.class, take(way, bench.engine().onInDoubt(OnInDoubt.RERUN).build()));
    assertThat(runs).hasValue(0);
  }

  @Way.Each
  @Semantics(97)
  void another_consumers_policy_does_not_park_what_was_to_be_run_again(Way way) {
    bench.claimedByAnother(Lapse.TAKE);
    bench.lapse();
    as(Outcome.Processed.class, take(way, bench.engine().onInDoubt(OnInDoubt.PARK).build()));
  }

  @Way.Each
  @Semantics(9)
  void a_resolver_that_knows_of_the_effect_completes_the_key_with_its_result(Way way) {
    Claim vanished = bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once =
        resolving(
            doubt -> {
              assertThat(doubt).isEqualTo(new Resolver.Doubt(SCOPE, KEY, vanished.token(), 1));
              return new Resolver.Happened<>("found");
            });
    assertThat(as(Outcome.Duplicate.class, take(way, once)).result()).isEqualTo("found");
    assertThat(as(Outcome.Duplicate.class, take(way, once)).result()).isEqualTo("found");
    assertThat(runs).hasValue(0);
    assertThat(questions).hasValue(1);
    assertThat(bench.events(Event.Resolved.class))
        .containsExactly(new Event.Resolved(SCOPE, KEY, vanished.token(), Verdict.HAPPENED));
  }

  @Way.Each
  @Semantics(9)
  void a_resolver_that_knows_of_no_effect_lets_the_handler_run(Way way) {
    Claim vanished = bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once = resolving(doubt -> new Resolver.DidNotHappen<>());
    Outcome.Processed<?> outcome = as(Outcome.Processed.class, take(way, once));
    assertThat(outcome.claim().attempt()).isEqualTo(2);
    assertThat(outcome.claim().token()).isGreaterThan(vanished.token());
    assertThat(runs).hasValue(1);
  }

  @Way.Each
  @Semantics(9)
  void a_resolver_that_does_not_know_or_throws_leaves_the_key_in_doubt(Way way) {
    bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> unknowing = resolving(doubt -> new Resolver.Unknown<>());
    OnlyOnce<String> throwing =
        resolving(
            doubt -> {
              throw new IOException("the bank does not answer");
            });
    for (OnlyOnce<String> once : List.of(unknowing, throwing)) {
      Outcome.InDoubt<?> outcome = as(Outcome.InDoubt.class, take(way, once));
      assertThat(outcome.askAgainAfter()).isEqualTo(BACKOFF);
    }
    assertThat(runs).hasValue(0);
    assertThat(questions).hasValue(2);
    OnlyOnce<String> knowing = resolving(doubt -> new Resolver.DidNotHappen<>());
    as(Outcome.Processed.class, take(way, knowing));
  }

  /** The simulator found the engine completing it again, with the resolver's result. */
  @Way.Each
  @Semantics({9, 16})
  void a_slow_holder_that_completes_while_the_resolver_is_asked_is_not_overruled(Way way) {
    Claim slow = bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once =
        resolving(
            doubt -> {
              bench.settle(
                  new Settlement.Complete(
                      slow, ResultCodec.TEXT.encode("its own"), Duration.ofDays(1)));
              return new Resolver.Happened<>("found");
            });
    assertThat(as(Outcome.Duplicate.class, take(way, once)).result()).isEqualTo("its own");
  }

  /** The engine ran it again, though it was final. */
  @Way.Each
  @Semantics({7, 9})
  void a_slow_holder_that_fails_for_good_while_the_resolver_is_asked_is_not_overruled(Way way) {
    Claim slow = bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once =
        resolving(
            doubt -> {
              bench.settle(new Settlement.Fail(slow, "never", Duration.ofDays(1)));
              return new Resolver.DidNotHappen<>();
            });
    assertThat(as(Outcome.Failed.class, take(way, once)).reason()).isEqualTo("never");
    assertThat(runs).hasValue(0);
  }

  @Way.Each
  @Semantics(9)
  void when_another_resolver_was_faster_there_is_one_run(Way way) {
    Claim vanished = bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once =
        resolving(
            doubt -> {
              bench.settle(
                  new Settlement.Release(
                      vanished, Duration.ZERO, Attempts.KEEP, Duration.ofDays(1)));
              bench.claimedByAnother(Lapse.PARK);
              return new Resolver.DidNotHappen<>();
            });
    as(Outcome.InProgress.class, take(way, once));
    assertThat(runs).hasValue(0);
  }

  @Way.Each
  @Semantics({9, 70})
  void a_decision_is_made_although_its_answer_got_lost(Way way) {
    bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once = resolving(doubt -> new Resolver.Happened<>("found"));
    bench.store.fail(Verb.SETTLE, Moment.AFTER, 1);
    assertThat(as(Outcome.Duplicate.class, take(way, once)).result()).isEqualTo("found");
  }

  /** Failing open ran the handler although the resolver had just said that the effect happened. */
  @Way.Each
  @Semantics({9, 69})
  void what_has_happened_is_not_run_again_when_that_cannot_be_recorded(Way way) {
    bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once =
        bench
            .engine()
            .failOpen()
            .onInDoubt(
                doubt -> {
                  bench.store.failAlways(Moment.BEFORE, Verb.SETTLE);
                  return new Resolver.Happened<>("found");
                })
            .build();
    assertThat(as(Outcome.Duplicate.class, take(way, once)).result()).isEqualTo("found");
    assertThat(runs).hasValue(0);
  }

  /** A second resolver, or an operator, has let the key go in the meantime, by mistake. */
  @Way.Each
  @Semantics(9)
  void what_has_happened_is_not_run_again_when_another_has_let_it_go(Way way) {
    Claim vanished = bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once =
        resolving(
            doubt -> {
              bench.settle(
                  new Settlement.Release(
                      vanished, Duration.ZERO, Attempts.KEEP, Duration.ofDays(1)));
              return new Resolver.Happened<>("found");
            });
    assertThat(as(Outcome.Duplicate.class, take(way, once)).result()).isEqualTo("found");
    assertThat(bench.state()).isEqualTo(ClaimState.DONE);
    assertThat(runs).hasValue(0);
  }

  @Way.Each
  @Semantics(9)
  void an_exception_that_leaves_it_open_is_treated_as_a_holder_that_vanished(Way way) {
    OnlyOnce<String> once = bench.engine().onInDoubt(OnInDoubt.PARK).build();
    ArithmeticException timeout = new ArithmeticException("the bank does not answer");
    Outcome.InDoubt<?> outcome =
        as(
            Outcome.InDoubt.class,
            way.take(
                once,
                KEY,
                attempt -> {
                  throw timeout;
                }));
    assertThat(outcome.cause()).isSameAs(timeout);
    assertThat(outcome.askAgainAfter()).isNull();
    as(Outcome.InDoubt.class, take(way, once)); // at once, the lease was given up
    assertThat(bench.state()).isEqualTo(ClaimState.CLAIMED);
    assertThat(runs).hasValue(0);
  }

  @Way.Each
  @Semantics(9)
  void under_rerun_what_was_left_open_is_run_again(Way way) {
    OnlyOnce<String> once = bench.engine().onInDoubt(OnInDoubt.RERUN).build();
    Outcome.InDoubt<?> outcome =
        as(
            Outcome.InDoubt.class,
            way.take(
                once,
                KEY,
                attempt -> {
                  throw new ArithmeticException();
                }));
    assertThat(outcome.askAgainAfter()).isEqualTo(BACKOFF);
    assertThat(as(Outcome.Processed.class, take(way, once)).claim().attempt()).isEqualTo(2);
  }
}
