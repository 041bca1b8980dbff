package dev.onlyonce.testkit.engine;

import static dev.onlyonce.testkit.engine.Bench.BACKOFF;
import static dev.onlyonce.testkit.engine.Bench.KEY;
import static dev.onlyonce.testkit.engine.Bench.LEASE;
import static dev.onlyonce.testkit.engine.Bench.as;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Event;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.FaultyStore.Block;
import dev.onlyonce.testkit.FaultyStore.Moment;
import dev.onlyonce.testkit.FaultyStore.Verb;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers that take longer than their lease, renewals, and what happens without them. */
@Timeout(120)
class LeaseTest {

  // Overtaken, by manual time.

  @Way.Each
  @Semantics({10, 35})
  void a_holder_that_was_overtaken_is_told_that_its_completion_does_not_count(Way way) {
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> slow = bench.engine().build();
    OnlyOnce<String> quick = bench.engine().build();
    Outcome.Lost<?> lost =
        as(
            Outcome.Lost.class,
            way.take(
                slow,
                KEY,
                attempt -> {
                  bench.lapse();
                  assertThat(attempt.stillHeld()).isFalse();
                  as(Outcome.Processed.class, Way.ASYNC.take(quick, KEY, another -> "quick"));
                  return "slow";
                }));
    assertThat(lost.result()).isEqualTo("slow");
    assertThat(lost.claim().attempt()).isEqualTo(1);
    assertThat(slow.process(KEY, attempt -> "never")).isEqualTo("quick");
    assertThat(bench.events(Event.Refused.class)).containsExactly(new Event.Refused(lost.claim()));
  }

  @Way.Each
  @Semantics(11)
  void a_holder_that_was_overtaken_does_not_release_its_successors_claim_when_it_fails(Way way) {
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> slow = bench.engine().build();
    OnlyOnce<String> quick = bench.engine().build();
    IllegalStateException failure = new IllegalStateException("too late");
    Outcome<?>[] seen = new Outcome<?>[1];
    as(
        Outcome.Lost.class,
        way.take(
            slow,
            KEY,
            attempt -> {
              bench.lapse();
              seen[0] = Way.ASYNC.take(quick, KEY, another -> "quick " + another.number());
              throw failure;
            }));
    assertThat(as(Outcome.Processed.class, seen[0]).result()).isEqualTo("quick 2");
    assertThat(bench.state()).isEqualTo(ClaimState.DONE);
  }

  @Way.Each
  @Semantics(12)
  void a_holder_that_was_overtaken_is_told_when_it_renews_or_saves(Way way) {
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> slow = bench.engine().build();
    OnlyOnce<String> quick = bench.engine().build();
    way.take(
        slow,
        KEY,
        attempt -> {
          bench.lapse();
          Way.ASYNC.take(
              quick,
              KEY,
              another -> {
                assertThat(attempt.extend(LEASE)).isFalse();
                assertThat(attempt.saveCheckpoint(new byte[1])).isFalse();
                assertThat(another.stillHeld()).isTrue();
                assertThat(another.token()).isGreaterThan(attempt.token());
                return "quick";
              });
          return "slow";
        });
    assertThat(bench.events(Event.LeaseLost.class)).hasSize(1);
  }

  @Way.Each
  @Semantics({10, 13})
  void a_late_completion_that_nobody_overtook_counts(Way way) {
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> once = bench.engine().build();
    as(
        Outcome.Processed.class,
        way.take(
            once,
            KEY,
            attempt -> {
              bench.time.advance(LEASE.multipliedBy(10));
              assertThat(attempt.stillHeld()).isFalse();
              return "late";
            }));
    assertThat(once.process(KEY, attempt -> "never")).isEqualTo("late");
  }

