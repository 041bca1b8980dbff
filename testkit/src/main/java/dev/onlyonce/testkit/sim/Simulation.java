package dev.onlyonce.testkit.sim;

import dev.onlyonce.DeliveryMode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the production engine's state machine for several workers in a world of one thread, whose
 * time stands still unless it is moved on, and in which a seed decides what goes wrong: producers
 * send copies, the broker delivers until it is acknowledged and sometimes twice at once, workers
 * vanish between any two steps or stall for longer than their lease, requests to the store are
 * refused, late, or lose their answer, the bank where the effects happen is slow and its answers
 * get lost, handlers fail or are interrupted, renewals are left out, wall clocks jump.
 *
 * <p><b>What is checked,</b> at every step: tokens grow, done is final, a claim is settled by its
 * last holder and once; no key takes effect twice where that is promised, and elsewhere only after
 * an attempt that ended in doubt; nothing is acknowledged without an effect, a failure or a doubt
 * that was declared; duplicates get the first one's result. When the trouble is over, all messages
 * come to be acknowledged and all keys to be settled or parked.
 *
 * <p><b>Repeatable.</b> The same seed gives the same run, to the microsecond. When something is
 * broken, the {@link AssertionError} has the seed and everything that happened.
 *
 * <p>Immutable and safe for use by several threads.
 */
public final class Simulation {

  private final @Nullable Setup setup;
  private final Habits habits;

  private Simulation(@Nullable Setup setup, Habits habits) {
    this.setup = setup;
    this.habits = habits;
  }

  /** Runs worlds of this kind. */
  public static Simulation of(Setup setup) {
    return new Simulation(setup, Habits.GOOD);
  }

  /** Runs worlds of every kind: the seed decides of which. */
  public static Simulation ofEverything() {
    return new Simulation(null, Habits.GOOD);
  }

  Simulation with(Habits other) {
    return new Simulation(setup, other);
  }

  /**
   * Runs a world from its beginning to its end.
   *
   * @throws AssertionError if a rule was broken, with the seed and everything that happened
   */
  public Report run(long seed) {
    Setup world = setup == null ? anySetup(seed) : setup;
    try {
      return new World(world, habits, seed, null).run();
    } catch (AssertionError e) {
      List<String> said = new ArrayList<>();
      AssertionError again = broken(world, seed, said);
      throw new AssertionError(
          "seed %d, %s: %s%nWhat happened:%n%s"
              .formatted(
                  seed,
                  world,
                  (again == null ? e : again).getMessage(),
                  String.join(System.lineSeparator(), said)),
          e);
    }
  }

  private @Nullable AssertionError broken(Setup world, long seed, List<String> said) {
    try {
      new World(world, habits, seed, said).run();
      return new AssertionError("broken once, and not when run again: the store is not repeatable");
    } catch (AssertionError e) {
      return e;
    }
  }

  /** Runs so many worlds, whose seeds are the numbers from {@code firstSeed} on. */
  public Report run(long firstSeed, int count) {
    Report sum = Report.NONE;
    for (long seed = firstSeed; seed < firstSeed + count; seed++) {
      sum = sum.plus(run(seed));
    }
    return sum;
  }

  private static Setup anySetup(long seed) {
    List<Setup> all = new ArrayList<>();
    for (Setup.Doubt doubt : Setup.Doubt.values()) {
      for (Setup.Bank bank : Setup.Bank.values()) {
        all.add(Setup.of(DeliveryMode.EFFECTIVELY_ONCE, doubt, bank));
      }
    }
    all.add(Setup.of(DeliveryMode.AT_MOST_ONCE, Setup.Doubt.RERUN, Setup.Bank.BLIND));
    all.add(Setup.of(DeliveryMode.AT_LEAST_ONCE, Setup.Doubt.RERUN, Setup.Bank.BLIND));
    all.add(
        Setup.of(DeliveryMode.EFFECTIVELY_ONCE, Setup.Doubt.RERUN, Setup.Bank.BLIND).failingOpen());
    return all.get((int) Math.floorMod(seed, (long) all.size()));
  }
}
