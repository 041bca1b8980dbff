package dev.onlyonce.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.SteppedTime;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The duty cycle of the renewals, stepped by hand. */
class RenewalsTest {

  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final Duration STEP = Duration.ofMillis(10);

  private final SteppedTime time = new SteppedTime();
  private final ScriptedStore store = new ScriptedStore();
  private final List<Event> events = new ArrayList<>();
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private boolean rejecting;
  private final Renewals renewals =
      new Renewals(
          store,
          time,
          new Events(List.of(events::add)),
          task -> {
            if (rejecting) {
              throw new RejectedExecutionException("no thread");
            }
            tasks.add(task);
          },
          () -> {});
  private final long start = time.nanoTime();

  @AfterEach
  void no_interrupt_is_left_behind() {
    assertThat(Thread.interrupted()).isFalse();
  }

  /** Answers renewals as it is told to, and notes when and for how long they were asked for. */
  private final class ScriptedStore implements ClaimStore {
    Function<Renewal, Held> answer = renewal -> Held.HELD;
    Duration roundTrip = Duration.ZERO;
    final List<String> asked = new ArrayList<>();
    final List<Integer> batches = new ArrayList<>();

    @Override
    public List<Held> renew(List<Renewal> batch) {
      batches.add(batch.size());
      for (Renewal renewal : batch) {
        asked.add(
            "%s@%d for %d"
                .formatted(renewal.claim().key(), passedMillis(), renewal.lease().toMillis()));
      }
      time.step(roundTrip);
      return batch.stream().map(answer).toList();
    }

    @Override
    public List<Answer> claim(List<ClaimRequest> batch) {
      throw new AssertionError();
    }

    @Override
    public List<Held> settle(List<? extends Settlement> batch) {
      throw new AssertionError();
    }

    @Override
    public int purge(int limit) {
      throw new AssertionError();
    }

    @Override
    public void close() {}
  }

  private long passedMillis() {
    return Duration.ofNanos(time.nanoTime() - start).toMillis();
  }

  private HeldClaim claimed(String key) {
    return claimed(key, true, false);
  }

  private HeldClaim claimed(String key, boolean leased, boolean interruptWhenLost) {
    Claim claim = new Claim(Plans.SCOPE, Key.of(key), 71, 1);
    Step.Run<?> run = new Step.Run<>(claim, leased, time.nanoTime() + LEASE.toNanos(), null);
    HeldClaim held = new HeldClaim(renewals, run, LEASE, Thread.currentThread(), interruptWhenLost);
    renewals.add(held);
    return held;
  }

  /** Lets time pass in small steps, with a store that answers at once. */
  private void pass(Duration duration) {
    passWithBlockedStore(duration);
    answerTasks();
  }

  private void passWithBlockedStore(Duration duration) {
    long end = time.nanoTime() + duration.toNanos();
    while (end - time.nanoTime() > 0) {
      answerTasksUnlessBlocked();
      time.step(STEP);
      if (renewals.nanosToNextRun() == 0) {
        renewals.runOnce();
      }
    }
  }

  private boolean blocked;

  private void answerTasksUnlessBlocked() {
    if (!blocked) {
      answerTasks();
    }
  }

