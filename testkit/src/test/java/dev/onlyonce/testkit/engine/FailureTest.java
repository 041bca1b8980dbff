package dev.onlyonce.testkit.engine;

import static dev.onlyonce.testkit.engine.Bench.BACKOFF;
import static dev.onlyonce.testkit.engine.Bench.KEY;
import static dev.onlyonce.testkit.engine.Bench.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Handler;
import dev.onlyonce.Key;
import dev.onlyonce.NotProcessedException;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of a key whose handler throws. */
class FailureTest {

  private final Bench bench = Bench.withManualTime();
  private final OnlyOnce<String> once = bench.engine().build();
  private final AtomicInteger runs = new AtomicInteger();

  @AfterEach
  void close() {
    bench.close();
  }

  private Handler<String, Exception> throwing(Throwable thrown) {
    return attempt -> {
      runs.incrementAndGet();
      if (thrown instanceof Error error) {
        throw error;
      }
      throw (Exception) thrown;
    };
  }

  private Handler<String, Exception> succeeding() {
    return attempt -> "run " + runs.incrementAndGet();
  }

  @Way.Each
  @Semantics(6)
  void a_failure_is_released_and_due_again_after_the_backoff(Way way) {
    IOException failure = new IOException("the bank is closed");
    Outcome.Released<?> released =
        as(Outcome.Released.class, way.take(once, KEY, throwing(failure)));
    assertThat(released).isEqualTo(new Outcome.Released<>(failure, 1, BACKOFF));
    bench.time.advance(BACKOFF.minusMillis(1));
    Outcome.Deferred<?> deferred = as(Outcome.Deferred.class, way.take(once, KEY, succeeding()));
    assertThat(deferred.left()).isEqualTo(Duration.ofMillis(1));
    bench.time.advance(Duration.ofMillis(1));
    Outcome.Processed<?> processed = as(Outcome.Processed.class, way.take(once, KEY, succeeding()));
    assertThat(processed.claim().attempt()).isEqualTo(2);
    assertThat(runs).hasValue(2);
    assertThat(bench.events.stream().map(event -> event.getClass().getSimpleName()))
        .containsExactly(
            "Received",
            "Claimed",
            "Released",
            "Received",
            "Deferred",
            "Received",
            "Claimed",
            "Completed");
  }

  /** Eventuate Tram remembered the id although the handler threw, and the work was lost. */
  @Way.Each
  @Case(19)
  @Semantics({3, 6})
  void a_key_is_not_remembered_as_done_when_its_handler_threw(Way way) {
    Key m1 = Key.of("m1");
    Key m2 = Key.of("m2");
    as(Outcome.Released.class, way.take(once, m1, throwing(new IOException())));
    as(Outcome.Processed.class, way.take(once, m2, succeeding()));
    bench.time.advance(BACKOFF);
    as(Outcome.Processed.class, way.take(once, m1, succeeding()));
    as(Outcome.Duplicate.class, way.take(once, m1, succeeding()));
    as(Outcome.Duplicate.class, way.take(once, m2, succeeding()));
    assertThat(runs).hasValue(3);
    assertThat(bench.state(m1)).isEqualTo(ClaimState.DONE);
  }

  /** The same when the first attempt ends by kill -9. */
  @Way.Each
  @Case(19)
  @Semantics(8)
  void a_key_is_not_remembered_as_done_when_its_process_was_killed(Way way) {
    bench.claimedByAnother(Lapse.TAKE);
    bench.lapse();
    as(Outcome.Processed.class, way.take(once, KEY, succeeding()));
    assertThat(runs).hasValue(1);
  }

  @Way.Each
  @Semantics(7)
  void an_exception_that_is_final_fails_the_key_for_good(Way way) {
    NumberFormatException failure = new NumberFormatException("no such amount");
    Outcome.Failed<?> failed = as(Outcome.Failed.class, way.take(once, KEY, throwing(failure)));
    assertThat(failed.cause()).isSameAs(failure);
    bench.time.advance(Duration.ofHours(1));
    failed = as(Outcome.Failed.class, way.take(once, KEY, succeeding()));
    assertThat(failed.reason()).isEqualTo("java.lang.NumberFormatException: no such amount");
    assertThat(failed.age()).isEqualTo(Duration.ofHours(1));
    assertThat(failed.cause()).isNull();
    assertThat(runs).hasValue(1);
    assertThat(bench.events(Event.Failed.class)).hasSize(1);
    assertThat(bench.events(Event.FailedBefore.class)).hasSize(1);
  }

