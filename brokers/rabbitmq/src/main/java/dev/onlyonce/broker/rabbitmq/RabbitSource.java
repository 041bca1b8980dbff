package dev.onlyonce.broker.rabbitmq;

import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Source;
import dev.onlyonce.spi.SourceException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Deliveries from a queue of RabbitMQ.
 *
 * <pre>{@code
 * Source orders = RabbitSource.from(RabbitBroker.at(uri), "orders").open();
 * }</pre>
 *
 * <p>A lane is the queue for as long as one channel reads it, since what was delivered there can be
 * acknowledged there only; the number of an arrival is its delivery tag. When the connection or the
 * channel ends, the lane is lost, the poll fails as PASSING, and the next one connects again. What
 * was under way is delivered again, here or elsewhere. Whether the broker marks a delivery as
 * redelivered is not told: it says that of messages that nobody has seen, and not of a message that
 * its producer has sent twice.
 *
 * <p><b>Guarantee.</b> Deliveries are acknowledged by hand, those without an unfinished one before
 * them together. The broker sends no more than the prefetch before some are acknowledged, and what
 * is not wanted yet waits here; if the process dies, the broker still has all of it.
 *
 * <p><b>Ordering key.</b> The header {@link RabbitHeaders#ORDERING_KEY}, if there is one; else the
 * header that was named; else, where none was, the routing key, but nothing for messages that came
 * through the default exchange, which all have the queue's name. Where several consumers read a
 * queue, or a message is delivered again, the broker keeps no order.
 *
 * <p><b>Thread-safety.</b> That of a {@link Source}.
 *
 * <p><b>Failure.</b> {@link SourceException}: FINAL if the client is not let in, the queue is not
 * there, may not be read, or is a stream; PASSING if the broker cannot be reached, and where it
 * ends the channel, for instance after its {@code consumer_timeout}.
 */
public final class RabbitSource implements Source {
  private final Plan plan;
  private final Failures failures;
  private final Bell bell = new Bell();
  private final AtomicBoolean woken = new AtomicBoolean();
  private @Nullable CompletableFuture<Session> opening;
  private @Nullable Session session;

  private RabbitSource(Plan plan) {
    this.plan = plan;
    this.failures = new Failures("queue " + plan.queue() + " at " + plan.broker());
  }

  /** What is read, and how. */
  record Plan(RabbitBroker broker, String queue, int prefetch, @Nullable String orderingHeader) {}

  /** Reads a queue, which must be there. */
  public static Builder from(RabbitBroker broker, String queue) {
    return new Builder(
        Objects.requireNonNull(broker, "broker must not be null"),
        Objects.requireNonNull(queue, "queue must not be null"));
  }

  @Override
  public List<Arrival> poll(Demand demand, Ownership ownership) {
    try {
      long left = demand.maxWait().toNanos();
      List<Arrival> arrivals = step(demand, ownership);
      while (arrivals.isEmpty() && left > 0 && !woken.get()) {
        left = bell.await(left);
        arrivals = step(demand, ownership);
      }
      return arrivals;
    } finally {
      woken.set(false);
    }
  }

  /** Does what can be done without waiting. */
  private List<Arrival> step(Demand demand, Ownership ownership) {
    Session current = session;
    if (current == null) {
      current = opened();
    }
    if (current == null) {
      return List.of();
    }
    SourceException end = current.end();
    if (end != null) {
      session = null;
      ownership.lost(Set.of(current.lane()));
      current.close();
      throw end;
    }
    return current.take(demand);
  }

  /** The next session, if it is open by now. It is opened by another thread, and rings then. */
  private @Nullable Session opened() {
    CompletableFuture<Session> current = opening;
    if (current == null) {
      opening = open();
      return null;
    }
    if (!current.isDone()) {
      return null;
    }
    opening = null;
    session = finished(current);
    return session;
  }

  private static Session finished(CompletableFuture<Session> done) {
    try {
      return done.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof SourceException failure) {
        throw new SourceException(
            failure.kind(), Objects.requireNonNull(failure.getMessage()), failure.getCause());
      }
      throw e;
    }
  }

  private CompletableFuture<Session> open() {
    CompletableFuture<Session> next = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                next.complete(Session.open(plan, failures, bell));
              } catch (Throwable e) {
                next.completeExceptionally(e);
              }
              bell.ring();
            },
            "onlyonce-rabbitmq-connect");
    thread.setDaemon(true);
    thread.start();
    return next;
  }

  @Override
  public void acknowledge(List<Arrival> finished) {
    if (session != null) {
      session.acknowledge(finished);
    }
  }

  @Override
  public void wakeUp() {
    woken.set(true);
    bell.ring();
  }

  @Override
  public String description() {
    return "RabbitMQ %s, prefetch %d".formatted(failures.place(), plan.prefetch());
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // to close a session never fails
  public void close() {
    if (opening != null) {
      opening.thenAccept(Session::close);
      opening = null;
    }
    if (session != null) {
      session.close();
      session = null;
    }
  }

  /** Settings of a source. Not safe for use by several threads. */
  public static final class Builder {
    private final RabbitBroker broker;
    private final String queue;
    private int prefetch = 2 * Limits.BATCH;
    private @Nullable String orderingHeader;

    private Builder(RabbitBroker broker, String queue) {
      this.broker = broker;
      this.queue = queue;
    }

    /**
     * Sets how many deliveries the broker sends ahead of their acknowledgements: 1,000 unless it is
     * set, which is what a consumer has under way at the most. More than the consumer has under way
     * only wait here, where other consumers of the queue do not get them, and their time until
     * {@code consumer_timeout} runs.
     *
     * @throws IllegalArgumentException if it is not between 1 and 65,535
     */
    public Builder prefetch(int most) {
      if (most < 1 || most > 0xFFFF) {
        throw new IllegalArgumentException("prefetch must be from 1 to 65535, was " + most);
      }
      prefetch = most;
      return this;
    }

    /** Sets the header that says what must stay in order, instead of the routing key. */
    public Builder orderBy(String header) {
      orderingHeader = Objects.requireNonNull(header, "header must not be null");
      return this;
    }

    /** Makes the source. The broker is not waited for: the first poll connects. */
    public RabbitSource open() {
      return new RabbitSource(new Plan(broker, queue, prefetch, orderingHeader));
    }
  }
}
