package dev.onlyonce.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Locks;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.FaultyStore.Moment;
import dev.onlyonce.testkit.FaultyStore.Verb;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LocksTest {

  private static final Scope SCOPE = Scope.of("locks");
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

  private final Bench manual = Bench.withManualTime();
  private final Bench real = Bench.withRealTime();

  private Locks locks() {
    return Locks.builder(manual.store).time(manual.time).lease(LEASE).build();
  }

  private Locks realLocks() {
    return Locks.on(real.store);
  }

  /** Holders of a lock belong to different threads, as a thread is refused a lock of its own. */
  private static <T> T elsewhere(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    new Thread(task, "another").start();
    try {
      return task.get(60, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /**
   * A holder whose lease had run out released "its" lock, and with it the one that somebody else
   * had taken in the meantime.
   */
  @Test
  @Case(13)
  @Semantics({10, 11})
  void releasing_late_does_not_release_the_lock_of_the_successor() {
    Locks asleep = locks(); // its time stands still between the calls: nothing is renewed
    Locks.Lock a = asleep.tryLock("L").orElseThrow();
    manual.time.advance(Duration.ofMillis(1_500));
    Locks fiveSeconds =
        Locks.builder(manual.store).time(manual.time).lease(Duration.ofSeconds(5)).build();
    Locks.Lock b = elsewhere(() -> fiveSeconds.tryLock("L").orElseThrow());
    assertThat(b.token()).isGreaterThan(a.token());
    manual.time.advance(Duration.ofMillis(1_500));
    assertThat(a.stillHeld()).isFalse();
    assertThat(a.release()).as("A's unlock reports lost ownership").isFalse();
    manual.time.advance(Duration.ofMillis(200));
    assertThat(elsewhere(() -> locks().tryLock("L"))).as("C is refused").isEmpty();
    manual.time.advance(Duration.ofMillis(100));
    Claim asClaim = new Claim(SCOPE, Key.of("L"), a.token(), 1);
    Settlement done = new Settlement.Complete(asClaim, Result.NONE, Duration.ofDays(1));
    assertThat(manual.memory.settle(List.of(done))).as("A's DONE").containsExactly(Held.LOST);
    assertThat(b.stillHeld()).as("B's work is unharmed").isTrue();
    assertThat(b.release()).isTrue();
  }

  @Test
  void a_lock_is_taken_by_one_and_free_again_when_it_is_released() {
    Locks locks = locks();
    try (Locks.Lock lock = locks.tryLock("books").orElseThrow()) {
      assertThat(lock.stillHeld()).isTrue();
      assertThat(elsewhere(() -> locks.tryLock("books"))).isEmpty();
      assertThat(elsewhere(() -> locks.tryLock("others"))).isPresent();
    }
    assertThat(elsewhere(() -> locks.tryLock("books"))).isPresent();
  }

  @Test
  @Semantics(96)
  void the_token_grows_from_holder_to_holder() {
    Locks locks = locks();
    long last = 0;
    for (int i = 0; i < 100; i++) {
      try (Locks.Lock lock = locks.tryLock("books").orElseThrow()) {
        assertThat(lock.token()).isGreaterThan(last);
        last = lock.token();
      }
    }
  }

  @Test
  void whoever_waits_gets_the_lock_when_it_is_released() throws Exception {
    Locks locks = realLocks();
    Locks.Lock first = locks.tryLock("books").orElseThrow();
    FutureTask<Optional<Locks.Lock>> waiting = new FutureTask<>(() -> locks.lock("books", FOREVER));
    new Thread(waiting).start();
    while (real.store.calls(Verb.CLAIM) < 3) {
      Thread.onSpinWait();
    }
    assertThat(waiting.isDone()).isFalse();
    assertThat(first.release()).isTrue();
    assertThat(waiting.get()).isPresent();
  }

  @Test
  void whoever_waits_gives_up_at_the_bound_or_when_interrupted() {
    Locks locks = realLocks();
    Locks.Lock first = locks.tryLock("books").orElseThrow();
    long started = System.nanoTime();
    assertThat(elsewhere(() -> locks.lock("books", Duration.ofMillis(60)))).isEmpty();
    assertThat(Duration.ofNanos(System.nanoTime() - started))
        .isGreaterThanOrEqualTo(Duration.ofMillis(60));
    assertThat(
            elsewhere(
                () -> {
                  Thread.currentThread().interrupt();
                  assertThat(locks.lock("books", FOREVER)).isEmpty();
                  return Thread.currentThread().isInterrupted();
                }))
        .isTrue();
    assertThat(first.stillHeld()).isTrue();
  }

  @Test
  @Semantics(15)
  void a_thread_that_asks_for_its_own_lock_is_refused_instead_of_waiting_for_itself() {
    Locks locks = locks();
    Locks.Lock lock = locks.tryLock("books").orElseThrow();
    assertThatThrownBy(() -> locks.lock("books", FOREVER))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("this thread holds the lock books already");
    lock.release();
    assertThat(locks.tryLock("books")).isPresent();
  }

  /** Closing what was released before let the thread take its own, newer lock a second time. */
  @Test
  void releasing_again_says_the_same_and_touches_no_later_lock() {
    Locks locks = locks();
    try (Locks.Lock first = locks.tryLock("books").orElseThrow()) {
      assertThat(first.release()).isTrue();
      Locks.Lock second = locks.tryLock("books").orElseThrow();
      assertThat(first.release()).as("it was held when it was released").isTrue();
      assertThatThrownBy(() -> locks.tryLock("books")).isInstanceOf(IllegalStateException.class);
      assertThat(second.stillHeld()).isTrue();
      assertThat(second.release()).isTrue();
    }
  }

  @Test
  @Semantics(98)
  void lost_answers_are_healed() {
    Locks locks = locks();
    manual.store.fail(Verb.CLAIM, Moment.AFTER, 1);
    Locks.Lock lock = locks.tryLock("books").orElseThrow();
    manual.store.fail(Verb.SETTLE, Moment.AFTER, 1);
    assertThat(lock.release()).isTrue();
    assertThat(locks.tryLock("books")).isPresent();
  }

  @Test
  @Semantics(69)
  void a_store_that_is_down_is_not_a_lock_that_is_free() {
    Locks locks = locks();
    manual.store.failAlways(Moment.BEFORE, Verb.CLAIM);
    assertThatThrownBy(() -> locks.tryLock("books")).isInstanceOf(StoreException.class);
  }

  @Test
  void a_lock_whose_release_failed_can_be_released_again() {
    Locks locks = locks();
    Locks.Lock lock = locks.tryLock("books").orElseThrow();
    manual.store.failAlways(Moment.BEFORE, Verb.SETTLE);
    assertThatThrownBy(lock::release).isInstanceOf(StoreException.class);
    manual.store.heal();
    assertThat(lock.release()).isTrue();
    assertThat(elsewhere(() -> locks.tryLock("books"))).isPresent();
  }

  @Test
  void a_lock_is_renewed_for_as_long_as_it_is_held() {
    Locks locks = Locks.builder(real.store).lease(Duration.ofSeconds(5)).build();
    Locks.Lock lock = locks.tryLock("books").orElseThrow();
    while (real.store.calls(Verb.RENEW) < 4) {
      LockSupport.parkNanos(1_000_000);
    }
    assertThat(lock.stillHeld()).isTrue();
    assertThat(elsewhere(() -> locks.tryLock("books"))).isEmpty();
    assertThat(lock.release()).isTrue();
  }

  @Test
  @Semantics(12)
  void a_holder_can_see_that_its_lock_is_lost() {
    Locks locks = Locks.builder(real.store).lease(Duration.ofMillis(200)).build();
    real.store.failAlways(Moment.BEFORE, Verb.RENEW);
    Locks.Lock lock = locks.tryLock("books").orElseThrow();
    while (lock.stillHeld()) {
      LockSupport.parkNanos(1_000_000);
    }
    assertThat(elsewhere(() -> locks.lock("books", FOREVER))).isPresent();
    assertThat(lock.release()).isFalse();
  }

  @Test
  void closed_locks_are_not_given_out_any_more() {
    Locks locks = locks();
    locks.close();
    assertThatThrownBy(() -> locks.tryLock("books"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("these locks have been closed");
  }

  @Test
  void a_name_that_is_no_lock_is_refused() {
    Claim claim = manual.claimedByAnother(Key.of("order-1"), Lapse.TAKE);
    manual.settle(new Settlement.Complete(claim, Result.NONE, Duration.ofDays(1)));
    Locks locks = Locks.builder(manual.store).scope("billing").time(manual.time).build();
    assertThatThrownBy(() -> locks.tryLock("order-1"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is not a lock");
  }

  /** As after a restore, which fences whoever held a lock when the backup was made. */
  @Test
  @Semantics(101)
  void a_lock_in_doubt_is_refused_until_an_operator_frees_it() {
    Locks locks = locks();
    Locks.Lock before = locks.tryLock("books").orElseThrow();
    long parked = overtake(before.token(), Lapse.PARK).token();
    manual.time.advance(LEASE);
    assertThat(before.release()).as("its holder is fenced").isFalse();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> locks.tryLock("books"))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.REJECTED))
          .hasMessageContaining("the lock books in scope locks is in doubt")
          .hasMessageContaining("onlyonce claims resolve books --rerun --scope locks,");
    }
    Claim freed = overtake(parked, Lapse.TAKE);
    manual.settle(
        new Settlement.Release(
            freed, Duration.ZERO, Settlement.Attempts.RESET, Duration.ofDays(7)));
    assertThat(locks.tryLock("books").orElseThrow().token()).isGreaterThan(freed.token());
  }

  private Claim overtake(long token, Lapse lapse) {
    ClaimRequest request =
        ClaimRequest.of(SCOPE, Key.of("books"), token, LEASE, lapse).expecting(token);
    return ((Answer.Claimed) manual.memory.claim(List.of(request)).get(0)).claim();
  }

  @Test
  @Semantics(1)
  void eight_threads_count_to_eight_thousand_under_one_lock() throws Exception {
    Locks locks = realLocks();
    int[] counter = new int[1];
    CountDownLatch start = new CountDownLatch(1);
    List<FutureTask<Void>> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      FutureTask<Void> thread =
          new FutureTask<>(
              () -> {
                start.await();
                for (int n = 0; n < 1_000; n++) {
                  Locks.Lock lock = locks.lock("counter", FOREVER).orElseThrow();
                  int seen = counter[0];
                  Thread.onSpinWait();
                  counter[0] = seen + 1;
                  lock.release();
                }
                return null;
              });
      threads.add(thread);
      new Thread(thread).start();
    }
    start.countDown();
    for (FutureTask<Void> thread : threads) {
      thread.get();
    }
    assertThat(counter[0]).isEqualTo(8_000);
  }
}
