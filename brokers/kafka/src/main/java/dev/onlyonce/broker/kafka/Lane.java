package dev.onlyonce.broker.kafka;

import dev.onlyonce.spi.Progress;
import dev.onlyonce.spi.Source.Arrival;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A partition for as long as this consumer has it: what was read and not handed out, and how far it
 * is finished.
 */
final class Lane {
  private final TopicPartition partition;
  private final ArrayDeque<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();
  private final @Nullable Uuid former;
  private @Nullable Uuid topicId;
  private @Nullable Progress progress;

  /** Where the consumer reads on: behind what was read, and behind what is no record. */
  private @Nullable OffsetAndMetadata next;

  /** Whether it is read from where it is to be read from. */
  private boolean isBegun;

  private long lastRead = -1;
  private long committed = -1;

  Lane(TopicPartition partition) {
    this(partition, null);
  }

  /**
   * @param former the id of the topic before its log began anew
   */
  Lane(TopicPartition partition, @Nullable Uuid former) {
    this.partition = partition;
    this.former = former;
  }

  static String name(TopicPartition partition, Uuid topicId) {
    return partition + "@" + topicId;
  }

  /** The same lane before anything was read of it. */
  Lane again() {
    Lane again = new Lane(partition, former);
    again.topicId = topicId;
    again.isBegun = isBegun;
    again.committed = committed;
    return again;
  }

  TopicPartition partition() {
    return partition;
  }

  /** Whether its records may be of another topic than this one is, which has the same name. */
  boolean isOfAnother(Uuid id) {
    Uuid known = topicId == null ? former : topicId;
    return known != null && !known.equals(id);
  }

  @Nullable Uuid topicId() {
    return topicId;
  }

  /** Tells the id of the topic, by which the lane gets its name. */
  void topicId(Uuid id) {
    topicId = id;
  }

  /** Null until the id of the topic is known; nothing is handed out before. */
  @Nullable String name() {
    return topicId == null ? null : name(partition, topicId);
  }

  /** Whether it has a name and the name is one of these. */
  boolean isOneOf(Set<String> names) {
    String name = name();
    return name != null && names.contains(name);
  }

  boolean isBegun() {
    return isBegun;
  }

  void begin() {
    isBegun = true;
  }

  boolean hasWaiting() {
    return !waiting.isEmpty();
  }

  /** How many records can be handed out. */
  int ready() {
    return topicId == null ? 0 : waiting.size();
  }

  /** Whether the log has begun anew, so that this is no longer the lane of these records. */
  boolean isBehind(List<ConsumerRecord<byte[], byte[]>> records) {
    return records.get(0).offset() <= lastRead;
  }

  void read(List<ConsumerRecord<byte[], byte[]>> records) {
    waiting.addAll(records);
    lastRead = records.get(records.size() - 1).offset();
  }

  void readsOnAt(OffsetAndMetadata position) {
    next = position;
  }

  boolean isPlaced() {
    return next != null;
  }

  /** Hands out what is ready, until there are so many arrivals. */
  void handOut(List<Arrival> arrivals, int most) {
    Uuid id = topicId;
    String name = name();
    if (id == null || name == null) {
      return;
    }
    while (arrivals.size() < most && !waiting.isEmpty()) {
      ConsumerRecord<byte[], byte[]> record = waiting.remove();
      if (progress == null) {
        progress = new Progress(record.offset());
      }
      progress.arrived(record.offset());
      arrivals.add(new Arrival(name, record.offset(), Deliveries.of(record, id)));
    }
  }

  void finished(long offset) {
    if (progress != null) {
      progress.finished(offset);
    }
  }

  /** The position to be committed; null if it has been. */
  @Nullable OffsetAndMetadata toCommit() {
    OffsetAndMetadata position = position();
    return position != null && position.offset() > committed ? position : null;
  }

  private @Nullable OffsetAndMetadata position() {
    if (progress != null && progress.unfinished() > 0) {
      return new OffsetAndMetadata(progress.position());
    }
    ConsumerRecord<byte[], byte[]> first = waiting.peek();
    return first == null ? next : new OffsetAndMetadata(first.offset());
  }

  void committed(long offset) {
    committed = Math.max(committed, offset);
  }
}
