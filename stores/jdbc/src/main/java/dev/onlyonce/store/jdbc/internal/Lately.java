package dev.onlyonce.store.jdbc.internal;

import java.util.List;

/**
 * Whether keys were mostly new lately, by which the statement is chosen that is the cheaper one
 * then. A wrong guess costs a statement and nothing else. Safe for use by many threads.
 */
final class Lately {

  private volatile boolean areMostlyNew = true;

  boolean areMostlyNew() {
    return areMostlyNew;
  }

  /** Learns from what a statement has seen of some keys: at least nine of ten new, or less. */
  void saw(List<Look> looks) {
    long claimed = looks.stream().filter(it -> it.grant() != null).count();
    areMostlyNew = claimed * 10 >= looks.size() * 9L;
  }
}
