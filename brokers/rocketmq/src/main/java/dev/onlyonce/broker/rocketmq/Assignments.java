package dev.onlyonce.broker.rocketmq;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.apache.rocketmq.client.consumer.MessageQueueListener;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * Which queues the client has given itself, in the order of its rebalancing, for the thread that
 * polls. The client tells of it afterwards, on a thread of its own.
 */
final class Assignments implements MessageQueueListener {
  private final Queue<Assignment> untold = new ConcurrentLinkedQueue<>();

  /** All queues of one topic that are this consumer's from now on. */
  record Assignment(String topic, Set<MessageQueue> queues) {}

  @Override
  public void messageQueueChanged(String topic, Set<MessageQueue> all, Set<MessageQueue> own) {
    untold.add(new Assignment(topic, Set.copyOf(own)));
  }

  void forEachNew(Consumer<Assignment> action) {
    for (Assignment next = untold.poll(); next != null; next = untold.poll()) {
      action.accept(next);
    }
  }
}
