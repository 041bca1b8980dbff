package dev.onlyonce.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.testkit.history.HistoryEvent.Kind;
import dev.onlyonce.testkit.history.HistoryReport.Rule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs workers over a small store, one step of one worker at a time in a random order, with kills,
 * lapsing leases and late records. A right store never gives the checker cause for a complaint,
 * however the steps fall; each fault of the store is found in some of the histories.
 */
class HistorySimulationTest {
  private static final int SEEDS = 300;

  /** What is wrong with the store or its worker, and the rule that says so. */
  enum Fault {
    TOKENS_ARE_REUSED(Rule.TOKENS_GROW),
    TOKENS_SHRINK(Rule.TOKENS_GROW),
    SETTLE_DOES_NOT_LOOK_AT_THE_TOKEN(Rule.NO_OVERTAKEN_HOLDER),
    A_LAPSED_CLAIM_IS_NOT_IN_DOUBT(Rule.ONE_EFFECT),
    A_DONE_KEY_IS_GRANTED(Rule.ONE_EFFECT),
    A_RUNNING_DUPLICATE_IS_ACKNOWLEDGED(Rule.NOTHING_LOST),
    COMPLETED_BEFORE_THE_EFFECT(Rule.NOTHING_LOST);

    final Rule rule;

    Fault(Rule rule) {
      this.rule = rule;
    }
  }

  @TempDir Path directory;

  @Test
  void a_right_store_is_never_accused() {
    int extraEffects = 0;
    int undecided = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      HistoryReport report = run(seed, EnumSet.noneOf(Fault.class));
      assertThat(report.isClean()).as("seed %d: %s", seed, report).isTrue();
      extraEffects += report.counts().extraEffects();
      undecided += report.counts().undecided();
    }
    // The runs were rough enough to mean something.
    assertThat(extraEffects).isGreaterThan(SEEDS / 10);
    assertThat(undecided).isGreaterThan(SEEDS / 10);
  }

  @ParameterizedTest
  @EnumSource
  void a_fault_of_the_store_is_found(Fault fault) {
    int found = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      found += run(seed, EnumSet.of(fault)).violations(fault.rule).isEmpty() ? 0 : 1;
    }
    assertThat(found).as("of %d histories", SEEDS).isGreaterThan(SEEDS / 20);
  }

  private HistoryReport run(int seed, Set<Fault> faults) {
    Path file = directory.resolve(faults + "-" + seed);
    try (HistoryScript script = new HistoryScript(file)) {
      new Simulation(script, new Random(seed), faults).run();
      return script.check();
    }
  }

  /** A few workers and one key; each call of a step is indivisible. */
  private static final class Simulation {
    private final HistoryScript script;
    private final Random random;
    private final Set<Fault> faults;
    private final List<Worker> workers = new ArrayList<>();
    private int started;

    private long token;
    private boolean claimed;
    private boolean done;

    Simulation(HistoryScript script, Random random, Set<Fault> faults) {
      this.script = script;
      this.random = random;
      this.faults = faults;
    }

    void run() {
      for (int i = 0; i < 3; i++) {
        workers.add(new Worker(++started));
      }
      for (int step = 0; step < 60; step++) {
        int chosen = random.nextInt(workers.size());
        if (random.nextInt(12) == 0) {
          script.killed(workers.get(chosen).name);
          workers.set(chosen, new Worker(++started));
        } else {
          workers.get(chosen).step();
        }
      }
    }

    private boolean has(Fault fault) {
      return faults.contains(fault);
    }

    private long nextToken() {
      if (has(Fault.TOKENS_ARE_REUSED) && token > 0) {
        return token;
      }
      if (has(Fault.TOKENS_SHRINK)) {
        return token == 0 ? 1_000 : token - 1;
      }
      return token + 1 + random.nextInt(3);
    }

    /** Handles one delivery after another. */
    private final class Worker {
      private final String name;
      private int next;
      private long since;
      private long mine;
      private long lapsed;
      private boolean held;

      Worker(int number) {
        name = "w-" + number;
      }

      void step() {
        switch (next) {
          case 0 -> since = script.now();
          case 1 -> claim();
          case 2 -> script.line(name, Kind.CLAIMED, "k", mine, since);
          case 3 -> declare();
          case 4 -> effect();
          case 5 -> since = script.now();
          case 6 -> complete();
          case 7 -> recordCompletion();
          case 8 -> script.line(name, Kind.ACKNOWLEDGED, "k", 0);
          default -> throw new AssertionError(next);
        }
        next = next == 8 ? 0 : next + 1;
      }

      private void claim() {
        if (done && !has(Fault.A_DONE_KEY_IS_GRANTED)) {
          next = 7; // acknowledge the duplicate
        } else if (claimed && random.nextInt(3) > 0) {
          next = has(Fault.A_RUNNING_DUPLICATE_IS_ACKNOWLEDGED) ? 7 : -1;
        } else {
          lapsed = claimed ? token : 0;
          token = nextToken();
          mine = token;
          claimed = true;
        }
      }

      private void declare() {
        if (lapsed > 0 && !has(Fault.A_LAPSED_CLAIM_IS_NOT_IN_DOUBT)) {
          script.line(name, Kind.IN_DOUBT, "k", lapsed);
        }
      }

      private void effect() {
        if (!has(Fault.COMPLETED_BEFORE_THE_EFFECT)) {
          script.line(name, Kind.EFFECT, "k", mine);
        }
      }

      private void complete() {
        boolean mayBeOvertaken = has(Fault.SETTLE_DOES_NOT_LOOK_AT_THE_TOKEN);
        held = claimed && (mine == token || mayBeOvertaken);
        if (held) {
          claimed = false;
          done = true;
        }
      }

      private void recordCompletion() {
        if (held) {
          script.line(name, Kind.COMPLETED, "k", mine, since);
        } else {
          next = -1; // lost: not acknowledged, delivered again
        }
      }
    }
  }
}
