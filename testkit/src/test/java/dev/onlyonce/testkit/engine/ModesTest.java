package dev.onlyonce.testkit.engine;

import static dev.onlyonce.testkit.engine.Bench.KEY;
import static dev.onlyonce.testkit.engine.Bench.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Attempt;
import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Key;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.Result;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.ResultNotKeptException;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Event;
import dev.onlyonce.testkit.FaultyStore.Verb;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The three delivery modes, and the life of a message that nothing happens to. */
class ModesTest {

  private final Bench bench = Bench.withManualTime();
  private final AtomicInteger runs = new AtomicInteger();

  @AfterEach
  void close() {
    bench.close();
  }

  private String charge(Attempt attempt) {
    return "receipt " + runs.incrementAndGet();
  }

  private String fail(Attempt attempt) {
    runs.incrementAndGet();
    throw new IllegalStateException("card declined");
  }

  @Way.Each
  @Semantics({1, 3})
  void a_duplicate_within_retention_is_not_handled_again_and_gets_the_result(Way way) {
    OnlyOnce<String> once = bench.engine().build();
    Outcome.Processed<?> first = as(Outcome.Processed.class, way.take(once, KEY, this::charge));
    assertThat(first.result()).isEqualTo("receipt 1");
    assertThat(first.claim().attempt()).isEqualTo(1);
    bench.time.advance(Duration.ofMinutes(1));
    Outcome.Duplicate<?> second = as(Outcome.Duplicate.class, way.take(once, KEY, this::charge));
    assertThat(second.result()).isEqualTo("receipt 1");
    assertThat(second.age()).isEqualTo(Duration.ofMinutes(1));
    assertThat(runs).hasValue(1);
    assertThat(bench.events.stream().map(Event::getClass))
        .containsExactly(
            Event.Received.class,
            Event.Claimed.class,
            Event.Completed.class,
            Event.Received.class,
            Event.Duplicate.class);
  }

  @Way.Each
  void what_is_completed_says_how_long_it_took_and_for_how_long_it_was_claimed(Way way) {
    OnlyOnce<String> once = bench.engine().build();
    way.take(
        once,
        KEY,
        attempt -> {
          bench.time.advance(Duration.ofSeconds(3));
          return charge(attempt);
        });
    Event.Completed completed = bench.events(Event.Completed.class).get(0);
    assertThat(completed.handling()).isEqualTo(Duration.ofSeconds(3));
    assertThat(completed.total()).isEqualTo(Duration.ofSeconds(3));
    assertThat(completed.lease()).isEqualTo(Bench.LEASE);
  }

  @Way.Each
  void where_nothing_has_to_be_settled_there_was_no_lease(Way way) {
    for (DeliveryMode mode : List.of(DeliveryMode.AT_MOST_ONCE, DeliveryMode.AT_LEAST_ONCE)) {
      way.take(bench.engine().mode(mode).build(), Key.of(mode.name()), this::charge);
    }
    assertThat(bench.events(Event.Completed.class))
        .hasSize(2)
        .allMatch(completed -> completed.lease().isZero());
  }

  @Way.Each
  @Semantics(26)
  void a_duplicate_after_the_retention_is_new(Way way) {
    OnlyOnce<String> once = bench.engine().retention(Duration.ofHours(1)).build();
    way.take(once, KEY, this::charge);
    bench.time.advance(Duration.ofHours(1));
    as(Outcome.Processed.class, way.take(once, KEY, this::charge));
    assertThat(runs).hasValue(2);
  }

  @Way.Each
  @Semantics(47)
  void the_same_key_in_two_scopes_is_two_keys(Way way) {
    OnlyOnce<String> billing = bench.engine().build();
    OnlyOnce<String> mail = billing.derive().scope("mail").build();
    as(Outcome.Processed.class, way.take(billing, KEY, this::charge));
    as(Outcome.Processed.class, way.take(mail, KEY, this::charge));
    as(Outcome.Duplicate.class, way.take(billing, KEY, this::charge));
    as(Outcome.Duplicate.class, way.take(mail, KEY, this::charge));
    assertThat(runs).hasValue(2);
  }

  @Way.Each
  void at_most_once_completes_before_the_handler_and_does_not_try_again(Way way) {
    OnlyOnce<String> once = bench.engine().mode(DeliveryMode.AT_MOST_ONCE).build();
    Outcome.Failed<?> failed = as(Outcome.Failed.class, way.take(once, KEY, this::fail));
    assertThat(failed.reason()).isEqualTo("java.lang.IllegalStateException: card declined");
    assertThat(failed.cause()).isInstanceOf(IllegalStateException.class);
    Outcome.Duplicate<?> second = as(Outcome.Duplicate.class, way.take(once, KEY, this::charge));
    assertThat(second.stored()).isEqualTo(Result.NOT_KEPT);
    assertThatThrownBy(second::result).isInstanceOf(ResultNotKeptException.class);
    assertThat(runs).hasValue(1);
    assertThat(bench.store.calls(Verb.SETTLE)).isZero();
    assertThat(bench.events(Event.Failed.class)).hasSize(1);
  }

  @Way.Each
  void at_most_once_is_done_while_the_handler_runs(Way way) {
    OnlyOnce<String> once = bench.engine().mode(DeliveryMode.AT_MOST_ONCE).build();
    way.take(
        once,
        KEY,
        attempt -> {
          assertThat(bench.state()).isEqualTo(ClaimState.DONE);
          assertThat(attempt.token()).isPositive();
          assertThat(attempt.stillHeld()).isTrue();
          return "receipt";
        });
  }

  @Way.Each
  void at_least_once_runs_for_every_delivery_and_asks_no_store(Way way) {
    OnlyOnce<String> once =
        OnlyOnce.builder(bench.store)
            .scope("billing")
            .mode(DeliveryMode.AT_LEAST_ONCE)
            .results(ResultCodec.TEXT)
            .build();
    for (int i = 0; i < 2; i++) {
      Outcome.Processed<?> outcome =
          as(
              Outcome.Processed.class,
              way.take(
                  once,
                  KEY,
                  attempt -> {
                    assertThat(attempt.token()).isZero();
                    assertThat(attempt.number()).isEqualTo(1);
                    assertThat(attempt.checkpoint()).isEmpty();
                    return charge(attempt);
                  }));
      assertThat(outcome.claim().token()).isZero();
    }
    Outcome.Released<?> released = as(Outcome.Released.class, way.take(once, KEY, this::fail));
    assertThat(released.retryAfter()).isPositive();
    assertThat(runs).hasValue(3);
    assertThat(bench.store.calls(Verb.CLAIM) + bench.store.calls(Verb.SETTLE)).isZero();
  }

  /** It threw that the result was not kept, though there is none to keep. */
  @Test
  void a_duplicate_of_an_engine_without_results_is_null_in_every_mode() {
    for (DeliveryMode mode : DeliveryMode.values()) {
      OnlyOnce<Void> once =
          bench
              .engine()
              .results(ResultCodec.TEXT)
              .mode(mode)
              .build()
              .derive()
              .results(none())
              .build();
      for (int i = 0; i < 2; i++) {
        assertThat(once.process("void " + mode, () -> null)).isNull();
      }
    }
  }

  @SuppressWarnings("NullAway")
  private static ResultCodec<Void> none() {
    return ResultCodec.NONE;
  }
}
