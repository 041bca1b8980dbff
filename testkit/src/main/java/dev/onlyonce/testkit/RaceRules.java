package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Threads that want the same key at the same moment. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface RaceRules extends StoreFixture {

  /** What has to be met before a race proves anything. */
  Set<String> RACE = Set.of("Claimed", "HELD", "LOST", "InDoubt", "lost");

  /** How many races it may take to meet that. */
  int MOST_RACES = 200;

  /** How many times a race for one key is run. */
  int ROUNDS = 100;

  /** Lets all threads do something to each key at the same moment; returns their answers by key. */
  private static <T> Map<Key, List<T>> race(
      Lab lab, List<Key> keys, BiFunction<Integer, Key, T> verb) {
    int threads = lab.fixture().threads();
    lab.store();
    Map<Key, List<T>> answers = new ConcurrentHashMap<>();
    CyclicBarrier together = new CyclicBarrier(threads);
    Race.run(
        threads,
        thread -> {
          for (Key key : keys) {
            together.await(1, TimeUnit.MINUTES);
            T answer = verb.apply(thread, key);
            answers
                .computeIfAbsent(key, it -> Collections.synchronizedList(new ArrayList<>()))
                .add(answer);
          }
          return thread;
        });
    return answers;
  }

  private static <T> T get(Map<Key, T> map, Key key) {
    return Objects.requireNonNull(map.get(key));
  }

  private static Map<String, Long> kinds(List<?> answers) {
    return answers.stream()
        .map(it -> it instanceof Held ? it.toString() : it.getClass().getSimpleName())
        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
  }

  @Test
  @Semantics(1)
  @Case(23)
  default void of_threads_that_claim_one_key_together_one_wins(Lab lab) {
    Map<Key, List<Answer>> answers = race(lab, lab.keys(ROUNDS), (thread, key) -> lab.ask(key));
    long losers = lab.fixture().threads() - 1L;
    answers
        .values()
        .forEach(
            each -> assertThat(kinds(each)).isEqualTo(Map.of("Claimed", 1L, "InProgress", losers)));
  }

  @Test
  @Semantics({1, 3})
  @Case(23)
  default void of_threads_that_complete_one_key_at_once_one_wins(Lab lab) {
    Map<Key, List<Answer>> answers =
        race(
            lab,
            lab.keys(ROUNDS),
            (thread, key) -> lab.ask(lab.settlingNow(key, Lab.text("by " + thread))));
    long losers = lab.fixture().threads() - 1L;
    answers.forEach(
        (key, each) -> {
          assertThat(kinds(each)).isEqualTo(Map.of("Claimed", 1L, "Done", losers));
          assertThat(
                  each.stream()
                      .filter(Answer.Done.class::isInstance)
                      .map(it -> ((Answer.Done) it).result())
                      .distinct())
              .as("what the losers are told")
              .containsExactly(((Answer.Done) lab.ask(key)).result());
        });
  }

  @Test
  @Semantics({1, 2, 3})
  @Case(23)
  default void a_thousand_keys_given_to_every_thread_are_handled_a_thousand_times(Lab lab) {
    List<Key> keys = lab.keys(1_000);
    AtomicInteger handled = new AtomicInteger();
    lab.store();
    Race.run(
        lab.fixture().threads(),
        thread -> {
          int size = 1 + thread * 3;
          for (int from = 0; from < keys.size(); from += size) {
            List<Key> batch = keys.subList(from, Math.min(from + size, keys.size()));
            List<Settlement> completions = new ArrayList<>();
            for (Answer answer : lab.ask(batch.stream().map(lab::request).toList())) {
              if (answer instanceof Answer.Claimed claimed) {
                handled.incrementAndGet();
                completions.add(
                    new Settlement.Complete(claimed.claim(), Result.NONE, lab.endless()));
              } else {
                assertThat(answer)
                    .as("a loser's")
                    .isInstanceOfAny(Answer.InProgress.class, Answer.Done.class);
              }
            }
            assertThat(lab.store().settle(completions)).allMatch(it -> it == Held.HELD);
          }
          return thread;
        });
    assertThat(handled).as("handler starts").hasValue(1_000);
    keys.forEach(key -> lab.assertDone(key, Result.NONE));
  }

  @Test
  @Semantics({1, 82})
  @Case(23)
  default void batches_in_opposite_orders_neither_deadlock_nor_share_a_key(Lab lab) {
    List<Key> keys = lab.keys(200);
    lab.store();
    List<Long> won =
        Race.run(
            lab.fixture().threads(),
            thread -> {
              List<Key> order = new ArrayList<>(keys);
              Collections.shuffle(order, new Random(thread));
              long claimed = 0;
              for (int from = 0; from < order.size(); from += 50) {
                List<ClaimRequest> batch =
                    order.subList(from, from + 50).stream().map(lab::request).toList();
                claimed += lab.ask(batch).stream().filter(Answer.Claimed.class::isInstance).count();
              }
              return claimed;
            });
    assertThat(won.stream().mapToLong(it -> it).sum()).isEqualTo(keys.size());
  }

  @Test
  @Semantics({8, 10})
  default void of_threads_that_take_over_a_lapsed_key_one_wins(Lab lab) {
    List<Key> keys = lab.keys(ROUNDS);
    Map<Key, Claim> lapsed =
        keys.stream().collect(Collectors.toMap(Function.identity(), lab::claim));
    lapsed.values().forEach(lab::lapse);
    Map<Key, List<Answer>> answers = race(lab, keys, (thread, key) -> lab.ask(key));
    long losers = lab.fixture().threads() - 1L;
    answers
        .values()
        .forEach(
            each -> assertThat(kinds(each)).isEqualTo(Map.of("Claimed", 1L, "InProgress", losers)));
  }

  @Test
  @Semantics({23, 24})
  default void of_operators_that_open_one_record_together_one_wins(Lab lab) {
    List<Key> keys = lab.keys(ROUNDS);
    Map<Key, Claim> failed =
        keys.stream().collect(Collectors.toMap(Function.identity(), lab::claim));
    failed.values().forEach(lab::fail);
    Map<Key, List<Answer>> answers =
        race(
            lab,
            keys,
            (thread, key) -> lab.ask(lab.request(key).expecting(get(failed, key).token())));
    long losers = lab.fixture().threads() - 1L;
    answers
        .values()
        .forEach(
            each -> assertThat(kinds(each)).isEqualTo(Map.of("Claimed", 1L, "InProgress", losers)));
  }

  @Test
  @Semantics({70, 98})
  default void a_request_made_by_many_threads_at_once_is_granted_as_one_claim(Lab lab) {
    List<Key> keys = lab.keys(ROUNDS);
    Map<Key, ClaimRequest> requests =
        keys.stream().collect(Collectors.toMap(Function.identity(), lab::request));
    Map<Key, List<Claim>> claims = race(lab, keys, (thread, key) -> lab.claim(get(requests, key)));
    claims.values().forEach(each -> assertThat(each.stream().distinct()).hasSize(1));
  }

  @Test
  @Semantics({16, 17})
  default void of_settlements_that_race_one_counts(Lab lab) {
    List<Key> keys = lab.keys(ROUNDS);
    Map<Key, Claim> claims =
        keys.stream().collect(Collectors.toMap(Function.identity(), lab::claim));
    Map<Key, List<Held>> answers =
        race(
            lab,
            keys,
            (thread, key) -> {
              Claim claim = get(claims, key);
              return thread % 2 == 0
                  ? lab.complete(claim, Lab.text("by " + thread))
                  : lab.release(claim, lab.endless());
            });
    answers.forEach(
        (key, each) -> {
          assertThat(each).as("counted").containsOnlyOnce(Held.HELD);
          long already = each.stream().filter(it -> it == Held.ALREADY).count();
          long completing = (lab.fixture().threads() + 1L) / 2;
          Answer now = lab.ask(key);
          assertThat(already)
              .as("the others of the same kind, %s", now)
              .isEqualTo((now instanceof Answer.Done ? completing : each.size() - completing) - 1);
        });
  }

  @Test
  @Semantics({10, 13})
  default void of_a_late_completion_and_a_take_over_that_race_one_counts(Lab lab) {
    List<Key> keys = lab.keys(ROUNDS);
    Map<Key, Claim> lapsed =
        keys.stream().collect(Collectors.toMap(Function.identity(), lab::claim));
    lapsed.values().forEach(lab::lapse);
    Map<Key, List<Object>> answers =
        race(
            lab,
            keys,
            (thread, key) ->
                thread == 0 ? lab.complete(get(lapsed, key), Lab.text("late")) : lab.ask(key));
    long others = lab.fixture().threads() - 1L;
    answers.forEach(
        (key, each) -> {
          if (each.contains(Held.HELD)) {
            assertThat(kinds(each)).isEqualTo(Map.of("HELD", 1L, "Done", others));
          } else {
            assertThat(kinds(each)).containsEntry("LOST", 1L).containsEntry("Claimed", 1L);
          }
        });
  }

  @Test
  @Semantics({6, 10, 12, 13, 16, 26, 34, 96, 98, 106})
  default void whatever_threads_do_at_once_the_history_is_one_that_the_rules_allow(Lab lab) {
    lab.open(settings -> settings.withPurgeGrace(lab.units(0.05)));
    // A race depends on the machine: there is another until each kind of answer was met.
    Set<String> met = new HashSet<>();
    for (int seed = 1; !met.containsAll(RACE); seed++) {
      ClaimHistory history = new RandomHistory(lab, seed).run();
      assertThat(history.violations()).as("race %d", seed).isEmpty();
      met.addAll(history.summary().keySet());
      assertThat(seed).as("races in which only %s were met", met).isLessThan(MOST_RACES);
    }
  }
}