  private void answerTasks() {
    while (!blocked && !tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  @Test
  void a_claim_is_renewed_whenever_a_third_of_its_lease_is_over() {
    HeldClaim held = claimed("k");
    pass(Duration.ofMillis(4_500));
    assertThat(store.asked)
        .containsExactly(
            "k@1000 for 3000", "k@2000 for 3000", "k@3000 for 3000", "k@4000 for 3000");
    assertThat(held.stillHeld()).isTrue();
    renewals.remove(held);
    pass(Duration.ofSeconds(4));
    assertThat(store.asked).hasSize(4);
    assertThat(events).isEmpty();
  }

  /** Known failure 15, part (a): one time-out, and Redisson's watchdog never came back. */
  @Test
  void a_renewal_that_failed_is_tried_again_until_it_succeeds() {
    HeldClaim held = claimed("k");
    pass(Duration.ofMillis(3_900));
    store.answer = renewal -> down();
    pass(Duration.ofMillis(1_500));
    assertThat(held.stillHeld()).isTrue();
    assertThat(events).hasOnlyElementsOfType(Event.RenewalFailed.class).hasSize(5);
    store.answer = renewal -> Held.HELD;
    pass(Duration.ofSeconds(20));
    assertThat(held.stillHeld()).isTrue();
    assertThat(events).hasSize(5);
  }

  /** The same with a store that hangs instead of failing. */
  @Test
  void a_renewal_that_hangs_for_half_a_lease_does_not_lose_the_claim() {
    HeldClaim held = claimed("k");
    pass(Duration.ofMillis(3_950));
    blocked = true;
    passWithBlockedStore(Duration.ofMillis(1_500));
    blocked = false;
    pass(Duration.ofSeconds(20));
    assertThat(held.stillHeld()).isTrue();
    assertThat(events).isEmpty();
  }

  /** Known failure 15, part (b). */
  @Test
  void a_handler_is_told_when_its_lease_is_over_though_the_store_hangs() {
    HeldClaim held = claimed("k", true, true);
    pass(Duration.ofMillis(3_950));
    blocked = true;
    passWithBlockedStore(Duration.ofMillis(2_040));
    assertThat(held.stillHeld()).isTrue();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    passWithBlockedStore(Duration.ofMillis(20)); // 3,000 after the renewal at 3,000
    assertThat(held.stillHeld()).isFalse();
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
    assertThat(events).containsExactly(new Event.LeaseLost(held.claim));
    blocked = false;
    pass(Duration.ofSeconds(10));
    assertThat(held.stillHeld()).isFalse();
    assertThat(events).hasSize(1);
    assertThat(held.handlerEnded()).isEqualTo(HeldClaim.Interrupt.LOST);
  }

  /** A call that is on its way, whose connection has died without a word. */
  private Runnable hangingCall() {
    blocked = true;
    while (tasks.isEmpty()) {
      passWithBlockedStore(STEP);
    }
    blocked = false;
    return tasks.remove();
  }

  /** One connection that hung ended all renewing, until TCP gave it up after a quarter hour. */
  @Test
  void a_call_that_hangs_costs_no_claim_as_long_as_others_are_answered() {
    HeldClaim first = claimed("first");
    Runnable hanging = hangingCall();
    HeldClaim later = claimed("later");
    pass(Duration.ofSeconds(20));
    assertThat(first.stillHeld()).isTrue();
    assertThat(later.stillHeld()).isTrue();
    hanging.run();
    pass(Duration.ofSeconds(20));
    assertThat(first.stillHeld()).isTrue();
    assertThat(later.stillHeld()).isTrue();
    assertThat(events).isEmpty();
  }

  @Test
  void what_becomes_due_during_a_call_that_is_answered_soon_goes_together() {
    claimed("k");
    time.step(Duration.ofMillis(150));
    claimed("due at 1150");
    time.step(Duration.ofMillis(50));
    claimed("due at 1200");
    Runnable first = hangingCall();
    pass(Duration.ofMillis(250));
    assertThat(store.asked).isEmpty();
    first.run();
    pass(Duration.ofMillis(20));
    assertThat(store.batches).containsExactly(1, 2);
  }

  @Test
  void calls_that_hang_are_bounded_and_renewing_goes_on_after_them() {
    blocked = true;
    for (int i = 0; i < 40; i++) {
      claimed("k" + i);
      passWithBlockedStore(Duration.ofMillis(500));
    }
    assertThat(tasks).hasSize(Renewals.MOST_CALLS);
    blocked = false;
    pass(STEP);
    HeldClaim held = claimed("held");
    pass(Duration.ofSeconds(20));
    assertThat(held.stillHeld()).isTrue();
  }

  @Test
  void an_answer_that_comes_after_a_later_ones_does_not_shorten_the_lease() {
    HeldClaim held = claimed("k");
    store.answer =
        renewal -> {
          if (store.asked.size() == 1) {
            pass(Duration.ofMillis(1_500));
          }
          return Held.HELD;
        };
    pass(Duration.ofMillis(1_100));
    assertThat(store.asked).containsExactly("k@1000 for 3000", "k@2000 for 3000");
    time.step(Duration.ofMillis(4_900 - passedMillis()));
    assertThat(held.stillHeld()).isTrue();
  }

  /** Nobody would know which of the two had come last. */
  @Test
  void a_claim_is_not_on_its_way_with_two_leases() {
    HeldClaim held = claimed("k");
    Runnable hanging = hangingCall();
    assertThat(held.extend(Duration.ofMinutes(1))).isTrue();
    pass(Duration.ofMillis(1_500));
    assertThat(store.asked).containsExactly("k@1000 for 60000");
    hanging.run();
    pass(Duration.ofMinutes(2));
    assertThat(store.asked).startsWith("k@1000 for 60000", "k@2500 for 3000", "k@2510 for 60000");
    assertThat(held.stillHeld()).isTrue();
    assertThat(events).isEmpty();
  }

  @Test
  void a_handler_is_told_when_another_has_overtaken_it() {
    HeldClaim held = claimed("k");
    HeldClaim other = claimed("other");
    store.answer = renewal -> renewal.claim().key().equals(Key.of("k")) ? Held.LOST : Held.HELD;
    pass(Duration.ofMillis(1_100));
    assertThat(held.stillHeld()).isFalse();
    assertThat(other.stillHeld()).isTrue();
    assertThat(events).containsExactly(new Event.LeaseLost(held.claim));
    pass(Duration.ofSeconds(5));
    assertThat(store.asked).filteredOn(asked -> asked.startsWith("k@")).hasSize(1);
  }

  /** One record that was locked cost all claims of its batch their lease. */
  @Test
  void a_renewal_of_which_the_store_does_not_know_is_tried_again_and_costs_no_other() {
    HeldClaim locked = claimed("locked");
    HeldClaim other = claimed("other");
    store.answer =
        renewal -> renewal.claim().key().equals(Key.of("locked")) ? Held.UNKNOWN : Held.HELD;
    pass(Duration.ofMillis(2_900));
    assertThat(locked.stillHeld()).isTrue();
    assertThat(events).hasOnlyElementsOfType(Event.RenewalFailed.class).hasSizeBetween(5, 7);
    pass(Duration.ofMillis(200));
    assertThat(locked.stillHeld()).isFalse();
    assertThat(other.stillHeld()).isTrue();
    assertThat(events).contains(new Event.LeaseLost(locked.claim));
    assertThatThrownBy(() -> locked.extend(LEASE)).isInstanceOf(StoreException.class);
  }

  @Test
  void a_handler_is_told_one_round_trip_before_its_lease_is_over() {
    store.roundTrip = Duration.ofMillis(200);
    HeldClaim held = claimed("k");
    pass(Duration.ofMillis(1_500)); // renewed at 1,000
    assertThat(events).isEmpty();
    blocked = true;
    passWithBlockedStore(Duration.ofMillis(3_790 - passedMillis()));
    assertThat(events).isEmpty();
    passWithBlockedStore(Duration.ofMillis(20));
    assertThat(events).containsExactly(new Event.LeaseLost(held.claim));
  }

  /**
   * One renewal took ten seconds and succeeded. From then on every claim was lost in the moment it
   * was made, since no lease is longer than ten seconds but for one round trip, and none was ever
   * renewed again, so that the round trip stayed what it was.
   */
  @Test
  void a_slow_renewal_does_not_lose_the_claims_that_come_after_it() {
    HeldClaim slow = claimed("slow");
    store.roundTrip = Duration.ofSeconds(10);
    pass(Duration.ofMillis(1_200));
    renewals.remove(slow);
    store.roundTrip = Duration.ZERO;
    HeldClaim held = claimed("k");
    pass(Duration.ofSeconds(20));
    assertThat(held.stillHeld()).isTrue();
    assertThat(events).doesNotContain(new Event.LeaseLost(held.claim));
  }

  /**
   * The handler asked for a minute while a renewal for three seconds was on its way. When that was
   * answered, it was counted as one for a minute, and the handler was told that it held the claim
   * long after the store had given it to another.
   */
  @Test
  void an_answer_counts_for_the_lease_that_was_asked_for() {
    HeldClaim held = claimed("k");
    store.answer =
        renewal -> {
          if (renewal.lease().equals(LEASE)) { // while it is on its way
            assertThat(held.extend(Duration.ofMinutes(1))).isTrue();
          }
          return Held.HELD;
        };
    pass(Duration.ofSeconds(1));
    assertThat(store.asked).containsExactly("k@1000 for 3000", "k@1000 for 60000");
    time.step(Duration.ofMillis(2_990));
    assertThat(held.stillHeld()).isTrue();
    time.step(Duration.ofMillis(20));
    assertThat(held.stillHeld()).isFalse();
  }

  /** The batch was sent later and answered earlier, and may have come last to the store. */
  @Test
  void an_extension_that_a_batch_has_crossed_counts_for_the_shorter_lease() {
    HeldClaim held = claimed("k");
    time.step(Duration.ofSeconds(1));
    store.answer =
        renewal -> {
          if (!renewal.lease().equals(LEASE)) {
            renewals.runOnce();
            answerTasks();
          }
          return Held.HELD;
        };
    assertThat(held.extend(Duration.ofMinutes(1))).isTrue();
    assertThat(store.asked).containsExactly("k@1000 for 60000", "k@1000 for 3000");
    time.step(Duration.ofMillis(2_990));
    assertThat(held.stillHeld()).isTrue();
    time.step(Duration.ofMillis(20));
    assertThat(held.stillHeld()).isFalse();
  }

  @Test
  void a_handler_that_asks_for_more_gets_it_also_after_that() {
    HeldClaim held = claimed("k");
    store.answer =
        renewal -> {
          if (renewal.lease().equals(LEASE)) {
            assertThat(held.extend(Duration.ofMinutes(1))).isTrue();
          }
          return Held.HELD;
        };
    pass(Duration.ofSeconds(55));
    assertThat(store.asked)
        .containsExactly(
            "k@1000 for 3000",
            "k@1000 for 60000",
            "k@1010 for 60000",
            "k@21010 for 60000",
            "k@41010 for 60000");
    assertThat(held.stillHeld()).isTrue();
    assertThat(events).isEmpty();
  }

  /** It was told that its claim was held, and at the same time that it was not any more. */
  @Test
  void a_handler_that_renews_its_lapsed_claim_by_itself_holds_it_again() {
    HeldClaim held = claimed("k");
    blocked = true;
    passWithBlockedStore(Duration.ofMillis(3_100));
    assertThat(held.stillHeld()).isFalse();
    assertThat(events).containsExactly(new Event.LeaseLost(held.claim));
    assertThat(held.extend(LEASE)).isTrue();
    assertThat(held.stillHeld()).isTrue();
    blocked = false;
    pass(Duration.ofSeconds(20)); // it is renewed again
    assertThat(held.stillHeld()).isTrue();
    assertThat(events).hasSize(1);
  }

  @Test
  void claims_that_are_due_together_are_one_batch_and_a_batch_is_bounded() {
    for (int i = 0; i < 1_201; i++) {
      claimed("k" + i);
      time.step(Duration.ofNanos(50_000)); // all within 60 ms
    }
    pass(Duration.ofMillis(1_300));
    assertThat(store.batches).containsExactly(500, 500, 201);
  }

  @Test
  void a_store_that_throws_what_it_should_not_is_asked_again() {
    HeldClaim held = claimed("k");
    store.answer =
        renewal -> {
          throw new NullPointerException("a bug in the store");
        };
    pass(Duration.ofMillis(1_100));
    assertThat(events).hasOnlyElementsOfType(Event.RenewalFailed.class).isNotEmpty();
    store.answer = renewal -> Held.HELD;
    pass(Duration.ofSeconds(20));
    assertThat(held.stillHeld()).isTrue();
  }

  /** It ended all renewing: whatever was due was counted as on its way for ever. */
  @Test
  void renewing_goes_on_after_there_was_no_thread_for_it() {
    HeldClaim held = claimed("k");
    rejecting = true;
    pass(Duration.ofMillis(1_500));
    assertThat(events).hasOnlyElementsOfType(Event.RenewalFailed.class).hasSizeBetween(1, 3);
    rejecting = false;
    pass(Duration.ofSeconds(20));
    assertThat(held.stillHeld()).isTrue();
  }

  @Test
  void a_claim_without_a_lease_is_neither_renewed_nor_lost() {
    HeldClaim held = claimed("k", false, true);
    pass(Duration.ofSeconds(20));
    assertThat(held.stillHeld()).isTrue();
    assertThat(held.extend(LEASE)).isTrue();
    assertThat(store.asked).isEmpty();
    assertThat(events).isEmpty();
  }

  @Test
  void a_thread_is_interrupted_only_if_that_was_asked_for_and_only_while_its_handler_runs() {
    HeldClaim quiet = claimed("quiet");
    HeldClaim ended = claimed("ended", true, true);
    assertThat(ended.handlerEnded()).isEqualTo(HeldClaim.Interrupt.NONE);
    store.answer = renewal -> Held.LOST;
    pass(Duration.ofMillis(1_100));
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(events).containsExactly(new Event.LeaseLost(quiet.claim));
    HeldClaim loud = claimed("loud", true, true);
    pass(Duration.ofMillis(1_100));
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
    assertThat(loud.handlerEnded()).isEqualTo(HeldClaim.Interrupt.LOST);
  }

  @Test
  void at_the_end_every_handler_is_interrupted_also_one_that_is_about_to_run_or_has_lost() {
    HeldClaim lost = claimed("lost");
    store.answer = renewal -> Held.LOST;
    pass(Duration.ofMillis(1_100));
    HeldClaim unleased = claimed("unleased", false, false);
    renewals.leave();
    HeldClaim late = claimed("late");
    for (HeldClaim each : List.of(lost, unleased, late)) {
      assertThat(each.handlerEnded()).isEqualTo(HeldClaim.Interrupt.TO_LEAVE);
    }
  }

  @Test
  void extending_and_saving_say_whether_the_claim_was_held_and_throw_if_nobody_knows() {
    HeldClaim held = claimed("k");
    assertThat(held.saveCheckpoint(new byte[] {1})).isTrue();
    assertThat(held.extend(Duration.ofSeconds(9))).isTrue();
    store.answer = renewal -> down();
    assertThatThrownBy(() -> held.extend(LEASE)).isInstanceOf(StoreException.class);
    assertThat(held.stillHeld()).isTrue();
    store.answer = renewal -> Held.LOST;
    assertThat(held.saveCheckpoint(new byte[] {2})).isFalse();
    assertThat(held.stillHeld()).isFalse();
    assertThat(store.asked).startsWith("k@0 for 3000", "k@0 for 9000");
  }

  private static Held down() {
    throw new StoreException(StoreException.Kind.UNAVAILABLE, "the wire is cut");
  }
}
