package dev.onlyonce.app.demo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * What will happen in each run, as drawn from the seed: which callbacks come how often and in which
 * order, and after how many acknowledgements the worker is killed. What the operating system makes
 * of it, how far each thread has got at a kill for instance, is different each time.
 */
public final class Plan {

  /** The fewest callbacks of a run. */
  public static final int LEAST_CALLBACKS = 10;

  /** The most callbacks of a run. */
  public static final int MOST_CALLBACKS = 1_000_000;

  /** The most kills of a run. */
  public static final int MOST_KILLS = 1_000;

  /** The most copies of a callback: half of them come once, a quarter twice, and so on. */
  static final int MOST_COPIES = 4;

  /** A copy is sent again while at most this many other callbacks are sent for the first time. */
  private static final int APART = 1_000;

  /** The last kill is before this part of the copies is acknowledged. */
  private static final double LAST_KILL = 0.9;

  private final long seed;
  private final int callbacks;
  private final int[] copies;
  private final int[] kills;

  private Plan(long seed, int callbacks, int[] copies, int[] kills) {
    this.seed = seed;
    this.callbacks = callbacks;
    this.copies = copies;
    this.kills = kills;
  }

  /**
   * Draws a plan.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  public static Plan of(long seed, int callbacks, int kills) {
    require("callbacks", callbacks, LEAST_CALLBACKS, MOST_CALLBACKS);
    require("kills", kills, 0, Math.min(MOST_KILLS, callbacks / 10));
    Random random = new Random(seed);
    int[] copies = copies(random, callbacks);
    return new Plan(seed, callbacks, copies, kills(random, copies.length, kills));
  }

  private static void require(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s must be %,d to %,d, was %,d".formatted(name, least, most, value));
    }
  }

  private static int[] copies(Random random, int callbacks) {
    record Copy(int callback, double position) {}
    List<Copy> all = new ArrayList<>();
    for (int callback = 0; callback < callbacks; callback++) {
      all.add(new Copy(callback, callback));
      for (int more = 1; more < MOST_COPIES && random.nextBoolean(); more++) {
        all.add(new Copy(callback, callback + random.nextDouble() * APART));
      }
    }
    all.sort(Comparator.comparingDouble(Copy::position));
    return all.stream().mapToInt(Copy::callback).toArray();
  }

  private static int[] kills(Random random, int copies, int count) {
    TreeSet<Integer> kills = new TreeSet<>();
    while (kills.size() < count) {
      kills.add(1 + random.nextInt((int) (copies * LAST_KILL)));
    }
    return kills.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Returns the seed that it was drawn from. */
  public long seed() {
    return seed;
  }

  /** Returns how many callbacks there are, each of a payment of its own. */
  public int callbacks() {
    return callbacks;
  }

  /** Returns how many copies of callbacks there are, redeliveries not counted. */
  public int copies() {
    return copies.length;
  }

  /** Returns how often the worker is killed. */
  public int kills() {
    return kills.length;
  }

  /** Returns the payment that a copy is about; copies are numbered from 0, in their order. */
  Payment payment(int copy) {
    return new Payment(copies[copy]);
  }

  /** Tells whether it is time for a kill. */
  boolean isKillDue(int killed, int acknowledged) {
    return killed < kills.length && acknowledged >= kills[killed];
  }

  @Override
  public String toString() {
    return "seed %d: %s, kills after %s"
        .formatted(seed, Arrays.toString(copies), Arrays.toString(kills));
  }
}
