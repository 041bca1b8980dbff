package dev.onlyonce.spi;

import dev.onlyonce.Scope;
import java.util.Map;

/**
 * Keeps how far a consumer has read, in the same commit as its claims and effects.
 *
 * <p><b>Guarantee.</b> A position is saved if and only if the caller's transaction commits. It
 * never goes back: saving a smaller one than is stored leaves that as it is.
 *
 * <p><b>Thread-safety.</b> That of the transaction object.
 *
 * <p><b>Failure.</b> {@link StoreException}; the caller rolls back.
 *
 * @param <T> the transaction's type, such as {@code java.sql.Connection}
 */
public interface PositionStore<T> {

  /**
   * Saves positions, by their source: {@code orders-3} for partition 3 of topic orders, for
   * instance.
   */
  void save(T transaction, Scope consumer, Map<String, Position> bySource);

  /** Returns all positions of the consumer, by their source. */
  Map<String, Position> load(T transaction, Scope consumer);

  /**
   * How far a source was read.
   *
   * @param epoch larger when the source was made anew and counts from the beginning again; a
   *     position of a later epoch is larger than any of an earlier one
   * @param next the number of the first record that is not finished
   */
  record Position(long epoch, long next) implements Comparable<Position> {
    @Override
    public int compareTo(Position other) {
      int byEpoch = Long.compare(epoch, other.epoch);
      return byEpoch != 0 ? byEpoch : Long.compare(next, other.next);
    }
  }
}