  @Way.Each
  @Semantics(13)
  void a_late_renewal_that_nobody_overtook_counts(Way way) {
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> once = bench.engine().build();
    OnlyOnce<String> other = bench.engine().build();
    way.take(
        once,
        KEY,
        attempt -> {
          bench.lapse();
          assertThat(attempt.extend(Duration.ofMinutes(2))).isTrue();
          bench.time.advance(Duration.ofMinutes(1));
          assertThat(attempt.stillHeld()).isTrue();
          as(Outcome.InProgress.class, Way.ASYNC.take(other, KEY, another -> "never"));
          return "done";
        });
  }

  // Checkpoints.

  @Way.Each
  @Semantics(6)
  void a_checkpoint_is_handed_to_the_next_attempt_after_a_failure_and_after_a_crash(Way way) {
    Bench bench = Bench.withManualTime();
    OnlyOnce<String> once = bench.engine().build();
    byte[] state = "half".getBytes(UTF_8);
    way.take(
        once,
        KEY,
        attempt -> {
          assertThat(attempt.checkpoint()).isEmpty();
          assertThat(attempt.saveCheckpoint(state)).isTrue();
          state[0] = 'X'; // its own copy was saved
          throw new IllegalStateException("not today");
        });
    bench.time.advance(BACKOFF);
    OnlyOnce<String> other = bench.engine().build();
    as(
        Outcome.Lost.class,
        way.take(
            once,
            KEY,
            attempt -> {
              assertThat(attempt.checkpoint().orElseThrow()).asString(UTF_8).isEqualTo("half");
              assertThat(attempt.saveCheckpoint("more".getBytes(UTF_8))).isTrue();
              bench.lapse();
              return as(
                      Outcome.Processed.class,
                      Way.ASYNC.take(
                          other,
                          KEY,
                          another -> new String(another.checkpoint().orElseThrow(), UTF_8)))
                  .result()
                  .toString();
            }));
    assertThat(once.process(KEY, attempt -> "never")).isEqualTo("more");
  }

  // Renewals, by real time.

  /** How long the leases of these tests are: the machine may stand still for a third of it. */
  private static final Duration SHORT = Duration.ofSeconds(5);

