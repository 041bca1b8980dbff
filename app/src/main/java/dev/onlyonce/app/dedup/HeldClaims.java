package dev.onlyonce.app.dedup;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * What a run has claimed and not settled, in the order of its records.
 *
 * <p><b>Guarantee.</b> Claims that are held for a third of their lease are renewed by a thread of
 * its own, over and over, so that nobody takes them over while the run waits for its store or for
 * the reader of its output, however long that is. Where the process stands still, or the store does
 * not answer, they can be lost all the same: then their settlements are counted as {@link #lost}.
 *
 * <p>For one thread, beside its own.
 */
final class HeldClaims implements AutoCloseable {

  /** A claim, and how long its key is remembered when it is completed. */
  record Open(Claim claim, Duration retention) {}

  private final ClaimStore store;
  private final Duration lease;
  private final Time time;
  private final ScheduledExecutorService renewing =
      Executors.newSingleThreadScheduledExecutor(HeldClaims::thread);

  /** Guarded by this, as is the rest. */
  private final Map<Key, Open> open = new LinkedHashMap<>();

  private long oldestNanos;
  private long lost;

  /**
   * @param lease what the claims are made with
   */
  HeldClaims(ClaimStore store, Duration lease, Time time) {
    this.store = store;
    this.lease = lease;
    this.time = time;
    long third = lease.toNanos() / 3;
    var unused =
        renewing.scheduleWithFixedDelay(this::renewOld, third, third, TimeUnit.NANOSECONDS);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "onlyonce-renew");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Adds claims.
   *
   * @param askedNanos when they were asked for: their leases began no earlier
   */
  synchronized void add(Map<Key, Open> granted, long askedNanos) {
    oldestNanos = open.isEmpty() ? askedNanos : oldestNanos;
    open.putAll(granted);
  }

  synchronized boolean has(Key key) {
    return open.containsKey(key);
  }

  synchronized int size() {
    return open.size();
  }

  /** Tells whether any is held for longer than that. */
  synchronized boolean isAnyOlderThan(Duration age) {
    return !open.isEmpty() && time.nanoTime() - oldestNanos > age.toNanos();
  }

  /** Returns how many were another's, or somebody's decision, when they were completed. */
  synchronized long lost() {
    return lost;
  }

  /**
   * Completes the first ones.
   *
   * @throws StoreException if the store cannot; those before stay completed, and the rest may be
   *     completed again
   */
  void complete(int count) {
    settle(count, it -> new Settlement.Complete(it.claim, Result.NONE, it.retention));
  }

  /** Gives all up, so that anybody may have them at once; fails as {@link #complete} does. */
  void releaseAll() {
    settle(size(), it -> release(it.claim));
  }

  static Settlement release(Claim claim) {
    return new Settlement.Release(
        claim, Duration.ZERO, Settlement.Attempts.REFUND, Limits.RETENTION);
  }

  private void settle(int count, Function<Open, Settlement> settlement) {
    int left = count;
    while (left > 0) {
      List<Settlement> some = first(Math.min(left, Limits.BATCH)).stream().map(settlement).toList();
      settled(store.settle(some));
      left -= some.size();
    }
  }

  private synchronized List<Open> first(int count) {
    return open.values().stream().limit(count).toList();
  }

  private synchronized void settled(List<Held> answers) {
    lost += answers.stream().filter(it -> it == Held.LOST).count();
    List<Key> keys = open.keySet().stream().limit(answers.size()).toList();
    keys.forEach(open::remove);
  }

  /** What cannot be renewed now is tried again, or known when it is settled. */
  private void renewOld() {
    if (!isAnyOlderThan(lease.dividedBy(3))) {
      return;
    }
    List<Open> all = first(Integer.MAX_VALUE);
    try {
      for (int from = 0; from < all.size(); from += Limits.BATCH) {
        renew(all.subList(from, Math.min(all.size(), from + Limits.BATCH)));
      }
    } catch (StoreException e) {
      // The run asks the store, too, and ends if it does not answer.
    }
  }

  /** Lets claims last for a whole lease from now on, those that are held still. */
  List<Held> renew(List<Open> some) {
    List<Renewal> renewals = new ArrayList<>(some.size());
    some.forEach(it -> renewals.add(new Renewal(it.claim, lease, null)));
    return store.renew(renewals);
  }

  /** Renews no more; what is held is left alone. */
  @Override
  public void close() {
    renewing.shutdownNow();
  }
}
