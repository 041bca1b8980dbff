package dev.onlyonce.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CombinerTest {

  private final ExecutorService callers = Executors.newCachedThreadPool();
  private final List<List<Integer>> batches = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void end() {
    callers.shutdownNow();
  }

  /** A batch call that a test can hold up: each call waits until it is let through. */
  private final class Gate {
    private final LinkedBlockingQueue<CountDownLatch> arrived = new LinkedBlockingQueue<>();

    List<Integer> doubled(List<Integer> items) {
      batches.add(List.copyOf(items));
      CountDownLatch passed = new CountDownLatch(1);
      arrived.add(passed);
      try {
        passed.await();
      } catch (InterruptedException e) {
        throw new StoreException(
            StoreException.Kind.UNAVAILABLE, "the store's client was interrupted", e);
      }
      return CombinerTest.doubled(items);
    }

    /** Returns once a call has arrived at the gate; counting the latch down lets it through. */
    CountDownLatch call() throws InterruptedException {
      return arrived.take();
    }
  }

  private static List<Integer> doubled(List<Integer> items) {
    return items.stream().map(item -> 2 * item).toList();
  }

  private <T> Future<T> async(Callable<T> call) {
    return callers.submit(call);
  }

  /** Waits until so many items stand in the queue. */
  private static void awaitQueue(Combiner<?, ?> combiner, int items) {
    while (combiner.queuedItems() < items) {
      Thread.onSpinWait();
    }
  }

  @Test
  void a_call_alone_goes_at_once() {
    Combiner<Integer, Integer> combiner = new Combiner<>(CombinerTest::doubled, 10, 10);
    assertThat(combiner.call(List.of(1, 2, 3))).containsExactly(2, 4, 6);
    assertThat(combiner.call(List.of())).isEmpty();
  }

  @Test
  void calls_that_arrive_meanwhile_form_the_next_batch_in_their_order() throws Exception {
    Gate gate = new Gate();
    Combiner<Integer, Integer> combiner = new Combiner<>(gate::doubled, 10, 100);
    Future<List<Integer>> first = async(() -> combiner.call(List.of(1)));
    CountDownLatch one = gate.call();
    Future<List<Integer>> second = async(() -> combiner.call(List.of(2, 3)));
    awaitQueue(combiner, 2);
    Future<List<Integer>> third = async(() -> combiner.call(List.of(4)));
    awaitQueue(combiner, 3);
    one.countDown();
    assertThat(first.get()).containsExactly(2);
    gate.call().countDown();
    assertThat(second.get()).containsExactly(4, 6);
    assertThat(third.get()).containsExactly(8);
    assertThat(batches).containsExactly(List.of(1), List.of(2, 3, 4));
  }

  @Test
  void a_batch_is_bounded_and_no_call_is_torn_apart() throws Exception {
    Gate gate = new Gate();
    Combiner<Integer, Integer> combiner = new Combiner<>(gate::doubled, 3, 100);
    List<Future<List<Integer>>> calls = new ArrayList<>();
    calls.add(async(() -> combiner.call(List.of(1))));
    CountDownLatch one = gate.call();
    int queued = 0;
    for (List<Integer> items : List.of(List.of(2, 3), List.of(4, 5), List.of(6, 7, 8, 9))) {
      calls.add(async(() -> combiner.call(items)));
      awaitQueue(combiner, queued += items.size());
    }
    one.countDown();
    for (int i = 0; i < 3; i++) {
      gate.call().countDown();
    }
    for (Future<List<Integer>> call : calls) {
      call.get();
    }
    assertThat(batches)
        .containsExactly(List.of(1), List.of(2, 3), List.of(4, 5), List.of(6, 7, 8, 9));
  }

  @Test
  void a_bad_item_fails_its_own_caller_and_nobody_else() throws Exception {
    Gate gate = new Gate();
    Combiner<Integer, Integer> combiner =
        new Combiner<>(
            items -> {
              List<Integer> answers = gate.doubled(items);
              if (items.contains(13)) {
                throw new StoreException(StoreException.Kind.REJECTED, "13 cannot be stored");
              }
              return answers;
            },
            10,
            100);
    Future<List<Integer>> first = async(() -> combiner.call(List.of(1)));
    CountDownLatch one = gate.call();
    Future<List<Integer>> good = async(() -> combiner.call(List.of(2)));
    awaitQueue(combiner, 1);
    Future<List<Integer>> bad = async(() -> combiner.call(List.of(13)));
    awaitQueue(combiner, 2);
    Future<List<Integer>> alsoGood = async(() -> combiner.call(List.of(3)));
    awaitQueue(combiner, 3);
    one.countDown();
    for (int i = 0; i < 4; i++) { // the batch, and then each of its calls alone
      gate.call().countDown();
    }
    assertThat(first.get()).containsExactly(2);
    assertThat(good.get()).containsExactly(4);
    assertThat(alsoGood.get()).containsExactly(6);
    assertThatThrownBy(bad::get).hasRootCauseMessage("13 cannot be stored");
  }

  @Test
  void a_store_that_is_away_fails_the_batch_once_and_not_each_call_in_turn() throws Exception {
    Gate gate = new Gate();
    AtomicInteger calls = new AtomicInteger();
    Combiner<Integer, Integer> combiner =
        new Combiner<>(
            items -> {
              gate.doubled(items);
              calls.incrementAndGet();
              throw new StoreException(StoreException.Kind.UNAVAILABLE, "down");
            },
            10,
            100);
    Future<List<Integer>> first = async(() -> combiner.call(List.of(1)));
    CountDownLatch one = gate.call();
    Future<List<Integer>> second = async(() -> combiner.call(List.of(2)));
    Future<List<Integer>> third = async(() -> combiner.call(List.of(3)));
    awaitQueue(combiner, 2);
    one.countDown();
    gate.call().countDown();
    for (Future<List<Integer>> call : List.of(first, second, third)) {
      assertThatThrownBy(call::get).hasRootCauseMessage("down");
    }
    assertThat(calls).hasValue(2);
  }

  @Test
  void a_full_queue_refuses_and_says_so() throws Exception {
    Gate gate = new Gate();
    Combiner<Integer, Integer> combiner = new Combiner<>(gate::doubled, 10, 2);
    Future<List<Integer>> first = async(() -> combiner.call(List.of(1)));
    CountDownLatch one = gate.call();
    Future<List<Integer>> second = async(() -> combiner.call(List.of(2, 3)));
    awaitQueue(combiner, 2);
    assertThatThrownBy(() -> combiner.call(List.of(4)))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.UNAVAILABLE))
        .hasMessage("the store does not keep up: 2 requests wait already, the limit is 2");
    one.countDown();
    gate.call().countDown();
    assertThat(first.get()).containsExactly(2);
    assertThat(second.get()).containsExactly(4, 6);
  }

  @Test
  void a_caller_that_is_interrupted_while_it_waits_gets_its_answer_and_stays_interrupted()
      throws Exception {
    Gate gate = new Gate();
    Combiner<Integer, Integer> combiner = new Combiner<>(gate::doubled, 10, 100);
    Future<List<Integer>> first = async(() -> combiner.call(List.of(1)));
    CountDownLatch one = gate.call();
    CompletableFuture<Thread> caller = new CompletableFuture<>();
    Future<Boolean> second =
        async(
            () -> {
              caller.complete(Thread.currentThread());
              assertThat(combiner.call(List.of(2))).containsExactly(4);
              return Thread.currentThread().isInterrupted();
            });
    awaitQueue(combiner, 1);
    caller.get().interrupt();
    one.countDown();
    gate.call().countDown();
    assertThat(first.get()).containsExactly(2);
    assertThat(second.get()).isTrue();
  }

  /**
   * The caller whose turn it was had been interrupted. The store's client saw that, gave up, and
   * the calls of everybody in the batch failed.
   */
  @Test
  void a_caller_that_is_interrupted_does_not_fail_the_batch_that_it_carries_out() throws Exception {
    Gate gate = new Gate();
    Combiner<Integer, Integer> combiner = new Combiner<>(gate::doubled, 10, 100);
    Future<Boolean> interrupted =
        async(
            () -> {
              Thread.currentThread().interrupt();
              assertThat(combiner.call(List.of(1))).containsExactly(2);
              return Thread.currentThread().isInterrupted();
            });
    gate.call().countDown();
    assertThat(interrupted.get()).isTrue();
  }

  @Test
  void an_error_ends_its_caller_and_tells_the_others_that_nobody_knows() throws Exception {
    Gate gate = new Gate();
    Combiner<Integer, Integer> combiner =
        new Combiner<>(
            items -> {
              List<Integer> answers = gate.doubled(items);
              if (items.contains(13)) {
                throw new StackOverflowError();
              }
              return answers;
            },
            10,
            100);
    Future<List<Integer>> first = async(() -> combiner.call(List.of(1)));
    CountDownLatch one = gate.call();
    Future<List<Integer>> leader = async(() -> combiner.call(List.of(13)));
    awaitQueue(combiner, 1);
    Future<List<Integer>> other = async(() -> combiner.call(List.of(2)));
    awaitQueue(combiner, 2);
    one.countDown();
    gate.call().countDown();
    assertThat(first.get()).containsExactly(2);
    assertThatThrownBy(leader::get).hasCauseInstanceOf(StackOverflowError.class);
    assertThatThrownBy(other::get).hasCauseInstanceOf(StoreException.class);
    Future<List<Integer>> next = async(() -> combiner.call(List.of(3)));
    gate.call().countDown();
    assertThat(next.get()).containsExactly(6);
  }

  @Test
  void sixty_four_threads_get_each_its_own_answers() throws Exception {
    AtomicInteger items = new AtomicInteger();
    AtomicInteger largest = new AtomicInteger();
    AtomicInteger under = new AtomicInteger();
    Combiner<Integer, Integer> combiner =
        new Combiner<>(
            batch -> {
              assertThat(under.incrementAndGet()).as("batches at the same time").isEqualTo(1);
              items.addAndGet(batch.size());
              largest.accumulateAndGet(batch.size(), Math::max);
              List<Integer> answers = doubled(batch);
              under.decrementAndGet();
              return answers;
            },
            50,
            1_000);
    CountDownLatch start = new CountDownLatch(1);
    List<Future<Integer>> threads = new ArrayList<>();
    for (int thread = 0; thread < 64; thread++) {
      int number = thread;
      threads.add(
          async(
              () -> {
                start.await();
                int wrong = 0;
                for (int i = 0; i < 500; i++) {
                  int from = number * 1_000 + i;
                  List<Integer> mine = IntStream.rangeClosed(from, from + i % 3).boxed().toList();
                  wrong += combiner.call(mine).equals(doubled(mine)) ? 0 : 1;
                }
                return wrong;
              }));
    }
    start.countDown();
    for (Future<Integer> thread : threads) {
      assertThat(thread.get(60, TimeUnit.SECONDS)).isZero();
    }
    assertThat(items).hasValue(64 * (500 / 3 * 6 + 1 + 2));
    assertThat(largest).hasValueLessThanOrEqualTo(50);
  }

  @Test
  void limits_are_checked() {
    assertThatThrownBy(() -> new Combiner<>(CombinerTest::doubled, 0, 1))
        .hasMessage("batch must be at least 1, was 0");
    assertThatThrownBy(() -> new Combiner<>(CombinerTest::doubled, 1, 0))
        .hasMessage("queue must be at least 1, was 0");
  }
}