  private static void let(Duration pass) {
    long end = System.nanoTime() + pass.toNanos();
    while (end - System.nanoTime() > 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  @Way.Each
  void a_lease_is_renewed_while_the_handler_runs(Way way) {
    Bench bench = Bench.withRealTime();
    Duration lease = Duration.ofSeconds(1);
    OnlyOnce<String> once = bench.engine().lease(lease).build();
    Outcome.Processed<?> outcome =
        as(
            Outcome.Processed.class,
            way.take(
                once,
                KEY,
                attempt -> {
                  while (bench.store.calls(Verb.RENEW) < 4) {
                    LockSupport.parkNanos(1_000_000);
                  }
                  return "done";
                }));
    assertThat(outcome.result()).isEqualTo("done");
    assertThat(bench.events(Event.RenewalFailed.class)).isEmpty();
  }

  /**
   * Redisson's watchdog did not come back after a time-out, and somebody else got the lock while
   * the holder still worked. Part (a): the store hangs for a part of the lease. (RenewalsTest in
   * core has the times of the report, by a clock that is moved by hand.)
   */
  @Test
  @Case(15)
  void a_store_that_hangs_for_a_while_loses_no_claim() throws Exception {
    Way way = Way.BLOCKING;
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once = bench.engine().lease(SHORT).build();
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    FutureTask<Outcome<String>> holder =
        started(
            () ->
                way.take(
                    once,
                    KEY,
                    attempt -> {
                      running.countDown();
                      finish.await();
                      assertThat(attempt.stillHeld()).isTrue();
                      return "holder";
                    }));
    running.await();
    OnlyOnce<String> second = bench.engine().build();
    while (bench.store.calls(Verb.RENEW) < 1) {
      let(Duration.ofMillis(5));
    }
    Block hang = bench.store.block(Moment.BEFORE, Verb.RENEW);
    hang.await(1);
    let(SHORT.dividedBy(3));
    hang.close();
    long renewals = bench.store.calls(Verb.RENEW);
    while (bench.store.calls(Verb.RENEW) < renewals + 2) {
      as(Outcome.InProgress.class, way.take(second, KEY, another -> "never"));
      let(Duration.ofMillis(50));
    }
    finish.countDown();
    assertThat(as(Outcome.Processed.class, holder.get()).result()).isEqualTo("holder");
    assertThat(bench.events(Event.LeaseLost.class)).isEmpty();
  }

  /** Part (b): the store hangs for longer than the lease. */
  @Way.Each
  @Case(15)
  @Semantics({10, 12})
  void a_holder_is_told_when_its_lease_is_over_and_there_is_one_completion(Way way)
      throws Exception {
    Bench bench = Bench.withRealTime();
    Duration lease = Duration.ofMillis(600);
    OnlyOnce<String> once = bench.engine().lease(lease).onInDoubt(OnInDoubt.RERUN).build();
    Block hang = bench.store.block(Moment.BEFORE, Verb.RENEW);
    CountDownLatch told = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    FutureTask<Outcome<String>> holder =
        started(
            () ->
                way.take(
                    once,
                    KEY,
                    attempt -> {
                      while (attempt.stillHeld()) {
                        let(Duration.ofMillis(5));
                      }
                      told.countDown();
                      finish.await();
                      return "holder";
                    }));
    assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
    OnlyOnce<String> second = bench.engine().build();
    Outcome<String> outcome = way.take(second, KEY, another -> "second");
    while (outcome instanceof Outcome.InProgress) { // the holder is told a little early
      outcome = way.take(second, KEY, another -> "second");
    }
    hang.close();
    finish.countDown();
    as(Outcome.Processed.class, outcome);
    as(Outcome.Lost.class, holder.get());
    assertThat(once.process(KEY, attempt -> "never")).isEqualTo("second");
    assertThat(bench.events(Event.Completed.class)).hasSize(1);
  }

  @Test
  @Semantics(12)
  void a_thread_is_interrupted_when_its_claim_is_lost_if_that_was_asked_for() {
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once =
        bench.engine().lease(Duration.ofMillis(300)).interruptWhenLost().build();
    bench.store.failAlways(Moment.BEFORE, Verb.RENEW);
    CountDownLatch never = new CountDownLatch(1);
    Outcome.Released<?> outcome =
        as(
            Outcome.Released.class,
            once.attempt(
                KEY,
                null,
                attempt -> {
                  never.await();
                  return "never";
                }));
    assertThat(outcome.cause()).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).as("it was the engine's, not the caller's").isFalse();
    while (bench.events(Event.LeaseLost.class).isEmpty()) {
      let(Duration.ofMillis(1));
    }
    assertThat(bench.events(Event.RenewalFailed.class)).isNotEmpty();
  }

  @Test
  @Semantics(12)
  void no_interrupt_leaks_out_of_a_handler_that_did_not_notice_it() {
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once =
        bench.engine().lease(Duration.ofMillis(300)).interruptWhenLost().build();
    bench.store.failAlways(Moment.BEFORE, Verb.RENEW);
    Outcome<String> outcome =
        once.attempt(
            KEY,
            null,
            attempt -> {
              while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
              }
              return "regardless";
            });
    as(Outcome.Processed.class, outcome);
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void without_being_asked_for_nobody_is_interrupted() {
    Bench bench = Bench.withRealTime();
    OnlyOnce<String> once = bench.engine().lease(Duration.ofMillis(300)).build();
    bench.store.failAlways(Moment.BEFORE, Verb.RENEW);
    AtomicInteger interrupts = new AtomicInteger();
    once.attempt(
        KEY,
        null,
        attempt -> {
          while (bench.events(Event.LeaseLost.class).isEmpty()) {
            let(Duration.ofMillis(5));
          }
          interrupts.addAndGet(Thread.interrupted() ? 1 : 0);
          return "done";
        });
    assertThat(interrupts).hasValue(0);
  }

  private static <T> FutureTask<T> started(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "holder");
    thread.setDaemon(true);
    thread.start();
    return task;
  }
}
