package dev.onlyonce.app.dedup;

import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import java.util.List;

/** Keys that are forgotten at the end of the run, so that they may be remembered at once. */
public final class KeysInMemory implements SeenKeys {

  private final ClaimStore store;

  /** Keeps keys in this store, which it closes. */
  public KeysInMemory(ClaimStore store) {
    this.store = store;
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    return store.claim(batch);
  }

  @Override
  public int forget() {
    return store.purge(Integer.MAX_VALUE);
  }

  @Override
  public void close() {
    store.close();
  }
}
