package dev.onlyonce.testkit;

import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.util.List;

/** One of several handles on a store: closing it leaves the store open. */
final class StoreHandle implements ClaimStore {

  private final ClaimStore store;
  private volatile boolean closed;

  StoreHandle(ClaimStore store) {
    this.store = store;
  }

  private ClaimStore store() {
    if (closed) {
      throw new StoreException(StoreException.Kind.CLOSED, "this handle has been closed");
    }
    return store;
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    return store().claim(batch);
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    return store().settle(batch);
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    return store().renew(batch);
  }

  @Override
  public int purge(int limit) {
    return store().purge(limit);
  }

  @Override
  public void close() {
    closed = true;
  }
}
