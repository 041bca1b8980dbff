package dev.onlyonce.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CombiningStoreTest {

  private static final String LOCKED = "locked";

  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CountDownLatch passed = new CountDownLatch(1);
  private final List<Integer> batches = Collections.synchronizedList(new ArrayList<>());

  /** Knows nothing of a key that is locked: beside others it says so, alone it throws. */
  private final class LockedStore implements ClaimStore {

    @Override
    public List<Held> renew(List<Renewal> batch) {
      batches.add(batch.size());
      arrived.countDown();
      try {
        passed.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      if (batch.size() == 1 && isLocked(batch.get(0))) {
        throw new StoreException(StoreException.Kind.UNAVAILABLE, "another has it locked");
      }
      return batch.stream().map(it -> isLocked(it) ? Held.UNKNOWN : Held.HELD).toList();
    }

    private boolean isLocked(Renewal it) {
      return it.claim().key().equals(Key.of(LOCKED));
    }

    @Override
    public List<Answer> claim(List<ClaimRequest> batch) {
      throw new AssertionError();
    }

    @Override
    public List<Held> settle(List<? extends Settlement> batch) {
      throw new AssertionError();
    }

    @Override
    public int purge(int limit) {
      throw new AssertionError();
    }

    @Override
    public void close() {}
  }

  private static FutureTask<List<Held>> renewing(CombiningStore store, String key) {
    Claim claim = new Claim(Scope.of("combined"), Key.of(key), 1, 1);
    FutureTask<List<Held>> task =
        new FutureTask<>(() -> store.renew(List.of(new Renewal(claim, Duration.ofHours(1), null))));
    Thread thread = new Thread(task, key);
    thread.setDaemon(true);
    thread.start();
    if (!key.equals("first")) {
      while (thread.getState() != Thread.State.WAITING) { // in the queue
        Thread.onSpinWait();
      }
    }
    return task;
  }

  /** Who extends his claim would be told nothing, where alone he is told what is wrong. */
  @Test
  void a_caller_of_whose_claims_nothing_is_known_is_asked_for_alone() throws Exception {
    CombiningStore store = CombiningStore.over(new LockedStore());
    FutureTask<List<Held>> first = renewing(store, "first");
    arrived.await();
    FutureTask<List<Held>> locked = renewing(store, LOCKED);
    FutureTask<List<Held>> other = renewing(store, "other");
    passed.countDown();
    assertThat(first.get()).containsExactly(Held.HELD);
    assertThat(other.get()).containsExactly(Held.HELD);
    assertThatThrownBy(locked::get).hasRootCauseMessage("another has it locked");
    assertThat(batches).containsExactly(1, 2, 1);
  }
}
