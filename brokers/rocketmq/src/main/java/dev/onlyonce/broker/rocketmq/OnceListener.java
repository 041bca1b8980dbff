package dev.onlyonce.broker.rocketmq;

import dev.onlyonce.OnlyOnce;
import dev.onlyonce.messaging.DeliveryHandler;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.spi.StoreException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.protocol.heartbeat.MessageModel;
import org.jspecify.annotations.Nullable;

/**
 * Listeners for a push consumer that handle each key once, by an engine.
 *
 * <pre>{@code
 * OnceListener<?> listener =
 *     OnceListener.of(once, consumer, RocketKeys.messageKeys(), order -> charge(order));
 * consumer.registerMessageListener(listener.concurrently());
 * }</pre>
 *
 * <p><b>Guarantee.</b> That of the engine for each key. A message is acknowledged when its key is
 * done, or when its dead letter is in {@code %DLQ%} and the group's name; copies of what is done do
 * not reach the handler. What becomes of a message depends on the engine's attempts and back-off:
 * while the consumer's own bound, {@code maxReconsumeTimes}, is not set, it is taken away, since it
 * would count each time that a message has to wait for another process or for the store.
 *
 * <ul>
 *   <li>Concurrently: every message of a batch is tried; those up to the first unfinished one are
 *       acknowledged, and the others are delivered again at the delay level that is not shorter
 *       than the first one's back-off, where they are copies of what is done.
 *   <li>Orderly: the first unfinished message ends the batch and suspends its queue, and no other,
 *       for the back-off, 30 seconds at the most; a message that has failed for good is put aside
 *       and lets the queue go on.
 * </ul>
 *
 * <p><b>Dead letters</b> are sent after the key was settled, so each copy of a key that has failed
 * is put aside, also one that comes after a crash in between.
 *
 * <p><b>Thread-safety.</b> Any number of threads, as the consumer has them.
 *
 * <p><b>Failure.</b> A store or a broker that does not answer has messages delivered again.
 *
 * @param <R> what handlers return
 */
public final class OnceListener<R extends @Nullable Object> {
  private static final System.Logger LOG = System.getLogger(OnceListener.class.getName());

  /** For what has no back-off of its own. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private static final int UNBOUNDED = -1;
  private static final int DEAD_LETTER_LEVEL = -1;

  private final OnlyOnce<R> engine;
  private final DefaultMQPushConsumer consumer;
  private final KeyExtractor keys;
  private final DeliveryHandler<R> handler;

  private OnceListener(
      OnlyOnce<R> engine,
      DefaultMQPushConsumer consumer,
      KeyExtractor keys,
      DeliveryHandler<R> handler) {
    this.engine = Objects.requireNonNull(engine, "engine must not be null");
    this.consumer = consumer;
    this.keys = Objects.requireNonNull(keys, "keys must not be null");
    this.handler = Objects.requireNonNull(handler, "handler must not be null");
    if (consumer.getMessageModel() != MessageModel.CLUSTERING) {
      throw new IllegalArgumentException(
          "message model must be CLUSTERING, was "
              + consumer.getMessageModel()
              + ", which forgets what was not handled");
    }
    if (consumer.getMaxReconsumeTimes() == UNBOUNDED) {
      consumer.setMaxReconsumeTimes(Integer.MAX_VALUE);
    }
  }

  /**
   * Makes listeners for a consumer that is not started; both stay the caller's.
   *
   * @throws IllegalArgumentException if it is to broadcast
   */
  public static <R extends @Nullable Object> OnceListener<R> of(
      OnlyOnce<R> engine,
      DefaultMQPushConsumer consumer,
      KeyExtractor keys,
      DeliveryHandler<R> handler) {
    return new OnceListener<>(engine, consumer, keys, handler);
  }

  /** Does the same for a handler that has no result and does not ask for its attempt. */
  @SuppressWarnings("NullAway") // null stands for no result, whatever R is
  public static <R extends @Nullable Object> OnceListener<R> of(
      OnlyOnce<R> engine,
      DefaultMQPushConsumer consumer,
      KeyExtractor keys,
      DeliveryHandler.Action action) {
    Objects.requireNonNull(action, "handler must not be null");
    return of(
        engine,
        consumer,
        keys,
        (delivery, attempt) -> {
          action.handle(delivery);
          return null;
        });
  }

  /** Returns the listener for messages in any order. */
  public MessageListenerConcurrently concurrently() {
    return this::consumeConcurrently;
  }

  /** Returns the listener for the messages of each queue one after the other. */
  public MessageListenerOrderly orderly() {
    return this::consumeOrderly;
  }

  private ConsumeConcurrentlyStatus consumeConcurrently(
      List<MessageExt> messages, ConsumeConcurrentlyContext context) {
    int firstUnfinished = messages.size();
    for (int i = 0; i < messages.size(); i++) {
      Duration wait = handle(messages.get(i));
      if (wait != null && i < firstUnfinished) {
        firstUnfinished = i;
        context.setDelayLevelWhenNextConsume(DelayLevels.notShorterThan(wait));
      }
    }
    context.setAckIndex(firstUnfinished - 1);
    return firstUnfinished == 0
        ? ConsumeConcurrentlyStatus.RECONSUME_LATER
        : ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
  }

  private ConsumeOrderlyStatus consumeOrderly(
      List<MessageExt> messages, ConsumeOrderlyContext context) {
    for (MessageExt message : messages) {
      Duration wait = handle(message);
      if (wait != null) {
        context.setSuspendCurrentQueueTimeMillis(wait.plusMillis(1).toMillis());
        return ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT;
      }
    }
    return ConsumeOrderlyStatus.SUCCESS;
  }

  /** Returns when the message is to be delivered again; null if it is finished. */
  private @Nullable Duration handle(MessageExt message) {
    Delivery delivery = Messages.delivery(message);
    Verdict verdict;
    try {
      verdict =
          Verdict.of(
              engine.attempt(keyOf(delivery), null, attempt -> handler.handle(delivery, attempt)));
    } catch (StoreException | IllegalStateException e) { // or the engine has been closed
      LOG.log(
          Level.WARNING,
          delivery.source() + " at offset " + delivery.position() + " is delivered again",
          e);
      return PAUSE;
    }
    if (verdict instanceof Verdict.Later later) {
      return later.pause();
    }
    return verdict instanceof Verdict.Aside ? putAside(message) : null;
  }

  /** What its extractor throws at is undecodable, and would be so at each delivery. */
  private KeyExtractor.Extracted keyOf(Delivery delivery) {
    try {
      return Objects.requireNonNull(keys.extract(delivery), "the extractor has said nothing");
    } catch (RuntimeException | Error e) {
      return new KeyExtractor.Unkeyed(
          KeyExtractor.Reason.UNDECODABLE, "its key cannot be found: " + e);
    }
  }

  @SuppressWarnings("deprecation") // nothing else puts a single message of a batch aside
  private @Nullable Duration putAside(MessageExt message) {
    try {
      consumer.sendMessageBack(message, DEAD_LETTER_LEVEL);
      return null;
    } catch (MQClientException | MQBrokerException | RemotingException e) {
      LOG.log(Level.WARNING, "a dead letter is tried again", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return PAUSE;
  }
}
