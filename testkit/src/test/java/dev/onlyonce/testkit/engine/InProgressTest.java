package dev.onlyonce.testkit.engine;

import static dev.onlyonce.testkit.engine.Bench.KEY;
import static dev.onlyonce.testkit.engine.Bench.LEASE;
import static dev.onlyonce.testkit.engine.Bench.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Backoff;
import dev.onlyonce.Claim;
import dev.onlyonce.NotProcessedException;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInProgress;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.testkit.FaultyStore;
import dev.onlyonce.testkit.FaultyStore.Verb;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is done with a copy of a message that is being handled right now. */
@Timeout(60)
class InProgressTest {

  private final AtomicInteger runs = new AtomicInteger();

  @Way.Each
  @Semantics(2)
  void a_copy_is_refused(Way way) {
    Bench bench = Bench.withManualTime();
    bench.claimedByAnother(Lapse.TAKE);
    OnlyOnce<String> once = bench.engine().onInProgress(OnInProgress.reject()).build();
    Outcome.InProgress<?> outcome =
        as(Outcome.InProgress.class, way.take(once, KEY, attempt -> "never"));
    assertThat(outcome.leaseLeft()).isEqualTo(LEASE);
    assertThat(outcome.retryAfter()).isNull();
    assertThat(bench.events)
        .containsExactly(
            new Event.Received(Bench.SCOPE, KEY), new Event.InProgress(Bench.SCOPE, KEY, LEASE));
  }

  @Way.Each
  @Semantics(2)
  void a_copy_is_to_be_delivered_again_later(Way way) {
    Bench bench = Bench.withManualTime();
    bench.claimedByAnother(Lapse.TAKE);
    OnlyOnce<String> once = bench.engine().build();
    Outcome.InProgress<?> outcome =
        as(Outcome.InProgress.class, way.take(once, KEY, attempt -> "never"));
    assertThat(outcome.retryAfter()).isEqualTo(Duration.ofSeconds(1));
    bench.time.advance(LEASE.minusMillis(200));
    outcome = as(Outcome.InProgress.class, way.take(once, KEY, attempt -> "never"));
    assertThat(outcome.retryAfter()).isEqualTo(Duration.ofMillis(200));
  }

  @Test
  @Semantics(2)
  void process_says_who_holds_the_key_and_for_how_long() {
    Bench bench = Bench.withManualTime();
    bench.claimedByAnother(Lapse.TAKE);
    OnlyOnce<String> once = bench.engine().build();
    assertThatThrownBy(() -> once.process("order-4711/paid", () -> "never"))
        .isInstanceOfSatisfying(
            NotProcessedException.class,
            e -> assertThat(e.outcome()).isInstanceOf(Outcome.InProgress.class))
        .hasMessage(
            "key order-4711/paid is being handled by another, whose lease lasts PT30S more");
  }

  @Way.Each
  @Semantics(100)
  void a_waiter_gets_the_result_when_the_holder_completes(Way way) throws Exception {
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once =
        bench.engine().onInProgress(OnInProgress.waitUpTo(Duration.ofSeconds(40))).build();
    CountDownLatch finish = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    Future<Outcome<String>> first =
        async(
            () ->
                way.take(
                    once,
                    KEY,
                    attempt -> {
                      started.countDown();
                      finish.await();
                      return "receipt";
                    }));
    started.await();
    Future<Outcome<String>> second = async(() -> way.take(once, KEY, attempt -> "never"));
    awaitCalls(bench, 3); // the waiter has asked twice
    assertThat(second.isDone()).isFalse();
    finish.countDown();
    assertThat(as(Outcome.Duplicate.class, second.get()).result()).isEqualTo("receipt");
    as(Outcome.Processed.class, first.get());
  }

