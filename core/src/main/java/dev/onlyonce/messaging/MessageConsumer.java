package dev.onlyonce.messaging;

import dev.onlyonce.internal.messaging.ConsumerLoop;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Limits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Handles what a {@link dev.onlyonce.spi.Source} delivers, once per key, until it is closed. Made
 * by {@link dev.onlyonce.OnlyOnce#consume}.
 *
 * <p><b>Guarantee.</b> That of its engine for each key. Beside it:
 *
 * <ul>
 *   <li>A delivery is acknowledged after its key was settled, or found to be done, or its dead
 *       letter was confirmed; never before.
 *   <li>Handlers of deliveries with one ordering key run one after the other, in the order of
 *       arrival, and none overtakes one that waits for its next attempt. Others run in parallel.
 *   <li>A copy that arrives while its key is handled here follows that one's outcome.
 *   <li>What waits for another attempt keeps its ordering key waiting, its lane's position where
 *       the broker knows positions only, and nobody else while there is room.
 *   <li>What is held in memory is bounded: a lane that has more than its share of the room, or
 *       whose position has been left behind too far, is not read until some of it is finished.
 * </ul>
 *
 * <p><b>Thread-safety.</b> Any number of threads.
 *
 * <p><b>Failure.</b> A store or a broker that is away is waited for. A broker that does not let the
 * consumer read ends it: see {@link #ended()}.
 */
public final class MessageConsumer implements AutoCloseable {

  private final ConsumerLoop<?> loop;

  MessageConsumer(ConsumerLoop<?> loop) {
    this.loop = loop;
  }

  /**
   * Acknowledges a delivery in mode {@link Acknowledge#MANUAL}, now or as soon as its key is
   * settled. One that is not known here any more is left alone.
   *
   * @param delivery the object that the handler was given
   */
  public void acknowledge(Delivery delivery) {
    loop.acknowledgeManually(delivery);
  }

  /** Returns how many deliveries are under way: received and not finished. */
  public int underWay() {
    return loop.underWay();
  }

  /**
   * Returns what is completed when the consumer has ended: by {@link #close()}, or with the {@link
   * dev.onlyonce.spi.SourceException} by which the broker did not let it go on.
   */
  public CompletableFuture<Void> ended() {
    return loop.ended().copy();
  }

  /**
   * Receives nothing more, gives back what was not begun, waits for the handlers that run, and
   * interrupts them after the grace; settles, acknowledges, and leaves the broker. The engine and
   * the store stay open. A handler that calls it is one of those that are waited for.
   */
  @Override
  public void close() {
    loop.close();
  }

  /** Does the same with another grace than was set. */
  public void close(Duration grace) {
    loop.close(Limits.requireNotNegative("grace", grace));
  }
}
