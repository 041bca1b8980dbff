package dev.onlyonce.broker.kafka;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Commits the positions of lanes: one commit after the other, so that none is overtaken by an older
 * one. A commit that fails is made up for by the next one, or by a redelivery.
 *
 * <p>For the thread that polls.
 */
final class Commits {
  private static final System.Logger LOG = System.getLogger(KafkaSource.class.getName());

  /** As long as a lane's next owner may have to wait for us. */
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final Consumer<?, ?> consumer;
  private final boolean isOn;
  private boolean underWay;
  private @Nullable KafkaException refusal;

  /**
   * @param isOn whether positions are committed from here at all
   */
  Commits(Consumer<?, ?> consumer, boolean isOn) {
    this.consumer = consumer;
    this.isOn = isOn;
  }

  /**
   * Sends what is not committed, unless a commit is under way.
   *
   * @throws KafkaException if the one before was refused for good
   */
  void send(Collection<Lane> lanes) {
    KafkaException earlier = refusal;
    if (earlier != null) {
      refusal = null;
      throw earlier;
    }
    Map<Lane, OffsetAndMetadata> positions = underWay || !isOn ? Map.of() : positions(lanes);
    if (!positions.isEmpty()) {
      underWay = true;
      consumer.commitAsync(
          byPartition(positions),
          (offsets, failure) -> {
            underWay = false;
            ended(positions, failure);
          });
    }
  }

  /**
   * Sends what is not committed, and waits for the broker.
   *
   * @return whether the consumer was woken up meanwhile
   */
  boolean sendNow(Collection<Lane> lanes) {
    Map<Lane, OffsetAndMetadata> positions = isOn ? positions(lanes) : Map.of();
    if (positions.isEmpty()) {
      return false;
    }
    try {
      consumer.commitSync(byPartition(positions), LIMIT);
      ended(positions, null);
    } catch (WakeupException e) {
      sendNow(lanes);
      return true;
    } catch (KafkaException e) {
      ended(positions, e);
    }
    return false;
  }

  /** What is not committed. */
  static Map<Lane, OffsetAndMetadata> positions(Collection<Lane> lanes) {
    Map<Lane, OffsetAndMetadata> positions = new HashMap<>();
    for (Lane lane : lanes) {
      OffsetAndMetadata position = lane.toCommit();
      if (position != null) {
        positions.put(lane, position);
      }
    }
    return positions;
  }

  static Map<TopicPartition, OffsetAndMetadata> byPartition(
      Map<Lane, OffsetAndMetadata> positions) {
    Map<TopicPartition, OffsetAndMetadata> byPartition = new HashMap<>();
    positions.forEach((lane, position) -> byPartition.put(lane.partition(), position));
    return byPartition;
  }

  private void ended(Map<Lane, OffsetAndMetadata> positions, @Nullable Exception failure) {
    if (failure == null) {
      positions.forEach((lane, position) -> lane.committed(position.offset()));
    } else if (failure instanceof AuthorizationException
        || failure instanceof FencedInstanceIdException) {
      refusal = (KafkaException) failure;
    } else {
      LOG.log(
          Level.DEBUG, "positions were not committed, the next commit makes up for it", failure);
    }
  }
}
