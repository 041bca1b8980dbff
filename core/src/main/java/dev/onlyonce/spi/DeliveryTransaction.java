package dev.onlyonce.spi;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.PositionStore.Position;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Handles deliveries in the transaction that claims their keys: claims, effects and positions of a
 * whole batch commit together, so that each effect happens exactly once in that database.
 *
 * <p><b>Guarantee.</b> {@link Applied} and {@link Answer.Done} are said of what is committed; of
 * what {@link Threw}, nothing has happened. When one effect of a batch fails, the others are done
 * again without it; none with the ordering key of one that failed is done after it.
 *
 * <p><b>Thread-safety.</b> Any number of threads. <b>Failure.</b> {@link StoreException}, when
 * nothing is known of the whole batch; it may be handed over again as it is.
 */
public interface DeliveryTransaction {

  /** Returns the scope of the keys. */
  Scope scope();

  /**
   * Handles a batch; the answers are in its order.
   *
   * @param batch no key twice
   * @param positions how far each lane is finished when the whole batch is; saved in the same
   *     commit if all of it is, and not at all otherwise. Empty where positions are kept elsewhere.
   */
  List<Handled> handleAll(List<Item> batch, Map<String, Position> positions);

  /** Records a key as failed for good, in a transaction of its own; not one that is done. */
  void fail(Key key, String reason);

  /**
   * A delivery that is to be handled.
   *
   * @param fingerprint of its payload, null to do without
   * @param orderingKey what must stay in order, null if nothing must
   */
  record Item(
      Delivery delivery,
      Key key,
      @Nullable Fingerprint fingerprint,
      @Nullable String orderingKey) {}

  /** What became of an item. The list is complete. */
  sealed interface Handled permits Applied, Answered, Threw {}

  /** The effect has happened now. */
  record Applied(Result result) implements Handled {}

  /**
   * The effect has not happened now; the answer says why, and is not {@link Answer.Claimed}. {@link
   * Answer.Deferred} is said of one that has to wait for another of its ordering key.
   */
  record Answered(Answer answer) implements Handled {}

  /** The effect failed, and has not happened. */
  record Threw(Throwable cause) implements Handled {}
}
