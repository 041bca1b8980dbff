package dev.onlyonce.testkit.sim;

/** The numbers of a {@link Report} while they grow. */
final class Tally {
  long steps;
  long messages;
  long deliveries;
  long effects;
  long doubles;
  long crashes;
  long stalls;
  long storeFaults;
  long duplicates;
  long lost;
  long inDoubt;
  long parked;
  long failed;

  Report report() {
    return new Report(
        steps,
        messages,
        deliveries,
        effects,
        doubles,
        crashes,
        stalls,
        storeFaults,
        duplicates,
        lost,
        inDoubt,
        parked,
        failed);
  }
}
