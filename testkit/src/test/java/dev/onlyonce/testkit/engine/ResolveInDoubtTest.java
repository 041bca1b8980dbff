package dev.onlyonce.testkit.engine;

import static dev.onlyonce.testkit.engine.Bench.KEY;
import static dev.onlyonce.testkit.engine.Bench.SCOPE;
import static dev.onlyonce.testkit.engine.Bench.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Key;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnInProgress;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.OnlyOnceBuilder;
import dev.onlyonce.Outcome;
import dev.onlyonce.Resolver;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Keys in doubt are decided though their messages do not come again. */
class ResolveInDoubtTest {

  private final Bench bench = Bench.withManualTime();
  private final List<Key> asked = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void close() {
    bench.close();
  }

  private OnlyOnce<String> resolving(Resolver<String> resolver) {
    return engine(resolver).build();
  }

  private OnlyOnceBuilder<String> engine(Resolver<String> resolver) {
    return OnlyOnce.builder(bench.memory)
        .scope(SCOPE)
        .time(bench.time)
        .listener(bench.events::add)
        .lease(Bench.LEASE)
        .purgeEvery(Duration.ZERO)
        .onFailure(Bench.failure())
        .results(ResultCodec.TEXT)
        .onInDoubt(
            doubt -> {
              asked.add(doubt.key());
              return resolver.resolve(doubt);
            });
  }

  @Test
  @Semantics(9)
  void a_key_whose_effect_has_happened_is_completed() {
    bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once = resolving(doubt -> new Resolver.Happened<>("found"));
    assertThat(once.resolveInDoubt(10)).isEqualTo(1);
    assertThat(bench.state()).isEqualTo(ClaimState.DONE);
    assertThat(once.process(KEY, attempt -> "run")).isEqualTo("found");
    assertThat(once.resolveInDoubt(10)).isZero();
    assertThat(asked).containsExactly(KEY);
  }

  @Test
  @Semantics(9)
  void a_key_whose_effect_has_not_happened_waits_for_its_message_with_one_attempt_used() {
    Claim vanished = bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once = resolving(doubt -> new Resolver.DidNotHappen<>());
    assertThat(once.resolveInDoubt(10)).isEqualTo(1);
    assertThat(bench.state()).isEqualTo(ClaimState.RELEASED);
    assertThat(bench.events(Event.Claimed.class)).isEmpty();
    assertThat(bench.events(Event.Received.class)).as("no message came").isEmpty();
    Outcome.Processed<?> run =
        as(Outcome.Processed.class, once.attempt(KEY, null, attempt -> "run"));
    assertThat(run.claim().attempt()).isEqualTo(2);
    assertThat(run.claim().token()).isGreaterThan(vanished.token());
    assertThat(asked).containsExactly(KEY);
  }

  @Test
  @Semantics(9)
  void a_key_of_which_nobody_knows_stays_in_doubt() {
    bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once = resolving(doubt -> new Resolver.Unknown<>());
    assertThat(once.resolveInDoubt(10)).isZero();
    assertThat(once.resolveInDoubt(10)).isZero();
    assertThat(asked).containsExactly(KEY, KEY);
    assertThat(bench.state()).isEqualTo(ClaimState.CLAIMED);
  }

  @Test
  @Semantics({9, 97})
  void only_keys_in_doubt_are_asked_about() {
    bench.claimedByAnother(Key.of("to be run again"), Lapse.TAKE);
    bench.lapse();
    bench.claimedByAnother(Key.of("held"), Lapse.PARK);
    OnlyOnce<String> once =
        engine(doubt -> new Resolver.Happened<>("found"))
            .onInProgress(OnInProgress.waitUpTo(Duration.ofHours(1)))
            .build();
    assertThat(once.resolveInDoubt(10)).isZero();
    assertThat(asked).isEmpty();
  }

  @Test
  @Semantics(9)
  void a_holder_that_settles_while_the_resolver_is_asked_is_not_overruled() {
    Claim slow = bench.claimedByAnother(Lapse.PARK);
    bench.lapse();
    OnlyOnce<String> once =
        resolving(
            doubt -> {
              bench.settle(
                  new Settlement.Complete(
                      slow, ResultCodec.TEXT.encode("its own"), Duration.ofDays(1)));
              return new Resolver.DidNotHappen<>();
            });
    assertThat(once.resolveInDoubt(10)).isEqualTo(1);
    assertThat(once.process(KEY, attempt -> "run")).isEqualTo("its own");
  }

