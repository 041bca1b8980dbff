package dev.onlyonce.broker.rocketmq;

import dev.onlyonce.spi.Progress;
import dev.onlyonce.spi.Source.Arrival;
import java.util.ArrayDeque;
import java.util.List;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.jspecify.annotations.Nullable;

/**
 * A queue for as long as this consumer has it: what was received and not handed out, and how far it
 * is finished.
 */
final class Lane {
  private final MessageQueue queue;
  private final ArrayDeque<MessageExt> waiting = new ArrayDeque<>();
  private @Nullable Progress progress;
  private boolean isUnplaced;
  private boolean isPaused;
  private long lastReceived = -1;
  private long committed = -1;

  /**
   * @param isUnplaced whether the client may be somewhere else than where the lane begins
   */
  Lane(MessageQueue queue, boolean isUnplaced) {
    this.queue = queue;
    this.isUnplaced = isUnplaced;
  }

  static String name(MessageQueue queue) {
    return "%s-%s-%d".formatted(queue.getTopic(), queue.getBrokerName(), queue.getQueueId());
  }

  MessageQueue queue() {
    return queue;
  }

  String name() {
    return name(queue);
  }

  boolean isUnplaced() {
    return isUnplaced;
  }

  void placed() {
    isUnplaced = false;
  }

  boolean isPaused() {
    return isPaused;
  }

  void paused(boolean paused) {
    isPaused = paused;
  }

  /** How many messages can be handed out. */
  int ready() {
    return waiting.size();
  }

  /** Whether the client has begun anew, so that this is no longer the lane of the message. */
  boolean isBehind(MessageExt message) {
    return message.getQueueOffset() <= lastReceived;
  }

  void received(MessageExt message) {
    waiting.add(message);
    lastReceived = message.getQueueOffset();
  }

  /** Hands out what is ready, until there are so many arrivals. */
  void handOut(List<Arrival> arrivals, int most) {
    while (arrivals.size() < most && !waiting.isEmpty()) {
      MessageExt message = waiting.remove();
      long offset = message.getQueueOffset();
      if (progress == null) {
        progress = new Progress(offset);
      }
      progress.arrived(offset);
      arrivals.add(new Arrival(name(), offset, Messages.delivery(message)));
    }
  }

  void finished(long offset) {
    if (progress != null) {
      progress.finished(offset);
    }
  }

  /** The offset to be committed; -1 if there is none, or it has been. */
  long toCommit() {
    Progress reached = progress;
    return reached != null && reached.position() > committed ? reached.position() : -1;
  }

  void committed(long offset) {
    committed = offset;
  }
}
