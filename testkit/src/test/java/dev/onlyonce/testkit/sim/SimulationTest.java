package dev.onlyonce.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onlyonce.Claim;
import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.internal.Step;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.CombiningStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Time;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.sim.Setup.Bank;
import dev.onlyonce.testkit.sim.Setup.Doubt;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The engine in ten thousand bad worlds; and faults that are planted and must be found there. */
class SimulationTest {

  /** How many worlds are run. */
  private static final int SEEDS = 10_000;

  /** Within how many worlds a planted fault must show. */
  private static final int SEEDS_TO_FIND_A_FAULT = 2_000;

  @Test
  @Semantics({1, 3, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 20, 21, 27, 35, 69, 70, 80, 86, 96, 98})
  void no_rule_is_broken_in_ten_thousand_worlds() {
    Report report = Simulation.ofEverything().run(0, SEEDS);
    assertThat(report.messages()).isGreaterThan(5L * SEEDS);
    assertThat(report.crashes()).isGreaterThan(SEEDS);
    assertThat(report.stalls()).isGreaterThan(SEEDS);
    assertThat(report.storeFaults()).isGreaterThan(SEEDS);
    assertThat(report.duplicates()).isGreaterThan(SEEDS);
    assertThat(report.inDoubt()).isGreaterThan(SEEDS / 2);
    assertThat(report.parked()).isGreaterThan(SEEDS / 10);
    assertThat(report.lost()).isGreaterThan(SEEDS / 100);
    assertThat(report.doubles()).as("where nothing else is promised").isPositive();
  }

  @Test
  void the_same_seed_gives_the_same_run() {
    Simulation simulation = Simulation.ofEverything();
    assertThat(simulation.run(4_711)).isEqualTo(simulation.run(4_711));
    Simulation broken = simulation.with(HASTY);
    long seed = firstBroken(broken);
    AssertionError once = catchThrowableOfType(AssertionError.class, () -> broken.run(seed));
    assertThat(once)
        .hasMessageStartingWith("seed " + seed + ", ")
        .hasMessageContaining("What happened:")
        .hasMessageContaining("0.0000 s");
    assertThatThrownBy(() -> broken.run(seed)).hasMessage(once.getMessage());
  }

  @Test
  void another_store_is_run_in_the_same_worlds() {
    Setup setup = Setup.of(DeliveryMode.EFFECTIVELY_ONCE, Doubt.RESOLVE, Bank.BLIND);
    Setup combining = setup.withStore(time -> CombiningStore.over(setup.stores().apply(time)));
    assertThat(Simulation.of(combining).run(0, 100)).isEqualTo(Simulation.of(setup).run(0, 100));
  }

  // What is promised.

  @Test
  void at_most_once_is_never_twice_and_may_be_never() {
    Report report =
        Simulation.of(Setup.of(DeliveryMode.AT_MOST_ONCE, Doubt.RERUN, Bank.BLIND)).run(0, 200);
    assertThat(report.doubles()).isZero();
  }

  @Test
  void a_blind_bank_and_a_rerun_make_double_effects_and_the_engine_has_said_so() {
    Simulation simulation = effectivelyOnce(Doubt.RERUN, Bank.BLIND);
    assertThat(simulation.run(0, 200).doubles()).isPositive();
  }

  /**
   * Refusing smaller tokens keeps overtaken holders out. It cannot know that the handler which runs
   * again with a larger token is a repetition.
   */
  @Test
  @Semantics(9)
  void a_bank_that_checks_tokens_takes_a_rerun_for_new() {
    assertThat(effectivelyOnce(Doubt.RERUN, Bank.CHECKS_TOKENS).run(0, 200).doubles()).isPositive();
  }

  @Test
  @Semantics(9)
  void no_effect_is_double_where_the_bank_knows_keys_or_nothing_is_run_again_unasked() {
    assertThat(effectivelyOnce(Doubt.RERUN, Bank.CHECKS_KEYS).run(0, 200).doubles()).isZero();
    for (Doubt doubt : List.of(Doubt.PARK, Doubt.RESOLVE)) {
      for (Bank bank : Bank.values()) {
        assertThat(effectivelyOnce(doubt, bank).run(0, 200).doubles()).isZero();
      }
    }
  }

  private static Simulation effectivelyOnce(Doubt doubt, Bank bank) {
    return Simulation.of(Setup.of(DeliveryMode.EFFECTIVELY_ONCE, doubt, bank));
  }

  // Planted faults.

  /** An adapter that acknowledges when the handler has returned, before the engine has settled. */
  private static final Habits HASTY =
      new Habits() {
        @Override
        public boolean acknowledges(Step<String> step) {
          return Habits.super.acknowledges(step)
              || (step instanceof Step.Settle<String> settle
                  && settle.settlement() instanceof Settlement.Complete);
        }
      };

  /** An engine that completes the key and then runs the handler. */
  private static final Habits TOO_EARLY =
      new Habits() {
        @Override
        public DeliveryMode mode(Setup setup) {
          return DeliveryMode.AT_MOST_ONCE;
        }
      };

  /** A resolver that says no because there is no effect yet. */
  private static final Habits NAIVE =
      new Habits() {
        @Override
        public boolean mayDeny(World world, Key key, long token) {
          return true;
        }
      };

  @Test
  @Semantics(86)
  void an_adapter_that_acknowledges_before_the_key_is_settled_is_found() {
    assertFound(
        effectivelyOnce(Doubt.RERUN, Bank.BLIND).with(HASTY),
        "every key is settled or parked in the end");
  }

  @Test
  @Semantics(95)
  void a_resolver_that_says_no_while_the_effect_may_still_come_is_found() {
    assertFound(
        effectivelyOnce(Doubt.RESOLVE, Bank.BLIND).with(NAIVE), "no key takes effect twice");
  }

