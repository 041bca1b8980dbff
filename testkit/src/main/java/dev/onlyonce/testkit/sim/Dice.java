package dev.onlyonce.testkit.sim;

import java.util.SplittableRandom;

/**
 * Decides by a seed what goes wrong, when, and how long things take. How bad a world is, is decided
 * for each kind of fault when the world begins: not at all, now and then, or often.
 */
final class Dice {

  private final SplittableRandom random;
  private boolean calm;

  final double storeRefuses;
  final double storeAnswerLost;
  final double storeLate;
  final double slow;
  final double renewalSkipped;
  final double failsCleanly;
  final double failsForGood;
  final double interrupted;
  final double bankAnswerLost;
  final double bankSlow;
  final double ackLost;
  final double deliveredTwice;
  final double waiterHurried;
  final double looksAtItsLease;
  final long crashEveryMicros;
  final long stallEveryMicros;
  final long outageEveryMicros;
  final long jumpEveryMicros;

  Dice(long seed) {
    random = new SplittableRandom(seed);
    storeRefuses = level(0.02);
    storeAnswerLost = level(0.03);
    storeLate = level(0.02);
    slow = level(0.03);
    renewalSkipped = level(0.2);
    failsCleanly = level(0.1);
    failsForGood = level(0.03);
    interrupted = level(0.03);
    bankAnswerLost = level(0.05);
    bankSlow = level(0.05);
    ackLost = level(0.05);
    deliveredTwice = level(0.1);
    waiterHurried = level(0.05);
    looksAtItsLease = level(0.25);
    crashEveryMicros = interval(8_000_000);
    stallEveryMicros = interval(8_000_000);
    outageEveryMicros = interval(10_000_000);
    jumpEveryMicros = interval(10_000_000);
  }

  private double level(double chance) {
    return switch (random.nextInt(3)) {
      case 0 -> 0;
      case 1 -> chance;
      default -> Math.min(1, 4 * chance);
    };
  }

  private long interval(long mean) {
    return switch (random.nextInt(3)) {
      case 0 -> 0;
      case 1 -> mean;
      default -> mean / 4;
    };
  }

  /** From now on nothing goes wrong any more. */
  void calmDown() {
    calm = true;
  }

  boolean isCalm() {
    return calm;
  }

  /** Tells whether a fault of this chance happens now. */
  boolean happens(double chance) {
    return !calm && chance > 0 && random.nextDouble() < chance;
  }

  boolean coin() {
    return random.nextBoolean();
  }

  int upTo(int most) {
    return random.nextInt(most + 1);
  }

  long between(long least, long most) {
    return random.nextLong(least, most + 1);
  }

  /** Returns around how long to the next fault of a kind that comes at this mean interval. */
  long around(long mean) {
    return between(mean / 10, 2 * mean);
  }

  long id() {
    return random.nextLong();
  }
}
