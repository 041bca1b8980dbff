package dev.onlyonce.internal;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Claims that are released instead of completed. Safe for use by several threads. */
public final class LockEngine {

  private static final long FIRST_POLL_NANOS = 10_000_000;
  private static final long LAST_POLL_NANOS = 250_000_000;

  private final Engine engine;
  private final Scope scope;
  private final Duration lease;
  private final ConcurrentHashMap<Key, Thread> takers = new ConcurrentHashMap<>();

  /** Makes locks in a scope of a store, which stays the caller's to close. */
  public LockEngine(ClaimStore store, Scope scope, Duration lease, Time time) {
    this.engine = new Engine(store, time, new Events(List.of()), Duration.ZERO);
    this.scope = scope;
    this.lease = lease;
  }

  /** Takes a lock, or returns null if that took longer than {@code patience}. */
  public @Nullable HeldLock lock(Key name, Duration patience) {
    if (takers.get(name) == Thread.currentThread()) {
      throw new IllegalStateException("this thread holds the lock " + name + " already");
    }
    long endNanos = engine.time.nanoTime() + Nanos.of(patience);
    ClaimRequest request =
        ClaimRequest.of(scope, name, ThreadLocalRandom.current().nextLong(), lease, Lapse.TAKE);
    for (long poll = FIRST_POLL_NANOS; ; poll = Math.min(poll * 2, LAST_POLL_NANOS)) {
      if (engine.isClosed()) {
        throw new IllegalStateException("these locks have been closed");
      }
      long askedNanos = engine.time.nanoTime();
      Answer answer = twice(() -> engine.store.claim(List.of(request)).get(0));
      if (answer instanceof Answer.Claimed claimed) {
        long leaseEndNanos = askedNanos + claimed.lease().toNanos();
        if (leaseEndNanos - engine.time.nanoTime() > 0) {
          return hold(claimed, leaseEndNanos);
        }
        // The answer came too late, and anybody may have taken over: not a lock.
        release(claimed.claim());
      } else {
        requireLock(name, answer);
      }
      long left = endNanos - engine.time.nanoTime();
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        return null;
      }
      LockSupport.parkNanos(this, Math.min(poll, left));
    }
  }

  /** Asks once more if the answer may have got lost; every verb bears that. */
  private static <A> A twice(Supplier<A> call) {
    try {
      return call.get();
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.UNAVAILABLE) {
        throw e;
      }
      return call.get();
    }
  }

  private void requireLock(Key name, Answer answer) {
    if (answer instanceof Answer.InDoubt) {
      // It may be a claim instead, whose effect has happened; or its holder from before a restore
      // works still. So it is not taken over.
      throw new StoreException(
          StoreException.Kind.REJECTED,
          ("the lock %1$s in scope %2$s is in doubt, as after a restore: when nobody works under it"
                  + " any more, free it by onlyonce claims resolve %1$s --rerun --scope %2$s, or all"
                  + " that are in doubt by onlyonce claims resolve --in-doubt --rerun --yes --scope"
                  + " %2$s")
              .formatted(name, scope));
    }
    if (!(answer instanceof Answer.InProgress || answer instanceof Answer.Deferred)) {
      throw new StoreException(
          StoreException.Kind.REJECTED,
          "the name "
              + name
              + " in scope "
              + scope
              + " is not a lock, the store says "
              + answer
              + ": use a scope for locks alone");
    }
  }

  private boolean release(Claim claim) {
    Settlement release =
        new Settlement.Release(claim, Duration.ZERO, Settlement.Attempts.RESET, Limits.RETENTION);
    return twice(() -> engine.store.settle(List.of(release)).get(0)) != Held.LOST;
  }

  private HeldLock hold(Answer.Claimed claimed, long leaseEndNanos) {
    Step.Run<?> run = new Step.Run<>(claimed.claim(), true, leaseEndNanos, null);
    HeldClaim held = new HeldClaim(engine.renewals, run, lease, null, false);
    takers.put(claimed.claim().key(), Thread.currentThread());
    engine.renewals.add(held);
    return new HeldLock(held, Thread.currentThread());
  }

  /** Stops renewing. */
  public void close() {
    engine.close(Duration.ZERO);
  }

  /** A lock that is held. Safe for use by several threads. */
  public final class HeldLock {

    private final HeldClaim held;
    private final Thread taker;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean released;
    private boolean wasHeld;

    private HeldLock(HeldClaim held, Thread taker) {
      this.held = held;
      this.taker = taker;
    }

    /** Returns the fencing token. */
    public long token() {
      return held.token();
    }

    /** Tells whether the lock is still sure to be held. */
    public boolean stillHeld() {
      return held.stillHeld();
    }

    /** Makes the lease last this long from now on. */
    public boolean extend(Duration longer) {
      return held.extend(longer);
    }

    /** Releases the lock, once; returns false if another may have had it meanwhile. */
    public boolean release() {
      lock.lock();
      try {
        if (!released) {
          takers.remove(held.key(), taker);
          engine.renewals.remove(held);
          held.handlerEnded();
          wasHeld = LockEngine.this.release(held.claim);
          released = true;
        }
        return wasHeld;
      } finally {
        lock.unlock();
      }
    }
  }
}
