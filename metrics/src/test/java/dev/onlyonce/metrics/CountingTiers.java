package dev.onlyonce.metrics;

import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.TierCounts;
import java.util.List;

/** A store with two tiers, of which the near one answers every second key. */
final class CountingTiers implements ClaimStore, TierCounts {

  private final ClaimStore store;
  private long keys;

  CountingTiers(ClaimStore store) {
    this.store = store;
  }

  @Override
  public List<TierCount> tierCounts() {
    return List.of(
        new TierCount("near", keys, keys / 2, 0), new TierCount("database", keys - keys / 2, 1, 3));
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    keys += batch.size();
    return store.claim(batch);
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    return store.settle(batch);
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    return store.renew(batch);
  }

  @Override
  public int purge(int limit) {
    return store.purge(limit);
  }

  @Override
  public void close() {
    store.close();
  }
}
