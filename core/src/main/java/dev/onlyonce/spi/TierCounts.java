package dev.onlyonce.spi;

import java.util.List;

/**
 * Tells what each tier of a store did, for metrics.
 *
 * <p><b>Thread-safety.</b> Any number of threads. Nobody is asked for it, and it does not fail.
 */
public interface TierCounts {

  /** Returns the counts of each tier, the nearest first; which tiers there are does not change. */
  List<TierCount> tierCounts();

  /**
   * What a tier did in this process since the store was opened. No count ever goes back.
   *
   * @param tier its name
   * @param keys about how many keys it was asked
   * @param answered how many of them it answered, so that no other tier was asked
   * @param failures how many of its calls failed
   */
  record TierCount(String tier, long keys, long answered, long failures) {}
}
