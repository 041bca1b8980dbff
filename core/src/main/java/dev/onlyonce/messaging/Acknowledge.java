package dev.onlyonce.messaging;

/** When a finished delivery is acknowledged. Always after its key was settled. */
public enum Acknowledge {
  /** As soon as it is finished, together with others that have finished by then. */
  EACH,
  /** When all deliveries of its poll are finished: one acknowledgement for a poll. */
  BATCH,
  /**
   * When {@link MessageConsumer#acknowledge} was called for it. Duplicates, and what was put aside
   * as a dead letter, are acknowledged by the consumer, since no handler gets to see them.
   */
  MANUAL
}
