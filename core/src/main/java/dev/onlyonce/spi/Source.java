package dev.onlyonce.spi;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Where deliveries come from: one consumer's subscription at a broker.
 *
 * <p>A source has <b>lanes</b>, each with its own order: the partitions of a topic, a queue. What
 * is not acknowledged when a lane is taken away, or when the process dies, is delivered again, here
 * or elsewhere.
 *
 * <p><b>Guarantee.</b> A delivery is not forgotten by the broker before it was acknowledged here.
 * Nothing is acknowledged on behalf of the caller.
 *
 * <p><b>Thread-safety.</b> One thread calls, which is the same from the first call to the last;
 * only {@link #wakeUp()} may be called by any.
 *
 * <p><b>Failure.</b> {@link SourceException}.
 */
public interface Source extends AutoCloseable {

  /**
   * Returns what has arrived, after waiting a while if there is nothing yet. To be called at least
   * every few seconds, also when nothing is wanted: for some brokers this is the sign of life.
   *
   * <p>Lanes change hands inside of this call only, and {@code ownership} is told there. What is
   * returned belongs to lanes that are owned still.
   *
   * @return in order within each lane; at most as many as are wanted
   */
  List<Arrival> poll(Demand demand, Ownership ownership);

  /**
   * Tells the broker that these are finished, in any order. An acknowledgement that comes too late
   * or is lost does no harm: the delivery comes again and is found to be a duplicate. May be called
   * by {@link Ownership#revoked} too.
   */
  void acknowledge(List<Arrival> finished);

  /** Has a {@link #poll} that waits return soon, or the next one not wait. Never throws. */
  void wakeUp();

  /** Returns where it reads, with what settings: for the log, without secrets. */
  String description();

  /** Leaves the broker, having sent the acknowledgements that were made. Never throws. */
  @Override
  void close();

  /**
   * A delivery with its place.
   *
   * @param lane what it is in order with
   * @param number larger than that of each earlier arrival in its lane, for as long as the lane
   *     stays; not without gaps. A delivery that comes again may have the number it had.
   */
  record Arrival(String lane, long number, Delivery delivery) {}

  /**
   * What is wanted of a poll.
   *
   * @param most how many deliveries at the most; zero if none are wanted now
   * @param maxWait how long to wait for the first
   * @param full lanes of which nothing is wanted now
   */
  record Demand(int most, Duration maxWait, Set<String> full) {}

  /** Is told when lanes change hands. It does not throw. */
  interface Ownership {

    /**
     * These lanes are about to be given to others: ends what is under way there as far as there is
     * time, and acknowledges it. Their deliveries are not acknowledged after this.
     */
    void revoked(Set<String> lanes);

    /** These lanes belong to others already: nothing of them is to be begun or acknowledged. */
    void lost(Set<String> lanes);
  }
}
