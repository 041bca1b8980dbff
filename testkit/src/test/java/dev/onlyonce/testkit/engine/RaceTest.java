package dev.onlyonce.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnInProgress;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.CombiningStore;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Timeout;

/** Many threads and two engines on one store. */
@Timeout(120)
class RaceTest {

  private static final int IDS = 1_000;
  private static final int THREADS = 16;

  private final Bench bench = Bench.withRealTime();
  private final AtomicIntegerArray starts = new AtomicIntegerArray(IDS);

  /** Two instances looked, found nothing, and ran the handler both. */
  @Way.Each
  @Case(23)
  @Semantics({1, 2, 3})
  void of_two_instances_one_runs_the_handler(Way way) throws Exception {
    race(way, UnaryOperator.identity(), OnInProgress.retryLater());
  }

  @Way.Each
  @Case(23)
  @Semantics({1, 2, 3})
  void of_two_instances_with_combined_calls_one_runs_the_handler(Way way) throws Exception {
    race(way, CombiningStore::over, OnInProgress.retryLater());
  }

  @Way.Each
  @Semantics(100)
  void all_that_wait_get_the_result(Way way) throws Exception {
    List<Outcome<String>> outcomes =
        race(way, UnaryOperator.identity(), OnInProgress.waitUpTo(Duration.ofMinutes(1)));
    assertThat(outcomes)
        .allMatch(it -> it instanceof Outcome.Processed || it instanceof Outcome.Duplicate);
  }

  /** Gives every id to every thread of both instances; returns what they were told. */
  private List<Outcome<String>> race(
      Way way, UnaryOperator<ClaimStore> wrapping, OnInProgress onInProgress) throws Exception {
    ClaimStore shared = wrapping.apply(bench.memory);
    List<OnlyOnce<String>> instances = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      instances.add(
          OnlyOnce.builder(shared)
              .scope("race")
              .onInDoubt(OnInDoubt.PARK)
              .onInProgress(onInProgress)
              .results(ResultCodec.TEXT)
              .build());
    }
    CyclicBarrier barrier = new CyclicBarrier(2 * THREADS);
    List<FutureTask<List<Outcome<String>>>> threads = new ArrayList<>();
    for (int i = 0; i < 2 * THREADS; i++) {
      OnlyOnce<String> once = instances.get(i % 2);
      long seed = i / 8;
      FutureTask<List<Outcome<String>>> thread =
          new FutureTask<>(
              () -> {
                barrier.await();
                return shuffled(seed).stream().map(id -> take(way, once, id)).toList();
              });
      threads.add(thread);
      new Thread(thread).start();
    }
    List<Outcome<String>> outcomes = new ArrayList<>();
    for (FutureTask<List<Outcome<String>>> thread : threads) {
      outcomes.addAll(thread.get());
    }
    for (int id = 0; id < IDS; id++) {
      assertThat(starts.get(id)).as("starts of id " + id).isEqualTo(1);
    }
    assertThat(outcomes)
        .allMatch(
            it ->
                it instanceof Outcome.Processed
                    || it instanceof Outcome.Duplicate
                    || it instanceof Outcome.InProgress)
        .filteredOn(it -> it instanceof Outcome.Processed)
        .hasSize(IDS);
    assertThat(outcomes)
        .filteredOn(it -> it instanceof Outcome.Duplicate)
        .allMatch(it -> ((Outcome.Duplicate<String>) it).result().startsWith("receipt "));
    return outcomes;
  }

  /** Some threads go through the ids in the same order, so that they meet. */
  private static List<Integer> shuffled(long seed) {
    List<Integer> ids = new ArrayList<>();
    for (int id = 0; id < IDS; id++) {
      ids.add(id);
    }
    Collections.shuffle(ids, new Random(seed));
    return ids;
  }

  private Outcome<String> take(Way way, OnlyOnce<String> once, int id) {
    return way.take(
        once,
        Key.of("id-" + id),
        attempt -> {
          starts.incrementAndGet(id);
          for (int i = 0; i < 100; i++) {
            Thread.onSpinWait();
          }
          return "receipt " + id;
        });
  }
}
