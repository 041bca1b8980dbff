package dev.onlyonce.broker.kafka;

/** What {@link DuplicateMetrics} have counted, for JMX. Numbers only grow. */
public interface DuplicateMetricsMXBean {

  /** Returns how many records came, copies and redeliveries included. */
  long getRecords();

  /** Returns how many came with a key that another record, a remembered one, had before. */
  long getCopies();

  /**
   * Returns how many came again from a place that was read before, after a rebalance or a seek.
   * They are counted as redeliveries only, whatever their key.
   */
  long getRedeliveries();

  /** Returns how many had no key, or an empty one: these are never copies of each other. */
  long getKeyless();

  /** Returns how many keys are remembered now. */
  int getRemembered();
}
