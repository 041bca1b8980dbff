package dev.onlyonce.app.bench;

/** What a store is asked to do. */
public enum Work {
  /** New keys are claimed by one call and completed by another, some hundreds a call. */
  BATCHES("new keys, claimed and completed in batches", true, false),

  /** Keys that are done are claimed again, some hundreds a call. */
  DUPLICATES("duplicates in batches", true, false),

  /** A new key is claimed and completed by calls of its own. */
  SINGLE_CALLS("new keys, claimed and completed one a call", false, false),

  /** The same, and the calls of all threads are put together on their way. */
  COMBINED_CALLS("the same, the threads' calls combined", false, true);

  private final String sentence;
  private final boolean isBatched;
  private final boolean isCombined;

  Work(String sentence, boolean isBatched, boolean isCombined) {
    this.sentence = sentence;
    this.isBatched = isBatched;
    this.isCombined = isCombined;
  }

  /** Returns what it is, in words. */
  public String sentence() {
    return sentence;
  }

  /** Tells whether one thread asks about many keys at a time, or many threads about one. */
  boolean isBatched() {
    return isBatched;
  }

  boolean isCombined() {
    return isCombined;
  }
}
