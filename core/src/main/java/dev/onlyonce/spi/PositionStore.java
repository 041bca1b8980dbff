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
   * Saves positions: for each source, such as {@code orders-3} for partition 3 of topic orders, the
   * number of the first record that is not finished.
   */
  void save(T transaction, Scope consumer, Map<String, Long> nextBySource);

  /** Returns all positions of the consumer. */
  Map<String, Long> load(T transaction, Scope consumer);
}
