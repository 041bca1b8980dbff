package dev.onlyonce.broker.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.spi.Publisher.Receipt;
import dev.onlyonce.spi.Publisher.Refused;
import dev.onlyonce.spi.Publisher.Unknown;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * A channel of which the broker confirms what is published. Any number of threads send; the
 * client's thread is told of returns, confirmations and the end, in the order of the broker.
 */
final class ConfirmingChannel {
  private final Channel channel;
  private final Object sending = new Object();

  /** What was sent and is not confirmed, by the numbers of the confirmations. */
  private final ConcurrentSkipListMap<Long, Pending> pending = new ConcurrentSkipListMap<>();

  private static final class Pending {
    private final Destination destination;
    private final String id;
    private final CompletableFuture<Receipt> receipt = new CompletableFuture<>();

    /** Why no queue has it; only of the client's thread. */
    private @Nullable String returned;

    Pending(Destination destination, String id) {
      this.destination = destination;
      this.id = id;
    }
  }

  private ConfirmingChannel(Channel channel) throws IOException {
    this.channel = channel;
    channel.confirmSelect();
    channel.addReturnListener(this::returned);
    channel.addConfirmListener(
        new ConfirmListener() {
          @Override
          public void handleAck(long number, boolean multiple) {
            upTo(number, multiple).forEach(ConfirmingChannel::confirmed);
          }

          @Override
          public void handleNack(long number, boolean multiple) {
            upTo(number, multiple).forEach(ConfirmingChannel::rejected);
          }
        });
    channel.addShutdownListener(this::ended);
  }

  /**
   * Opens a channel to publish to one exchange.
   *
   * @throws MissingExchangeException if that is not there
   */
  static ConfirmingChannel open(Connection connection, String exchange) throws IOException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("the connection has no channel left");
    }
    if (!exchange.isEmpty()) {
      requireExchange(channel, exchange);
    }
    return new ConfirmingChannel(channel);
  }

  private static void requireExchange(Channel channel, String exchange) throws IOException {
    try {
      channel.exchangeDeclarePassive(exchange);
    } catch (IOException e) {
      throw Failures.isMissing(e) ? new MissingExchangeException(exchange, e) : e;
    }
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  CompletableFuture<Receipt> send(Destination destination, Message message) {
    BasicProperties properties = Properties.of(message);
    Pending sent = new Pending(destination, properties.getMessageId());
    synchronized (sending) {
      long number = channel.getNextPublishSeqNo();
      pending.put(number, sent);
      try {
        channel.basicPublish(
            destination.exchange(), destination.routingKey(), true, properties, message.body());
      } catch (IOException | ShutdownSignalException e) {
        pending.remove(number);
        sent.receipt.complete(new Unknown(Failures.words(e)));
      } catch (RuntimeException e) {
        // It cannot be written as AMQP, and the client has counted it: from here on its numbers are
        // not those of the broker, and confirmations would be for other messages.
        pending.remove(number);
        sent.receipt.complete(new Refused("it cannot be sent as an AMQP message: " + e));
        abort();
      }
    }
    return sent.receipt;
  }

  private void abort() {
    try {
      channel.abort();
    } catch (IOException e) {
      ended(new ShutdownSignalException(false, true, null, channel));
    }
  }

  /** Takes out what a confirmation is for. */
  private List<Pending> upTo(long number, boolean multiple) {
    if (!multiple) {
      Pending one = pending.remove(number);
      return one == null ? List.of() : List.of(one);
    }
    var confirmed = pending.headMap(number, true);
    List<Pending> all = List.copyOf(confirmed.values());
    confirmed.clear();
    return all;
  }

  private static void confirmed(Pending sent) {
    sent.receipt.complete(sent.returned == null ? new Confirmed() : new Refused(sent.returned));
  }

  private static void rejected(Pending sent) {
    String why = sent.destination + ": the broker rejected it (a queue is full, or has failed)";
    sent.receipt.complete(new Refused(sent.returned == null ? why : sent.returned));
  }

  /**
   * A message has reached no queue; it is confirmed after this. The broker does not say which it
   * is: the first one with its destination and id that was not returned. Two of them would be
   * copies of one message.
   */
  private void returned(Return message) {
    Destination destination = new Destination(message.getExchange(), message.getRoutingKey());
    String id = message.getProperties().getMessageId();
    for (Pending each : pending.values()) {
      if (each.returned == null
          && each.destination.equals(destination)
          && Objects.equals(each.id, id)) {
        each.returned =
            "%s: no queue is bound for it (%s)".formatted(destination, message.getReplyText());
        return;
      }
    }
  }

  private void ended(ShutdownSignalException signal) {
    // Without the lock: whoever has it may be held up by the connection that ends. What is sent
    // later fails by itself.
    Collection<Pending> left = pending.values();
    left.forEach(it -> it.receipt.complete(new Unknown(Failures.words(signal))));
    left.clear();
  }
}