  /** It is not enough that the bank refuses smaller tokens: the question has to tell it one. */
  @Test
  @Semantics(95)
  void a_resolver_that_relies_on_tokens_that_the_bank_has_not_seen_is_found() {
    assertFound(
        effectivelyOnce(Doubt.RESOLVE, Bank.CHECKS_TOKENS).with(NAIVE),
        "no key takes effect twice");
  }

  @Test
  @Semantics({10, 11, 17})
  void a_store_that_settles_without_looking_at_the_token_is_found() {
    assertFound(
        Simulation.of(
            Setup.of(DeliveryMode.EFFECTIVELY_ONCE, Doubt.RERUN, Bank.BLIND)
                .withStore(
                    time ->
                        new Tampered(time) {
                          @Override
                          public List<Held> settle(List<? extends Settlement> batch) {
                            return super.settle(batch.stream().map(this::asLastHolder).toList());
                          }
                        })),
        "only the last holder settles");
  }

  @Test
  @Semantics(12)
  void a_store_that_renews_without_looking_at_the_token_is_found() {
    assertFound(
        Simulation.of(
            Setup.of(DeliveryMode.EFFECTIVELY_ONCE, Doubt.RERUN, Bank.BLIND)
                .withStore(
                    time ->
                        new Tampered(time) {
                          @Override
                          public List<Held> renew(List<Renewal> batch) {
                            return super.renew(
                                batch.stream()
                                    .map(it -> new Renewal(last(it.claim()), it.lease(), null))
                                    .toList());
                          }
                        })),
        "only a holder renews");
  }

  @Test
  @Semantics(3)
  void an_engine_that_completes_before_the_handler_has_run_is_found() {
    assertFound(
        effectivelyOnce(Doubt.RERUN, Bank.BLIND).with(TOO_EARLY),
        "nothing is acknowledged without an effect");
  }

  @Test
  @Semantics(98)
  void a_store_that_does_not_know_a_request_again_is_found() {
    long[] number = new long[1];
    assertFound(
        Simulation.of(
            Setup.of(DeliveryMode.AT_MOST_ONCE, Doubt.RERUN, Bank.BLIND)
                .withStore(
                    time ->
                        new Tampered(time) {
                          @Override
                          public List<Answer> claim(List<ClaimRequest> batch) {
                            return super.claim(
                                batch.stream().map(it -> renumbered(it, number[0]++)).toList());
                          }
                        })),
        "a request is known again");
  }

  @Test
  @Semantics(96)
  void a_store_whose_tokens_do_not_grow_is_found() {
    assertFound(
        Simulation.of(
            Setup.of(DeliveryMode.EFFECTIVELY_ONCE, Doubt.RERUN, Bank.BLIND)
                .withStore(
                    time ->
                        new Tampered(time) {
                          @Override
                          public List<Answer> claim(List<ClaimRequest> batch) {
                            return super.claim(batch).stream().map(Tampered::withoutToken).toList();
                          }
                        })),
        "tokens grow");
  }

  /** Returns the first seed that shows the fault. */
  private static long firstBroken(Simulation simulation) {
    for (long seed = 0; seed < SEEDS_TO_FIND_A_FAULT; seed++) {
      try {
        simulation.run(seed);
      } catch (AssertionError e) {
        return seed;
      }
    }
    throw new AssertionError("the planted fault was not found");
  }

  private static void assertFound(Simulation simulation, String rule) {
    for (long seed = 0; seed < SEEDS_TO_FIND_A_FAULT; seed++) {
      try {
        simulation.run(seed);
      } catch (AssertionError e) {
        if (e.getMessage().contains("broken: " + rule)) {
          return;
        }
      }
    }
    throw new AssertionError("the planted fault was not found");
  }

  /** A memory store that is told other things than the engine says. */
  private abstract static class Tampered implements ClaimStore {
    private final MemoryStore store;

    Tampered(Time time) {
      store = MemoryStore.builder().time(time).forgetful().build();
    }

    Claim last(Claim claim) {
      long token =
          store.find(claim.scope(), claim.key()).map(ClaimRecord::token).orElse(claim.token());
      return new Claim(claim.scope(), claim.key(), token, claim.attempt());
    }

    Settlement asLastHolder(Settlement settlement) {
      Claim last = last(settlement.claim());
      if (settlement instanceof Settlement.Complete complete) {
        return new Settlement.Complete(last, complete.result(), complete.retention());
      }
      if (settlement instanceof Settlement.Fail fail) {
        return new Settlement.Fail(last, fail.reason(), fail.retention());
      }
      Settlement.Release release = (Settlement.Release) settlement;
      return new Settlement.Release(last, release.after(), release.attempts(), release.retention());
    }

    static ClaimRequest renumbered(ClaimRequest request, long requestId) {
      return new ClaimRequest(
          request.scope(),
          request.key(),
          requestId,
          request.fingerprint(),
          request.lease(),
          request.retention(),
          request.lapse(),
          request.settleNow(),
          request.expectToken());
    }

    static Answer withoutToken(Answer answer) {
      return answer instanceof Answer.Claimed claimed
          ? new Answer.Claimed(
              new Claim(
                  claimed.claim().scope(), claimed.claim().key(), 1, claimed.claim().attempt()),
              claimed.lease(),
              claimed.checkpoint())
          : answer;
    }

    @Override
    public List<Answer> claim(List<ClaimRequest> batch) {
      return store.claim(batch);
    }

    @Override
    public List<Held> settle(List<? extends Settlement> batch) {
      return store.settle(batch);
    }

    @Override
    public List<Held> renew(List<Renewal> batch) {
      return store.renew(batch);
    }

    @Override
    public int purge(int limit) {
      return store.purge(limit);
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