  @Way.Each
  @Semantics(100)
  void a_waiter_claims_anew_when_the_holder_releases(Way way) throws Exception {
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once =
        bench
            .engine()
            .onFailure(OnFailure.defaults().backoff(Backoff.fixed(Duration.ofMillis(30))))
            .onInProgress(OnInProgress.waitUpTo(Duration.ofSeconds(40)))
            .build();
    CountDownLatch finish = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    Future<Outcome<String>> first =
        async(
            () ->
                way.take(
                    once,
                    KEY,
                    attempt -> {
                      started.countDown();
                      finish.await();
                      throw new IllegalStateException("not today");
                    }));
    started.await();
    Future<Outcome<String>> second =
        async(() -> way.take(once, KEY, attempt -> "attempt " + attempt.number()));
    awaitCalls(bench, 3);
    finish.countDown();
    assertThat(as(Outcome.Processed.class, second.get()).result()).isEqualTo("attempt 2");
    as(Outcome.Released.class, first.get());
  }

  @Way.Each
  @Semantics(100)
  void a_wait_ends_at_its_bound(Way way) {
    Bench bench = Bench.withRealTime();
    bench.claimedByAnother(Lapse.TAKE);
    Duration bound = Duration.ofMillis(150);
    OnlyOnce<String> once = bench.engine().onInProgress(OnInProgress.waitUpTo(bound)).build();
    long started = System.nanoTime();
    as(Outcome.InProgress.class, way.take(once, KEY, attempt -> "never"));
    assertThat(Duration.ofNanos(System.nanoTime() - started)).isGreaterThanOrEqualTo(bound);
    assertThat(bench.store.calls(Verb.CLAIM)).isBetween(2L, 10L);
  }

  @Way.Each
  void a_waiter_waits_also_for_a_key_that_is_not_due_yet(Way way) {
    Bench bench = Bench.withRealTime();
    Claim claim = bench.claimedByAnother(Lapse.TAKE);
    Duration after = Duration.ofMillis(100);
    bench.settle(new Settlement.Release(claim, after, Attempts.KEEP, Duration.ofDays(1)));
    OnlyOnce<String> patient =
        bench.engine().onInProgress(OnInProgress.waitUpTo(Duration.ofSeconds(40))).build();
    Outcome.Processed<?> outcome =
        as(Outcome.Processed.class, way.take(patient, KEY, attempt -> "at last"));
    assertThat(outcome.claim().attempt()).isEqualTo(2);
  }

  @Test
  void a_waiter_that_is_interrupted_ends_its_wait_and_stays_interrupted() throws Exception {
    Bench bench = Bench.withRealTime();
    bench.claimedByAnother(Lapse.TAKE);
    OnlyOnce<String> once =
        bench.engine().onInProgress(OnInProgress.waitUpTo(Duration.ofHours(1))).build();
    CompletableFuture<Thread> waiter = new CompletableFuture<>();
    Future<Boolean> interrupted =
        async(
            () -> {
              waiter.complete(Thread.currentThread());
              as(Outcome.InProgress.class, once.attempt(KEY, null, attempt -> "never"));
              return Thread.currentThread().isInterrupted();
            });
    awaitCalls(bench, 1);
    waiter.get().interrupt();
    assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Way.Each
  @Semantics(25)
  void a_waiter_does_not_claim_any_more_once_the_engine_is_closed(Way way) throws Exception {
    Bench bench = Bench.withRealTime();
    Claim claim = bench.claimedByAnother(Lapse.TAKE);
    OnlyOnce<String> once =
        bench.engine().onInProgress(OnInProgress.waitUpTo(Duration.ofHours(1))).build();
    Future<Outcome<String>> waiting =
        async(() -> way.take(once, KEY, attempt -> "run " + runs.incrementAndGet()));
    awaitCalls(bench, 2);
    FaultyStore.Block block = bench.store.block(FaultyStore.Moment.BEFORE, Verb.CLAIM);
    block.await(1); // it asks once more
    Thread closing = new Thread(once::close);
    closing.start();
    while (closing.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    block.close();
    as(Outcome.InProgress.class, waiting.get());
    bench.settle(new Settlement.Release(claim, Duration.ZERO, Attempts.KEEP, Duration.ofDays(1)));
    closing.join();
    assertThat(runs).hasValue(0);
  }

  private static void awaitCalls(Bench bench, int claims) {
    while (bench.store.calls(Verb.CLAIM) < claims) {
      Thread.onSpinWait();
    }
  }

  private static <T> Future<T> async(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "caller");
    thread.setDaemon(true);
    thread.start();
    return task;
  }
}
