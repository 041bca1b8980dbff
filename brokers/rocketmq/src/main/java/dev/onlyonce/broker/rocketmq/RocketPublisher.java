package dev.onlyonce.broker.rocketmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.spi.Publisher;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.exception.RemotingException;

/**
 * Sends messages to RocketMQ, and tells of each whether the broker has done with it all that it is
 * set to do (flushed it, handed it to replicas).
 *
 * <p>The destination of a message is a topic. Its record key, or without one its id, is sent as the
 * message's keys, its ordering key as the sharding key, and its id as the header {@link
 * RocketHeaders#ID}. The ordering key, or without one the id, decides the queue: so what must stay
 * in order is in one queue, and copies of a message meet in one, as long as the topic's queues
 * stay.
 *
 * <p><b>Guarantee.</b> That of a {@link Publisher}. Each message is sent once, to one queue, and
 * waited for: the client's own retries, which go to another broker, are not used.
 *
 * <p><b>Thread-safety.</b> Any number of threads, which share one producer.
 *
 * <p><b>Failure.</b> Refused: an empty body, too large, a topic that is not there, no permission,
 * something that RocketMQ does not carry (a header with several values, or that is no text).
 * Unknown: any status but SEND_OK, no answer within the producer's timeout, no broker. A message
 * behind a refused one of the same ordering key may have been taken.
 */
public final class RocketPublisher implements Publisher {
  private static final Comparator<MessageQueue> ORDER =
      Comparator.comparing(MessageQueue::getBrokerName).thenComparing(MessageQueue::getQueueId);

  private final DefaultMQProducer producer;

  private RocketPublisher(DefaultMQProducer producer) {
    this.producer = producer;
  }

  /**
   * Starts a producer, which has its group and its name server, and is the publisher's from here
   * on.
   *
   * @throws IllegalArgumentException if it cannot be started as it is set
   */
  public static RocketPublisher start(DefaultMQProducer producer) {
    Objects.requireNonNull(producer, "producer must not be null");
    try {
      producer.start();
    } catch (MQClientException e) {
      throw new IllegalArgumentException(
          "producer group %s cannot be started: %s"
              .formatted(producer.getProducerGroup(), Failures.words(e)),
          e);
    }
    return new RocketPublisher(producer);
  }

  @Override
  public List<Receipt> publish(List<Message> batch) {
    Map<String, Destination> destinations = new HashMap<>();
    List<Receipt> receipts = new ArrayList<>(batch.size());
    for (Message message : batch) {
      receipts.add(
          destinations.computeIfAbsent(message.destination(), this::find).take(this, message));
    }
    return receipts;
  }

  /** Where messages to a topic go. */
  private sealed interface Destination permits Queues, Nowhere {
    Receipt take(RocketPublisher publisher, Message message);
  }

  private record Queues(List<MessageQueue> all) implements Destination {
    @Override
    public Receipt take(RocketPublisher publisher, Message message) {
      String ordering = message.orderingKey();
      return publisher.send(message, all.get(index(ordering == null ? message.id() : ordering)));
    }

    private int index(String key) {
      CRC32C hash = new CRC32C();
      hash.update(key.getBytes(UTF_8));
      return (int) (hash.getValue() % all.size());
    }
  }

  private record Nowhere(Receipt receipt) implements Destination {
    @Override
    public Receipt take(RocketPublisher publisher, Message message) {
      return receipt;
    }
  }

  /** Looks the topic up, once for all messages of a batch. */
  private Destination find(String topic) {
    try {
      return new Queues(producer.fetchPublishMessageQueues(topic).stream().sorted(ORDER).toList());
    } catch (MQClientException e) {
      return new Nowhere(Receipts.of(topic, e));
    }
  }

  private Receipt send(Message message, MessageQueue queue) {
    try {
      return Receipts.of(producer.send(Messages.of(message), queue));
    } catch (IllegalArgumentException e) {
      return new Refused(String.valueOf(e.getMessage()));
    } catch (MQClientException | MQBrokerException | RemotingException e) {
      return Receipts.of(message.destination(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Unknown("interrupted while the broker was waited for");
    }
  }

  @Override
  public void close() {
    producer.shutdown();
  }
}