  @Test
  @Semantics(9)
  void a_bounded_cycle_goes_round_so_that_each_key_has_its_turn() {
    List<Key> keys = IntStream.range(0, 25).mapToObj(i -> Key.of("order-" + i)).toList();
    keys.forEach(key -> bench.claimedByAnother(key, Lapse.PARK));
    bench.lapse();
    OnlyOnce<String> once = resolving(doubt -> new Resolver.Unknown<>());
    for (int i = 0; i < 3; i++) {
      once.resolveInDoubt(10);
    }
    assertThat(asked).containsExactlyInAnyOrderElementsOf(keys);
    once.resolveInDoubt(10);
    assertThat(asked).hasSizeGreaterThan(25);
  }

  /** One key whose resolver failed kept all others from being asked about, for ever. */
  @Test
  @Semantics(9)
  void a_resolver_that_fails_in_any_way_does_not_keep_other_keys_from_being_asked_about() {
    for (int i = 0; i < 50; i++) {
      bench.claimedByAnother(Key.of("order-" + i), Lapse.PARK);
    }
    bench.lapse();
    OnlyOnce<String> once =
        resolving(
            doubt -> {
              if (doubt.key().equals(Key.of("order-7"))) {
                throw new NoClassDefFoundError("bank/Client");
              }
              return new Resolver.Happened<>("found");
            });
    int decided = 0;
    for (int i = 0; i < 60; i++) {
      decided += once.resolveInDoubt(5);
    }
    assertThat(decided).isEqualTo(49);
    assertThat(bench.state(Key.of("order-7"))).isEqualTo(ClaimState.CLAIMED);
  }

  @Test
  @Semantics(9)
  void a_store_that_fails_for_one_key_does_not_keep_other_keys_from_being_asked_about() {
    for (int i = 0; i < 10; i++) {
      bench.claimedByAnother(Key.of("order-" + i), Lapse.PARK);
    }
    bench.lapse();
    OnlyOnce<String> once =
        resolving(
            doubt -> {
              if (doubt.key().equals(Key.of("order-3"))) {
                bench.memory.close();
              }
              return new Resolver.Happened<>("found");
            });
    assertThatThrownBy(() -> once.resolveInDoubt(10)).isInstanceOf(StoreException.class);
    assertThat(asked).endsWith(Key.of("order-3"));
  }

  /**
   * Copies come while keys in doubt are decided: one of the two decides, and nothing runs twice.
   */
  @Test
  @Semantics({1, 9})
  void deliveries_and_the_cycle_do_not_run_a_key_twice() throws Exception {
    List<Key> keys = IntStream.range(0, 500).mapToObj(i -> Key.of("order-" + i)).toList();
    keys.forEach(key -> bench.claimedByAnother(key, Lapse.PARK));
    bench.lapse();
    Map<Key, Integer> runs = new ConcurrentHashMap<>();
    OnlyOnce<String> once =
        engine(
                doubt ->
                    doubt.key().toString().endsWith("7")
                        ? new Resolver.Happened<>("found")
                        : new Resolver.DidNotHappen<>())
            .build();
    Thread cycle =
        new Thread(
            () -> {
              while (once.resolveInDoubt(20) > 0) {
                Thread.onSpinWait();
              }
            });
    cycle.start();
    for (Key key : keys) {
      once.attempt(
          key,
          null,
          attempt -> {
            runs.merge(attempt.key(), 1, Integer::sum);
            return "run";
          });
    }
    cycle.join();
    for (Key key : keys) {
      assertThat(runs.getOrDefault(key, 0))
          .as("%s", key)
          .isLessThanOrEqualTo(key.toString().endsWith("7") ? 0 : 1);
      assertThat(once.seen(key) || !runs.containsKey(key)).isTrue();
    }
  }

  @Test
  void only_the_mode_that_has_doubts_can_resolve_them() {
    for (DeliveryMode mode : List.of(DeliveryMode.AT_LEAST_ONCE, DeliveryMode.AT_MOST_ONCE)) {
      OnlyOnce<String> once = engine(doubt -> new Resolver.Unknown<>()).mode(mode).build();
      assertThatThrownBy(() -> once.resolveInDoubt(10))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "resolveInDoubt() needs mode EFFECTIVELY_ONCE, in which alone keys get in doubt; it"
                  + " is "
                  + mode);
    }
  }

  @Test
  void without_a_resolver_or_a_store_that_can_be_read_it_says_so() {
    OnlyOnce<String> parking = bench.engine().onInDoubt(OnInDoubt.PARK).build();
    assertThatThrownBy(() -> parking.resolveInDoubt(10))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("resolveInDoubt() needs a Resolver, set with onInDoubt()");
    OnlyOnce<String> blind = bench.engine().onInDoubt(doubt -> new Resolver.Unknown<>()).build();
    assertThatThrownBy(() -> blind.resolveInDoubt(10))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("resolveInDoubt() needs a store that is a ClaimReader, ");
  }
}
