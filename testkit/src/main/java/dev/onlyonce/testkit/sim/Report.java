package dev.onlyonce.testkit.sim;

/**
 * What happened in a simulated run, in numbers: so that it can be seen that a world was as bad as
 * it should be.
 *
 * @param steps events of any kind
 * @param messages what producers sent, copies included
 * @param deliveries what workers were handed, redeliveries included
 * @param effects what took effect at the bank
 * @param doubles effects of keys that had taken effect before
 * @param crashes workers that vanished with all that they were doing
 * @param stalls workers that stood still, often for longer than a lease
 * @param storeFaults calls of the store that failed, were late, or whose answer got lost
 * @param duplicates messages that were suppressed
 * @param lost handlers that ran to their end and had been overtaken
 * @param inDoubt times that a key was found in doubt
 * @param parked messages put aside for an operator
 * @param failed messages whose key failed for good
 */
public record Report(
    long steps,
    long messages,
    long deliveries,
    long effects,
    long doubles,
    long crashes,
    long stalls,
    long storeFaults,
    long duplicates,
    long lost,
    long inDoubt,
    long parked,
    long failed) {

  /** The report of no run. */
  public static final Report NONE = new Report(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Returns the sums of two reports. */
  public Report plus(Report other) {
    return new Report(
        steps + other.steps,
        messages + other.messages,
        deliveries + other.deliveries,
        effects + other.effects,
        doubles + other.doubles,
        crashes + other.crashes,
        stalls + other.stalls,
        storeFaults + other.storeFaults,
        duplicates + other.duplicates,
        lost + other.lost,
        inDoubt + other.inDoubt,
        parked + other.parked,
        failed + other.failed);
  }
}
