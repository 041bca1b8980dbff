package dev.onlyonce.store.redis;

import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import java.time.Duration;
import java.util.List;

/**
 * A store whose keys move to its compact tier as soon as they are done: it is purged at once, and
 * what is completed and kept for long is kept for so long that it may move.
 *
 * <p>Two kinds of keys stay where they are, since a tier does not know all of them: what is
 * completed in the step of its claim (whose request may not be repeated once it has moved), and
 * what is of another scope than most (which listings do not know once it has).
 */
record MovingStore(RedisStore store) implements ClaimStore {

  private static final Scope SCOPE = Scope.of("contract");
  private static final Duration LONG = Duration.ofMinutes(10);

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    return moved(store.claim(batch));
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    return moved(store.settle(batch.stream().map(MovingStore::longer).toList()));
  }

  private static Settlement longer(Settlement it) {
    return it instanceof Settlement.Complete complete
            && complete.result().equals(Result.NONE)
            && it.claim().scope().equals(SCOPE)
        ? new Settlement.Complete(it.claim(), Result.NONE, longer(it.retention()))
        : it;
  }

  private static Duration longer(Duration retention) {
    return retention.compareTo(LONG) < 0 ? retention : retention.plusHours(2);
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    return store.renew(batch);
  }

  @Override
  public int purge(int limit) {
    return store.purge(limit);
  }

  private <T> T moved(T answers) {
    while (store.purge(1_000) > 0) {
      // until all has moved
    }
    return answers;
  }

  @Override
  public void close() {
    store.close();
  }
}
