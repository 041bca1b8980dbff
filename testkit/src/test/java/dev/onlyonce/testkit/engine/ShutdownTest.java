package dev.onlyonce.testkit.engine;

import static dev.onlyonce.testkit.engine.Bench.KEY;
import static dev.onlyonce.testkit.engine.Bench.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.testkit.FaultyStore.Moment;
import dev.onlyonce.testkit.FaultyStore.Verb;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The orderly end of an engine, and its background work. */
@Timeout(60)
class ShutdownTest {

  private final Bench bench = Bench.withRealTime();

  @Way.Each
  @Semantics(25)
  void closing_waits_for_handlers_and_takes_no_new_messages(Way way) throws Exception {
    OnlyOnce<String> once = bench.engine().shutdownGrace(Duration.ofMinutes(1)).build();
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    FutureTask<Outcome<String>> handled =
        started(
            () ->
                way.take(
                    once,
                    KEY,
                    attempt -> {
                      running.countDown();
                      finish.await();
                      return "receipt";
                    }));
    running.await();
    FutureTask<Boolean> closed =
        started(
            () -> {
              once.close();
              return handled.isDone() || bench.state() == ClaimState.DONE;
            });
    Key another = Key.of("another");
    while (!isClosed(once)) {
      Thread.onSpinWait();
    }
    assertThatThrownBy(() -> way.take(once, another, attempt -> "never"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the engine has been closed and takes no more messages");
    assertThat(closed.isDone()).isFalse();
    finish.countDown();
    assertThat(closed.get()).isTrue();
    as(Outcome.Processed.class, handled.get());
    assertThat(bench.state(another)).isEqualTo(ClaimState.UNKNOWN);
  }

  private static boolean isClosed(OnlyOnce<String> once) {
    try {
      once.derive().mode(DeliveryMode.AT_LEAST_ONCE).build().process("probe", () -> "x");
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  @ParameterizedTest
  @EnumSource(DeliveryMode.class)
  @Semantics({20, 25})
  void after_the_grace_handlers_are_interrupted_and_their_attempt_does_not_count(DeliveryMode mode)
      throws Exception {
    OnlyOnce<String> once = bench.engine().mode(mode).shutdownGrace(Duration.ofMillis(50)).build();
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    AtomicBoolean leaked = new AtomicBoolean();
    FutureTask<Outcome<String>> handled =
        started(
            () -> {
              Outcome<String> outcome =
                  once.attempt(
                      KEY,
                      null,
                      attempt -> {
                        running.countDown();
                        never.await();
                        return "never";
                      });
              leaked.set(Thread.currentThread().isInterrupted());
              return outcome;
            });
    running.await();
    once.close();
    Outcome<String> outcome = handled.get();
    assertThat(leaked).isFalse();
    if (mode == DeliveryMode.AT_MOST_ONCE) {
      as(Outcome.Failed.class, outcome);
      return;
    }
    Outcome.Released<?> released = as(Outcome.Released.class, outcome);
    assertThat(released.cause()).isInstanceOf(InterruptedException.class);
    assertThat(released.retryAfter()).isZero();
    if (mode == DeliveryMode.EFFECTIVELY_ONCE) {
      OnlyOnce<String> next = bench.engine().build();
      assertThat(next.process(KEY, attempt -> "attempt " + attempt.number()))
          .isEqualTo("attempt 1");
    }
  }

  @Way.Each
  @Semantics(25)
  void handlers_that_do_not_end_are_left_to_their_leases(Way way) throws Exception {
    OnlyOnce<String> once = bench.engine().shutdownGrace(Duration.ofMillis(20)).build();
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    FutureTask<Outcome<String>> handled =
        started(
            () ->
                way.take(
                    once,
                    KEY,
                    attempt -> {
                      running.countDown();
                      boolean finished = false;
                      while (!finished) {
                        try {
                          finish.await();
                          finished = true;
                        } catch (InterruptedException e) {
                          // it does not listen
                        }
                      }
                      return "late";
                    }));
    running.await();
    once.close();
    assertThat(bench.state()).isEqualTo(ClaimState.CLAIMED);
    finish.countDown();
    as(Outcome.Processed.class, handled.get()); // nobody took over: it still counts
    assertThat(bench.state()).isEqualTo(ClaimState.DONE);
  }

  /** The pending settlement is finished although the engine is being closed. */
  @Way.Each
  @Semantics(25)
  void a_settlement_that_is_tried_again_is_finished_before_the_engine_leaves(Way way)
      throws Exception {
    OnlyOnce<String> once = bench.engine().shutdownGrace(Duration.ofMinutes(1)).build();
    bench.store.failAlways(Moment.BEFORE, Verb.SETTLE);
    FutureTask<Outcome<String>> handled = started(() -> way.take(once, KEY, attempt -> "receipt"));
    while (bench.store.calls(Verb.SETTLE) < 2) {
      Thread.onSpinWait();
    }
    FutureTask<ClaimState> closed =
        started(
            () -> {
              once.close();
              return bench.state();
            });
    while (!isClosed(once)) {
      Thread.onSpinWait();
    }
    bench.store.heal();
    assertThat(closed.get()).isEqualTo(ClaimState.DONE);
    as(Outcome.Processed.class, handled.get());
  }

  @Test
  void closing_twice_is_fine_and_the_store_stays_open() {
    OnlyOnce<String> once = bench.engine().build();
    once.process(KEY, attempt -> "receipt");
    once.close();
    once.close();
    assertThat(bench.engine().build().process(KEY, attempt -> "never")).isEqualTo("receipt");
  }

  @Test
  void an_asynchronous_handler_is_waited_for() throws Exception {
    OnlyOnce<String> once = bench.engine().shutdownGrace(Duration.ofMinutes(1)).build();
    CompletableFuture<String> receipt = new CompletableFuture<>();
    CompletableFuture<Outcome<String>> outcome = once.attemptAsync(KEY, null, attempt -> receipt);
    FutureTask<ClaimState> closed =
        started(
            () -> {
              once.close();
              return bench.state();
            });
    while (!isClosed(once)) {
      Thread.onSpinWait();
    }
    receipt.complete("receipt");
    assertThat(closed.get()).isEqualTo(ClaimState.DONE);
    as(Outcome.Processed.class, outcome.get());
  }

  @Test
  void expired_records_are_purged_in_the_background() {
    MemoryStore memory = MemoryStore.builder().purgeGrace(Duration.ZERO).forgetful().build();
    AtomicInteger purged = new AtomicInteger();
    Forwarding counting =
        new Forwarding(memory) {
          @Override
          public int purge(int limit) {
            int more = super.purge(limit);
            purged.addAndGet(more);
            return more;
          }
        };
    try (OnlyOnce<String> once =
        OnlyOnce.builder(counting)
            .scope("billing")
            .onInDoubt(OnInDoubt.PARK)
            .results(ResultCodec.TEXT)
            .retention(Duration.ofMillis(1))
            .purgeEvery(Duration.ofMillis(5))
            .build()) {
      for (int i = 0; i < 2_000; i++) { // more than one step
        once.process("order-" + i, () -> "x");
      }
      while (purged.get() < 2_000) {
        Thread.onSpinWait();
      }
    }
  }

  private static <T> FutureTask<T> started(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "worker");
    thread.setDaemon(true);
    thread.start();
    return task;
  }
}
