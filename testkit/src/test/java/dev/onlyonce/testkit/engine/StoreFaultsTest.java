package dev.onlyonce.testkit.engine;

import static dev.onlyonce.testkit.engine.Bench.BACKOFF;
import static dev.onlyonce.testkit.engine.Bench.KEY;
import static dev.onlyonce.testkit.engine.Bench.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onlyonce.Handler;
import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.FaultyStore.Moment;
import dev.onlyonce.testkit.FaultyStore.Verb;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Timeout;

/** A store that is down, full, slow to come back, or whose answers get lost. */
@Timeout(60)
class StoreFaultsTest {

  private final AtomicInteger runs = new AtomicInteger();

  private final Handler<String, Exception> handler = attempt -> "run " + runs.incrementAndGet();

  @Way.Each
  @Semantics(69)
  void while_the_store_is_down_nothing_is_handled(Way way) {
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> once = bench.engine().build();
    bench.store.failAlways(Moment.BEFORE, Verb.CLAIM);
    StoreException failure =
        catchThrowableOfType(StoreException.class, () -> way.take(once, KEY, handler));
    assertThat(failure.kind()).isEqualTo(StoreException.Kind.UNAVAILABLE);
    assertThat(runs).hasValue(0);
    assertThat(bench.events.stream().map(Event::getClass))
        .containsExactly(Event.Received.class, Event.StoreFailed.class, Event.StoreFailed.class);
    bench.store.heal();
    as(Outcome.Processed.class, way.take(once, KEY, handler));
  }

  @Way.Each
  @Semantics({69, 77})
  void a_store_that_is_full_refuses_and_fails_closed(Way way) {
    MemoryStore full = MemoryStore.builder().capacity(1).forgetful().build();
    OnlyOnce<String> once =
        OnlyOnce.builder(full)
            .scope("billing")
            .onInDoubt(OnInDoubt.RERUN)
            .results(ResultCodec.TEXT)
            .build();
    as(Outcome.Processed.class, way.take(once, KEY, handler));
    StoreException failure =
        catchThrowableOfType(
            StoreException.class, () -> way.take(once, Key.of("one too many"), handler));
    assertThat(failure.kind()).isEqualTo(StoreException.Kind.FULL);
    as(Outcome.Duplicate.class, way.take(once, KEY, handler));
    assertThat(runs).hasValue(1);
  }

  @Way.Each
  @Semantics(69)
  void failing_open_is_a_choice_and_an_event(Way way) {
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> once = bench.engine().failOpen().build();
    bench.store.failAlways(Moment.BEFORE, Verb.CLAIM);
    Outcome.Processed<?> outcome = as(Outcome.Processed.class, way.take(once, KEY, handler));
    assertThat(outcome.claim().token()).isZero();
    assertThat(bench.events(Event.Unprotected.class)).hasSize(1);
    as(Outcome.Processed.class, way.take(once, KEY, handler));
    assertThat(runs).hasValue(2);
    assertThat(bench.store.calls(Verb.SETTLE)).isZero();
  }

