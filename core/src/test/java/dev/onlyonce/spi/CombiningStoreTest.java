package dev.onlyonce.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
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
      return renew(renewals(batch));
    }

    @Override
    public List<Held> settleFree(List<? extends Settlement> batch) {
      return renew(renewals(batch));
    }

    private static List<Renewal> renewals(List<? extends Settlement> batch) {
      return batch.stream().map(it -> new Renewal(it.claim(), Duration.ZERO, null)).toList();
    }

    @Override
    public int purge(int limit) {
      throw new AssertionError();
    }

    @Override
    public void close() {}
  }

  private static Claim claim(String key) {
    return new Claim(Scope.of("combined"), Key.of(key), 1, 1);
  }

  private static FutureTask<List<Held>> renewing(CombiningStore store, String key) {
    Renewal renewal = new Renewal(claim(key), Duration.ofHours(1), null);
    return calling(key, () -> store.renew(List.of(renewal)));
  }

  private static FutureTask<List<Held>> settling(CombiningStore store, String key) {
    Settlement settlement = new Settlement.Complete(claim(key), Result.NONE, Duration.ofHours(1));
    return calling(key, () -> store.settle(List.of(settlement)));
  }

  private static FutureTask<List<Held>> calling(String key, Callable<List<Held>> call) {
    FutureTask<List<Held>> task = new FutureTask<>(call);
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

  /** One locked record made all settlements of a process wait, and fail. */
  @Test
  void a_locked_claim_is_settled_by_its_own_caller_beside_the_others() throws Exception {
    CombiningStore store = CombiningStore.over(new LockedStore());
    FutureTask<List<Held>> first = settling(store, "first");
    arrived.await();
    FutureTask<List<Held>> locked = settling(store, LOCKED);
    FutureTask<List<Held>> other = settling(store, "other");
    passed.countDown();
    assertThat(first.get()).containsExactly(Held.HELD);
    assertThat(other.get()).containsExactly(Held.HELD);
    assertThatThrownBy(locked::get).hasRootCauseMessage("another has it locked");
    assertThat(batches).containsExactly(1, 2, 1);
  }
}
