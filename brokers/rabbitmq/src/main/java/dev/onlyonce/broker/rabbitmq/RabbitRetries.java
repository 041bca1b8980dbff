package dev.onlyonce.broker.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.onlyonce.messaging.Retries;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.SourceException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;

/**
 * Queues in which messages wait for their next attempt: one for each step, since a queue gives up
 * its messages in their order, and a longer wait would hold up a shorter one behind it.
 *
 * <pre>{@code
 * RabbitRetries retries =
 *     RabbitRetries.of("orders", Duration.ofSeconds(30), Duration.ofMinutes(5));
 * retries.declare(broker);
 * consumer.retries(retries.through(publisher));
 * }</pre>
 *
 * <p>The queue of a step is called {@code orders.retry.30000}, after its milliseconds. It is a
 * quorum queue whose messages expire after the step and go to the work queue through the default
 * exchange, <b>at least once</b>: they are kept until the work queue has confirmed them. RabbitMQ's
 * default is at most once, which loses what expires while the work queue cannot be reached. At
 * least once needs {@code overflow=reject-publish}, which is set, too: a full queue refuses a
 * message, which then waits in the consumer.
 *
 * <p>Immutable; any number of threads.
 */
public final class RabbitRetries {
  private static final String VERSION = "version";

  private final String queue;
  private final NavigableSet<Duration> steps;

  private RabbitRetries(String queue, NavigableSet<Duration> steps) {
    this.queue = queue;
    this.steps = steps;
  }

  /**
   * Names the steps of a work queue: those of the engine's back-off, without jitter. A message that
   * has to wait longer than a step waits for the longest one that is not too long, and the rest in
   * the consumer; one that has to wait less than all of them waits in the consumer.
   *
   * @throws IllegalArgumentException if there is no step, or one is not positive
   */
  public static RabbitRetries of(String queue, Duration... steps) {
    NavigableSet<Duration> ordered = new TreeSet<>();
    for (Duration step : steps) {
      ordered.add(Limits.requirePositive("step", step));
    }
    if (ordered.isEmpty()) {
      throw new IllegalArgumentException("there must be at least one step");
    }
    return new RabbitRetries(queue, ordered);
  }

  /**
   * Declares the queues, and the work queue not. Without effect for those that are there already.
   *
   * @throws SourceException if the broker cannot be asked or does not allow it, if there is a queue
   *     of such a name with other arguments, or the broker is older than 3.10, which does not know
   *     dead letters that are kept until they are confirmed
   */
  public void declare(RabbitBroker broker) {
    Failures failures = new Failures("retry queues of " + queue + " at " + broker);
    try (Connection connection = broker.connect("onlyonce retries of " + queue)) {
      requireVersion(connection, failures);
      Channel channel = connection.createChannel();
      for (Duration step : steps) {
        channel.queueDeclare(nameOf(step), true, false, false, arguments(step));
      }
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      throw failures.declaring(e);
    }
  }

  private static void requireVersion(Connection connection, Failures failures) {
    String version = String.valueOf(connection.getServerProperties().get(VERSION));
    String[] parts = version.split("\\.", 3);
    try {
      int major = Integer.parseInt(parts[0]);
      if (major < 3 || (major == 3 && Integer.parseInt(parts[1]) < 10)) {
        throw failures.tooOld(version);
      }
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return; // not RabbitMQ's way to count: its arguments decide
    }
  }

  private Map<String, Object> arguments(Duration step) {
    return Map.of(
        "x-queue-type", "quorum",
        "x-message-ttl", Limits.millis(step),
        "x-dead-letter-exchange", "",
        "x-dead-letter-routing-key", queue,
        "x-dead-letter-strategy", "at-least-once",
        "x-overflow", "reject-publish");
  }

  private String nameOf(Duration step) {
    return queue + ".retry." + Limits.millis(step);
  }

  /** Returns the names of the queues, the shortest step first. */
  public List<String> queues() {
    List<String> names = new ArrayList<>();
    steps.forEach(step -> names.add(nameOf(step)));
    return names;
  }

  /**
   * Returns what a consumer is to be given.
   *
   * @param publisher stays the caller's to close, after the consumer
   */
  public Retries through(RabbitPublisher publisher) {
    return Retries.to(
        publisher,
        (delivery, delay) ->
            Optional.ofNullable(steps.floor(delay))
                .map(step -> RabbitPublisher.destination("", nameOf(step))));
  }
}
