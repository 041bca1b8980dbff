package dev.onlyonce.app.audit;

/**
 * What an audit has seen.
 *
 * @param sentRecords records that were sent, copies included
 * @param sentKeys different keys that were sent
 * @param effectRecords records of effects
 * @param effectKeys different keys that have taken effect
 * @param missing keys that were sent and have not taken effect
 * @param doubled keys that have taken effect more than once
 * @param unexpected keys that have taken effect and were not sent
 * @param withoutKey records, of either side, that have no key
 * @param bad records, of either side, that cannot be read
 */
public record Summary(
    long sentRecords,
    long sentKeys,
    long effectRecords,
    long effectKeys,
    long missing,
    long doubled,
    long unexpected,
    long withoutKey,
    long bad) {

  /** Tells whether every key that was sent has taken effect once, and no other has. */
  public boolean isClean() {
    return missing == 0 && doubled == 0 && unexpected == 0;
  }

  /** Tells whether there was nothing to compare: both sides have no records at all. */
  public boolean isEmpty() {
    return sentRecords == 0 && effectRecords == 0;
  }

  /** Returns how many records could not be compared. */
  public long leftOut() {
    return withoutKey + bad;
  }
}