  @Way.Each
  @Semantics(69)
  void failing_open_is_not_for_a_store_that_has_been_closed(Way way) {
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> once = bench.engine().failOpen().build();
    bench.memory.close();
    assertThatThrownBy(() -> way.take(once, KEY, handler))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.CLOSED));
    assertThat(runs).hasValue(0);
  }

  @Way.Each
  @Semantics({70, 98})
  void a_claim_whose_answer_got_lost_is_the_same_claim_when_asked_again(Way way) {
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> once = bench.engine().build();
    bench.store.fail(Verb.CLAIM, Moment.AFTER, 1);
    Outcome.Processed<?> outcome = as(Outcome.Processed.class, way.take(once, KEY, handler));
    assertThat(outcome.claim().attempt()).isEqualTo(1);
    assertThat(bench.record().token()).isEqualTo(outcome.claim().token());
  }

  @Way.Each
  @Semantics({16, 70})
  void a_completion_whose_answer_got_lost_is_made_once(Way way) {
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once = bench.engine().build();
    bench.store.fail(Verb.SETTLE, Moment.AFTER, 1);
    bench.store.fail(Verb.SETTLE, Moment.AFTER, 2);
    as(Outcome.Processed.class, way.take(once, KEY, handler));
    assertThat(as(Outcome.Duplicate.class, way.take(once, KEY, handler)).result())
        .isEqualTo("run 1");
  }

  @Way.Each
  @Semantics(70)
  void a_result_is_not_lost_while_the_store_is_away_for_a_while(Way way) {
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once = bench.engine().build();
    for (int i = 1; i <= 5; i++) {
      bench.store.fail(Verb.SETTLE, Moment.BEFORE, i);
    }
    as(Outcome.Processed.class, way.take(once, KEY, handler));
    assertThat(bench.state()).isEqualTo(ClaimState.DONE);
    assertThat(bench.events(Event.StoreFailed.class)).hasSize(5);
    assertThat(runs).hasValue(1);
  }

  @Way.Each
  @Semantics(70)
  void a_store_that_does_not_come_back_is_a_fault_that_says_that_the_handler_has_run(Way way) {
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once = bench.engine().lease(Duration.ofMillis(200)).build();
    bench.store.failAlways(Moment.BEFORE, Verb.SETTLE);
    assertThatThrownBy(() -> way.take(once, KEY, handler))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith(
            "the handler of key order-4711/paid has run, but that could not be recorded and the"
                + " claim is left to its lease: ");
    assertThat(bench.state()).isEqualTo(ClaimState.CLAIMED);
  }

  @Way.Each
  void a_fault_after_a_failure_carries_what_the_handler_threw(Way way) {
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once = bench.engine().lease(Duration.ofMillis(50)).build();
    bench.store.failAlways(Moment.BEFORE, Verb.SETTLE);
    IllegalStateException thrown = new IllegalStateException("card declined");
    StoreException failure =
        catchThrowableOfType(
            StoreException.class,
            () ->
                way.take(
                    once,
                    KEY,
                    attempt -> {
                      throw thrown;
                    }));
    assertThat(failure).hasMessageContaining("has failed, but that could not be recorded");
    assertThat(failure.getSuppressed()).contains(thrown);
  }

  @Way.Each
  void a_store_that_throws_what_it_should_not_is_a_store_that_failed(Way way) {
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> once =
        OnlyOnce.builder(
                new Forwarding(bench.memory) {
                  @Override
                  void before(Verb verb) {
                    throw new IllegalStateException("connection pool shut down");
                  }
                })
            .scope("billing")
            .onInDoubt(OnInDoubt.RERUN)
            .results(ResultCodec.TEXT)
            .build();
    assertThatThrownBy(() -> way.take(once, KEY, handler))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("connection pool shut down");
    assertThat(runs).hasValue(0);
  }

  /**
   * The answer was lost for longer than the lease. The handler ran as if it had no lease, while
   * another took over.
   */
  @Way.Each
  @Semantics({70, 98})
  void a_claim_that_came_too_late_is_not_used(Way way) {
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> once =
        OnlyOnce.builder(
                new Forwarding(bench.memory) {
                  private int claims;

                  @Override
                  void before(Verb verb) {
                    if (verb == Verb.RENEW) { // not by the duty thread either
                      throw new StoreException(StoreException.Kind.UNAVAILABLE, "not now");
                    }
                  }

                  @Override
                  void after(Verb verb) {
                    if (verb == Verb.CLAIM && ++claims == 1) {
                      bench.lapse();
                      throw new StoreException(StoreException.Kind.UNAVAILABLE, "timed out");
                    }
                  }
                })
            .scope(Bench.SCOPE)
            .time(bench.time)
            .onInDoubt(OnInDoubt.PARK)
            .results(ResultCodec.TEXT)
            .build();
    Outcome.Processed<?> outcome =
        as(
            Outcome.Processed.class,
            way.take(
                once,
                KEY,
                attempt -> {
                  assertThat(attempt.stillHeld()).isTrue();
                  bench.time.advance(Bench.LEASE.minusMillis(1));
                  assertThat(attempt.stillHeld()).isTrue();
                  bench.time.advance(Duration.ofMillis(1));
                  assertThat(attempt.stillHeld()).isFalse();
                  return "receipt";
                }));
    assertThat(outcome.claim().attempt()).isEqualTo(1);
  }

  @Way.Each
  @Semantics({20, 69})
  void a_lost_answer_costs_no_attempt(Way way) {
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> once = bench.engine().build();
    for (int i = 1; i <= 2; i++) {
      bench.store.fail(Verb.CLAIM, Moment.AFTER, 1);
      as(
          Outcome.Released.class,
          way.take(
              once,
              KEY,
              attempt -> {
                throw new IllegalStateException();
              }));
      assertThat(bench.record().attempt()).isEqualTo(i);
      bench.time.advance(BACKOFF);
    }
  }

  @Way.Each
  void listeners_that_throw_do_no_harm(Way way) {
    Logger.getLogger("dev.onlyonce.events").setLevel(Level.OFF);
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> once =
        bench
            .engine()
            .listener(
                event -> {
                  throw new IllegalStateException("no disk");
                })
            .listener(
                event -> {
                  throw new StackOverflowError();
                })
            .listener(bench.events::add)
            .build();
    as(Outcome.Processed.class, way.take(once, KEY, handler));
    as(Outcome.Duplicate.class, way.take(once, KEY, handler));
    bench.claimedByAnother(Key.of("other"), Lapse.TAKE);
    as(Outcome.InProgress.class, way.take(once, Key.of("other"), handler));
    assertThat(bench.events).hasSize(14); // each twice: the first listener hears them too
  }
}
