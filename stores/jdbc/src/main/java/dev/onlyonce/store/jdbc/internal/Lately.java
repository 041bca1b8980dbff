package dev.onlyonce.store.jdbc.internal;

/**
 * Whether keys were mostly new lately, by which the statement is chosen that is the cheaper one
 * then. A wrong guess costs a statement and nothing else. Safe for use by many threads.
 */
final class Lately {

  private volatile boolean areMostlyNew = true;

  boolean areMostlyNew() {
    return areMostlyNew;
  }

  /** Learns from how many of some keys were claimed. */
  void saw(long claimed, int size) {
    areMostlyNew = claimed * 10 >= size * 9L;
  }
}
