package dev.onlyonce.testkit.engine;

import static dev.onlyonce.testkit.engine.Bench.KEY;
import static dev.onlyonce.testkit.engine.Bench.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Key;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Lapse;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is peculiar to messages that do not keep a thread. */
@Timeout(60)
class AsyncEngineTest {

  private static final boolean HAS_VIRTUAL_THREADS = Runtime.version().feature() >= 21;

  @Test
  void ten_thousand_messages_are_under_way_on_few_threads() throws Exception {
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once = bench.engine().build();
    int before = ManagementFactory.getThreadMXBean().getThreadCount();
    AtomicInteger running = new AtomicInteger();
    CompletableFuture<String> bank = new CompletableFuture<>();
    List<CompletableFuture<Outcome<String>>> outcomes = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      String order = "order-" + i;
      outcomes.add(
          once.attemptAsync(
              Key.of(order),
              null,
              attempt -> {
                running.incrementAndGet();
                return bank.thenApply(receipt -> receipt + " of " + order);
              }));
    }
    while (running.get() < 10_000) {
      Thread.onSpinWait();
    }
    assertThat(ManagementFactory.getThreadMXBean().getThreadCount() - before).isLessThan(80);
    assertThat(outcomes).noneMatch(CompletableFuture::isDone);
    bank.complete("receipt");
    for (int i = 0; i < 10_000; i++) {
      Outcome.Processed<?> processed =
          as(Outcome.Processed.class, outcomes.get(i).get(60, TimeUnit.SECONDS));
      assertThat(processed.result()).isEqualTo("receipt of order-" + i);
    }
    assertThat(bench.events(Event.LeaseLost.class)).isEmpty();
    assertThat(bench.memory.totals()).containsOnlyKeys(ClaimState.DONE);
  }

  @Test
  void there_is_a_limit_to_what_is_under_way() {
    OnlyOnce<String> once = Bench.withRealTime().engine().mode(DeliveryMode.AT_LEAST_ONCE).build();
    CompletableFuture<String> bank = new CompletableFuture<>();
    List<CompletableFuture<Outcome<String>>> outcomes = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      outcomes.add(once.attemptAsync(KEY, null, attempt -> bank));
    }
    assertThatThrownBy(() -> once.attemptAsync(KEY, null, attempt -> bank))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessageStartingWith("100,000 messages are under way already");
    bank.complete("receipt");
    outcomes.forEach(CompletableFuture::join);
    as(Outcome.Processed.class, once.attemptAsync(KEY, null, attempt -> bank).join());
  }

  @Test
  void handlers_start_on_a_virtual_thread_where_there_are_any() throws Exception {
    OnlyOnce<String> once = Bench.withRealTime().engine().build();
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    once.attemptAsync(
            KEY,
            null,
            attempt -> {
              thread.complete(Thread.currentThread());
              return CompletableFuture.completedFuture("receipt");
            })
        .join();
    boolean isVirtual =
        HAS_VIRTUAL_THREADS && (Boolean) Thread.class.getMethod("isVirtual").invoke(thread.get());
    assertThat(isVirtual).isEqualTo(HAS_VIRTUAL_THREADS);
    assertThat(thread.get().isDaemon()).isTrue();
    if (!HAS_VIRTUAL_THREADS) {
      assertThat(thread.get().getName()).isEqualTo("onlyonce-async");
    }
  }

  /** It hung for ever, and the claim was renewed as long. */
  @Test
  void a_handler_without_a_stage_has_failed() {
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once = bench.engine().build();
    Outcome.Released<?> released =
        as(Outcome.Released.class, once.attemptAsync(KEY, null, attempt -> null).join());
    assertThat(released.cause()).hasMessage("the handler's stage is null");
    assertThat(bench.state()).isEqualTo(ClaimState.RELEASED);
  }

  @Test
  void a_handler_that_throws_before_it_has_a_stage_has_failed() {
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once = bench.engine().build();
    IllegalStateException thrown = new IllegalStateException("no connection");
    Outcome.Released<?> released =
        as(
            Outcome.Released.class,
            once.attemptAsync(
                    KEY,
                    null,
                    attempt -> {
                      throw thrown;
                    })
                .join());
    assertThat(released.cause()).isSameAs(thrown);
  }

  /** It hung for ever: only exceptions were seen. */
  @Test
  void an_error_of_a_resolver_leaves_the_key_in_doubt() {
    Bench bench = Bench.withManualTime();
    bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once =
        bench
            .engine()
            .onInDoubt(
                doubt -> {
                  throw new StackOverflowError();
                })
            .build();
    CompletableFuture<Outcome<String>> outcome =
        once.attemptAsync(KEY, null, attempt -> CompletableFuture.completedFuture("never"));
    assertThat(outcome.join()).isInstanceOf(Outcome.InDoubt.class);
    once.close(); // nothing is under way
  }

  @Test
  void cancelling_the_future_does_not_cancel_the_message() {
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once = bench.engine().shutdownGrace(Duration.ofMinutes(1)).build();
    CompletableFuture<String> receipt = new CompletableFuture<>();
    CompletableFuture<Outcome<String>> outcome = once.attemptAsync(KEY, null, attempt -> receipt);
    outcome.cancel(true);
    receipt.complete("receipt");
    once.close();
    assertThat(bench.state()).isEqualTo(ClaimState.DONE);
  }
}
