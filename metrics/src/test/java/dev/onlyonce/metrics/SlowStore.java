package dev.onlyonce.metrics;

import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.testkit.ManualTime;
import java.time.Duration;
import java.util.List;

/** A store on a long wire: each call takes the same time, by the clock of the test. */
record SlowStore(ClaimStore store, ManualTime time, Duration takes) implements ClaimStore {

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    time.advance(takes);
    return store.claim(batch);
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    time.advance(takes);
    return store.settle(batch);
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    time.advance(takes);
    return store.renew(batch);
  }

  @Override
  public int purge(int limit) {
    time.advance(takes);
    return store.purge(limit);
  }

  @Override
  public void close() {
    store.close();
  }
}
