package dev.onlyonce.metrics;

import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import java.util.List;

/**
 * A store whose calls are timed. Guarantee, thread-safety and failure are those of the store below.
 */
class MeasuredStore implements ClaimStore {

  private final ClaimStore store;
  private final StoreMeters meters;

  MeasuredStore(ClaimStore store, StoreMeters meters) {
    this.store = store;
    this.meters = meters;
  }

  /** Measures a store; it can be read if that store can. */
  static ClaimStore over(ClaimStore store, StoreMeters meters) {
    return store instanceof ClaimReader reader
        ? new MeasuredReadableStore(store, reader, meters)
        : new MeasuredStore(store, meters);
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    return meters.measure(
        StoreMeters.Verb.CLAIM, () -> store.claim(batch), List::size, batch.size());
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    return meters.measure(
        StoreMeters.Verb.SETTLE, () -> store.settle(batch), List::size, batch.size());
  }

  @Override
  public List<Held> settleFree(List<? extends Settlement> batch) {
    return meters.measure(
        StoreMeters.Verb.SETTLE, () -> store.settleFree(batch), List::size, batch.size());
  }

  @Override
  public int maxResultBytes() {
    return store.maxResultBytes();
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    return meters.measure(
        StoreMeters.Verb.RENEW, () -> store.renew(batch), List::size, batch.size());
  }

  /** The batch is what was forgotten. */
  @Override
  public int purge(int limit) {
    return meters.measure(StoreMeters.Verb.PURGE, () -> store.purge(limit), Integer::intValue, 0);
  }

  @Override
  public void close() {
    store.close();
  }
}