  @Way.Each
  @Semantics(21)
  void the_last_attempt_fails_for_good(Way way) {
    for (int attempt = 1; attempt <= 2; attempt++) {
      as(Outcome.Released.class, way.take(once, KEY, throwing(new IOException())));
      bench.time.advance(BACKOFF);
    }
    as(Outcome.Failed.class, way.take(once, KEY, throwing(new IOException("still closed"))));
    as(Outcome.Failed.class, way.take(once, KEY, succeeding()));
    assertThat(runs).hasValue(3);
  }

  @Way.Each
  @Semantics({20, 21})
  void attempts_of_killed_processes_count(Way way) {
    for (int attempt = 1; attempt <= 3; attempt++) {
      bench.claimedByAnother(Lapse.TAKE);
      bench.lapse();
    }
    Outcome.Failed<?> failed = as(Outcome.Failed.class, way.take(once, KEY, succeeding()));
    assertThat(failed.reason()).isEqualTo("gave up: 3 attempts have ended without an outcome");
    assertThat(bench.state()).isEqualTo(ClaimState.FAILED);
    assertThat(runs).hasValue(0);
  }

  /**
   * A dead-lettered key stayed blocked for ever, so that the repaired message never got through.
   */
  @Way.Each
  @Case(21)
  @Semantics({21, 23})
  void a_key_that_failed_can_be_reset_and_is_then_handled_once(Way way) {
    Key k7 = Key.of("k7");
    for (int attempt = 1; attempt <= 3; attempt++) {
      way.take(once, k7, throwing(new IOException()));
      bench.time.advance(BACKOFF);
    }
    assertThat(bench.state(k7)).isEqualTo(ClaimState.FAILED);
    redrive(k7);
    Outcome.Processed<?> processed = as(Outcome.Processed.class, way.take(once, k7, succeeding()));
    assertThat(processed.claim().attempt()).isEqualTo(1);
    as(Outcome.Duplicate.class, way.take(once, k7, succeeding()));
    assertThat(runs).hasValue(4);
  }

  /** What an operator does: opens the record by its token, and releases it with new attempts. */
  private void redrive(Key key) {
    long token = bench.memory.find(Bench.SCOPE, key).orElseThrow().token();
    ClaimRequest open =
        ClaimRequest.of(Bench.SCOPE, key, 99, Bench.LEASE, Lapse.TAKE).expecting(token);
    Answer answer = bench.memory.claim(List.of(open)).get(0);
    bench.settle(
        new Settlement.Release(
            ((Answer.Claimed) answer).claim(), Duration.ZERO, Attempts.RESET, Duration.ofDays(1)));
  }

  @Way.Each
  void an_error_is_thrown_on_when_the_key_is_settled(Way way) {
    AssertionError error = new AssertionError("a bug");
    assertThatThrownBy(() -> way.take(once, KEY, throwing(error))).isSameAs(error);
    assertThat(bench.state()).isEqualTo(ClaimState.RELEASED);
    bench.time.advance(BACKOFF);
    as(Outcome.Processed.class, way.take(once, KEY, succeeding()));
  }

  @Test
  void process_throws_what_the_handler_threw() {
    IOException failure = new IOException("the bank is closed");
    assertThatThrownBy(
            () ->
                once.process(
                    "order-4711/paid",
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThatThrownBy(() -> once.process("order-4711/paid", () -> "never"))
        .isInstanceOf(NotProcessedException.class)
        .hasMessage("key order-4711/paid is to be tried again in PT5S");
  }

  @Test
  void process_says_that_a_key_failed_before() {
    assertThatThrownBy(() -> once.process(KEY, throwing(new NumberFormatException("x"))))
        .isInstanceOf(NumberFormatException.class);
    bench.time.advance(Duration.ofMinutes(2));
    assertThatThrownBy(() -> once.process(KEY, attempt -> "never"))
        .isInstanceOf(NotProcessedException.class)
        .hasMessage(
            "key order-4711/paid has failed for good PT2M ago: java.lang.NumberFormatException: x");
  }

  /** The consumer's loop, which looks at outcomes, never heard that it was to stop. */
  @Test
  void an_interrupt_that_ended_the_handler_is_not_swallowed() {
    as(Outcome.Released.class, once.attempt(KEY, null, throwing(new InterruptedException())));
    assertThat(Thread.interrupted()).isTrue();
    bench.time.advance(BACKOFF);
    assertThatThrownBy(() -> once.process(KEY, throwing(new InterruptedException())))
        .isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void an_interrupt_that_the_handler_leaves_behind_is_still_there() {
    once.attempt(
        KEY,
        null,
        attempt -> {
          Thread.currentThread().interrupt();
          return "receipt";
        });
    assertThat(Thread.interrupted()).isTrue();
    assertThat(bench.state()).isEqualTo(ClaimState.DONE);
  }
}
