package dev.onlyonce.broker.kafka;

import java.util.Set;

/**
 * Headers with a meaning of their own. Those of a delivery are set by the {@link KafkaSource}; what
 * a producer has sent under these names is not handed on.
 */
public final class KafkaHeaders {

  /** Of a message that a {@link KafkaPublisher} sent: its id, in UTF-8. */
  public static final String ID = "onlyonce-id";

  /** Of a delivery: the id of its topic, which another topic of the same name does not have. */
  public static final String TOPIC_ID = "onlyonce-kafka-topic-id";

  /**
   * Of a delivery: the epoch of the leader that appended the record, in decimal; two records never
   * have the same topic id, partition, offset and epoch. Missing where the log does not have it.
   */
  public static final String LEADER_EPOCH = "onlyonce-kafka-leader-epoch";

  /**
   * Of a delivery whose record has no value, which is another thing than an empty one; a {@link
   * KafkaPublisher} sends a message with this header and an empty body without a value.
   */
  public static final String TOMBSTONE = "onlyonce-kafka-tombstone";

  /** Those that say something of a record in its topic, and nothing of a copy elsewhere. */
  static final Set<String> ABOUT_PLACE = Set.of(TOPIC_ID, LEADER_EPOCH, TOMBSTONE);

  private KafkaHeaders() {}
}
