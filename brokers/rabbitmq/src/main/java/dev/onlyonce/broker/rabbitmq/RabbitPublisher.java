package dev.onlyonce.broker.rabbitmq;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Publisher;
import dev.onlyonce.spi.Time;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages to RabbitMQ, and tells of each whether the broker has put it into a queue.
 *
 * <p>A destination is {@code EXCHANGE/ROUTING-KEY}, divided at the first slash, or the name of a
 * queue, to which the message goes through the default exchange. A queue with a slash in its name
 * is written {@code /QUEUE}; see {@link #destination}. A message is persistent and mandatory, its
 * id the property {@code message-id}, its ordering key the header {@link
 * RabbitHeaders#ORDERING_KEY}. RabbitMQ has no record keys. Headers are sent as strings, those with
 * several values as arrays.
 *
 * <p><b>Guarantee.</b> That of a {@link Publisher}. Confirmed is said when the broker has confirmed
 * a message and not returned it: all queues it was routed to have it, quorum queues on most of
 * their nodes. It is sent as durable, but lies no longer than its queue does.
 *
 * <p><b>Thread-safety.</b> Any number of threads, which share one connection, and a channel for
 * each exchange, so that one which the broker closes leaves messages to others alone.
 *
 * <p><b>Failure.</b> Refused: no queue is bound, the exchange is not there, or a queue takes no
 * more ({@code overflow=reject-publish}). Unknown: no confirmation in time, a connection that ends,
 * or none. What the broker answers by closing the channel (no permission, a message that is too
 * large) is Unknown for all messages of its exchange that are not confirmed by then.
 */
public final class RabbitPublisher implements Publisher {
  private static final Duration CONFIRMED_WITHIN = Duration.ofSeconds(10);
  private static final int CLOSE_LIMIT_MILLIS = 10_000;

  private final RabbitBroker broker;
  private final Duration confirmedWithin;
  private final Time time = Time.system();

  /** Why the broker reads nothing that is published; null if it does. */
  private volatile @Nullable String blocked;

  // Under the lock of this.
  private final Map<String, ConfirmingChannel> channels = new HashMap<>();
  private @Nullable Connection connection;
  private boolean isClosed;

  private RabbitPublisher(RabbitBroker broker, Duration confirmedWithin) {
    this.broker = broker;
    this.confirmedWithin = confirmedWithin;
  }

  /** Opens a publisher, which waits up to 10 seconds for the confirmations of a batch. */
  public static RabbitPublisher open(RabbitBroker broker) {
    return open(broker, CONFIRMED_WITHIN);
  }

  /** Opens a publisher. The broker is not waited for: the first batch connects. */
  public static RabbitPublisher open(RabbitBroker broker, Duration confirmedWithin) {
    return new RabbitPublisher(
        Objects.requireNonNull(broker, "broker must not be null"),
        Limits.requirePositive("confirmed within", confirmedWithin));
  }

  /**
   * Returns an exchange and a routing key as a destination.
   *
   * @param exchange empty for the default one, whose routing keys are names of queues
   * @throws IllegalArgumentException if there is a slash in the exchange
   */
  public static String destination(String exchange, String routingKey) {
    return new Destination(exchange, routingKey).toString();
  }

  @Override
  public List<Receipt> publish(List<Message> batch) {
    long endNanos = time.nanoTime() + confirmedWithin.toNanos();
    Map<String, Route> routes = new HashMap<>();
    List<CompletableFuture<Receipt>> receipts = new ArrayList<>(batch.size());
    for (Message message : batch) {
      Destination destination = Destination.of(message.destination());
      Route route = routes.computeIfAbsent(destination.exchange(), it -> route(it, endNanos));
      receipts.add(route.send(destination, message));
    }
    return receipts.stream().map(it -> await(it, endNanos)).toList();
  }

  /**
   * The way to an exchange, looked up once for a batch: if its channel ends, none of the later
   * messages is sent before the earlier ones.
   *
   * @param problem what becomes of all messages if there is none
   */
  private record Route(@Nullable ConfirmingChannel channel, Receipt problem) {

    CompletableFuture<Receipt> send(Destination destination, Message message) {
      return channel == null
          ? CompletableFuture.completedFuture(problem)
          : channel.send(destination, message);
    }
  }

  private Route route(String exchange, long endNanos) {
    Unknown late = new Unknown("no confirmation within " + confirmedWithin);
    try {
      return endNanos - time.nanoTime() > 0
          ? new Route(channel(exchange), late)
          : new Route(null, late);
    } catch (MissingExchangeException e) {
      return new Route(null, new Refused(e.getMessage()));
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      return new Route(null, new Unknown(broker + ": " + Failures.words(e)));
    }
  }

  private synchronized ConfirmingChannel channel(String exchange)
      throws IOException, TimeoutException {
    Connection current = connection();
    ConfirmingChannel open = channels.get(exchange);
    if (open == null || !open.isOpen()) {
      open = ConfirmingChannel.open(current, exchange);
      channels.put(exchange, open);
    }
    return open;
  }

  private Connection connection() throws IOException, TimeoutException {
    if (isClosed) {
      throw new IOException("the publisher is closed");
    }
    Connection current = connection;
    if (current == null || !current.isOpen()) {
      channels.clear();
      current = broker.connect("onlyonce publisher");
      current.addBlockedListener(reason -> blocked = reason, () -> blocked = null);
      blocked = null;
      connection = current;
    }
    String why = blocked;
    if (why != null) {
      throw new IOException("the broker takes no messages for now: " + why);
    }
    return current;
  }

  private Receipt await(CompletableFuture<Receipt> receipt, long endNanos) {
    try {
      return receipt.get(Math.max(0, endNanos - time.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return new Unknown("no confirmation within " + confirmedWithin);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a receipt is never completed so", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Unknown("interrupted while the broker was waited for");
    }
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    if (connection != null) {
      connection.abort(CLOSE_LIMIT_MILLIS);
    }
  }
}
