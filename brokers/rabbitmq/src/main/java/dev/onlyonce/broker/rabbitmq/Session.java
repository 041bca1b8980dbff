package dev.onlyonce.broker.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Source.Arrival;
import dev.onlyonce.spi.Source.Demand;
import dev.onlyonce.spi.SourceException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A queue in one channel of one connection, from where it was begun to be read until that has
 * ended. What was delivered there can be acknowledged there only.
 *
 * <p>The client's threads bring deliveries, of which the broker sends no more than the prefetch
 * before some are acknowledged; one thread takes them.
 */
final class Session {
  private static final int CLOSE_LIMIT_MILLIS = 10_000;
  private static final String STREAM_OFFSET = "x-stream-offset";

  private final String lane;
  private final Failures failures;
  private final Deliveries deliveries;
  private final Bell bell;
  private final Connection connection;
  private final Channel channel;
  private final Tags tags = new Tags();

  // Of all threads, under the lock of this.
  private final ArrayDeque<Arrival> waiting = new ArrayDeque<>();
  private @Nullable SourceException end;

  private Session(
      RabbitSource.Plan plan,
      Failures failures,
      Bell bell,
      Connection connection,
      Channel channel) {
    String name = UUID.randomUUID().toString().substring(0, 8);
    this.lane = plan.queue() + "@" + name;
    this.failures = failures;
    this.deliveries = new Deliveries(plan.queue(), name, plan.orderingHeader());
    this.bell = bell;
    this.connection = connection;
    this.channel = channel;
  }

  /**
   * Connects and begins to read.
   *
   * @param bell rings when there is something to take, or it has ended
   * @throws SourceException if that is not possible now, or at all
   */
  static Session open(RabbitSource.Plan plan, Failures failures, Bell bell) {
    Connection connection;
    try {
      connection = plan.broker().connect("onlyonce consumer of " + plan.queue());
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      throw failures.opening(e);
    }
    try {
      Channel channel = connection.createChannel();
      if (channel == null) {
        throw new IOException("the connection has no channel left");
      }
      channel.queueDeclarePassive(plan.queue());
      channel.basicQos(plan.prefetch());
      Session session = new Session(plan, failures, bell, connection, channel);
      channel.basicConsume(plan.queue(), false, session.new Reader(channel));
      return session;
    } catch (IOException | ShutdownSignalException e) {
      connection.abort(CLOSE_LIMIT_MILLIS);
      throw failures.opening(e);
    }
  }

  String lane() {
    return lane;
  }

  /** Why it has ended; null if it has not. */
  synchronized @Nullable SourceException end() {
    return end;
  }

  /** Takes what is there and wanted. */
  synchronized List<Arrival> take(Demand demand) {
    if (waiting.isEmpty() || demand.full().contains(lane)) {
      return List.of();
    }
    List<Arrival> taken = new ArrayList<>();
    while (taken.size() < demand.most() && !waiting.isEmpty()) {
      Arrival arrival = waiting.remove();
      tags.handedOut(arrival.number());
      taken.add(arrival);
    }
    return taken;
  }

  /**
   * Acknowledges those that were taken here.
   *
   * @throws SourceException if the broker cannot be told any more
   */
  void acknowledge(List<Arrival> finished) {
    List<Long> numbers =
        finished.stream().filter(it -> it.lane().equals(lane)).map(Arrival::number).toList();
    try {
      for (Tags.Acknowledgement each : tags.finished(numbers)) {
        channel.basicAck(each.tag(), each.multiple());
      }
    } catch (IOException | ShutdownSignalException e) {
      throw failures.passing(e, "acknowledgements are lost with the connection");
    }
  }

  /** Ends it, after what was acknowledged has been read by the broker. Never throws. */
  void close() {
    try {
      channel.close();
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      // it has ended otherwise, or does not answer
    }
    connection.abort(CLOSE_LIMIT_MILLIS);
  }

  private void endWith(SourceException reason) {
    synchronized (this) {
      if (end != null) {
        return;
      }
      end = reason;
      waiting.clear();
    }
    bell.ring();
  }

  /** Called by the client's threads, one at a time. */
  private final class Reader extends DefaultConsumer {

    Reader(Channel channel) {
      super(channel);
    }

    @Override
    public void handleDelivery(
        String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
      if (properties.getHeaders() != null && properties.getHeaders().containsKey(STREAM_OFFSET)) {
        endWith(failures.stream());
        return;
      }
      Delivery delivery = deliveries.of(envelope, properties, body);
      synchronized (Session.this) {
        if (end != null) {
          return;
        }
        waiting.add(new Arrival(lane, envelope.getDeliveryTag(), delivery));
      }
      bell.ring();
    }

    @Override
    public void handleCancel(String consumerTag) {
      endWith(failures.cancelled());
    }

    @Override
    public void handleShutdownSignal(String consumerTag, ShutdownSignalException signal) {
      endWith(failures.ended(signal));
    }
  }
}
