package dev.onlyonce.internal;

import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of all claims whose handlers run, in batches, and tells a handler when its
 * claim is lost. Safe for use by several threads.
 *
 * <h2>When</h2>
 *
 * <p>A claim is due when a third of its lease is over; a renewal that failed is due again after a
 * tenth, as often as it takes. A claim is lost when the store says so, or when its lease, counted
 * from before the store was asked, is over by the monotonic clock but for one round trip: by then
 * no renewal could arrive in time.
 *
 * <h2>Duty cycle</h2>
 *
 * <p>{@link #runOnce()} does what is due and returns; something else calls it at {@link
 * #nanosToNextRun()}. Asking the store is left to an executor, one batch at a time, so that a store
 * which hangs does not keep anybody from being told.
 */
public final class Renewals {

  private static final int DUE_AFTER = 3;
  private static final int RETRY_AFTER = 10;

  private final ClaimStore store;
  private final Time time;
  private final Events events;
  private final Executor executor;
  private final Runnable wake;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private @Nullable HeldClaim first;
  private long nextRunNanos = Long.MAX_VALUE;
  private boolean nothingDue = true;
  private boolean renewing;
  private long roundTripNanos;

  /**
   * @param executor runs the calls of the store
   * @param wake called when {@link #nanosToNextRun()} has moved forward
   */
  Renewals(ClaimStore store, Time time, Events events, Executor executor, Runnable wake) {
    this.store = store;
    this.time = time;
    this.events = events;
    this.executor = executor;
    this.wake = wake;
  }

  long nanoTime() {
    return time.nanoTime();
  }

  /** Starts to renew a claim. */
  void add(HeldClaim held) {
    long now = time.nanoTime();
    long left = held.leaseEndNanos() - now;
    held.renewAtNanos = now + Math.min(left, held.lease().toNanos()) / DUE_AFTER;
    boolean earlier;
    lock.lock();
    try {
      held.next = first;
      if (first != null) {
        first.previous = held;
      }
      first = held;
      earlier = isDueAt(held.renewAtNanos);
    } finally {
      lock.unlock();
    }
    if (earlier) {
      wake.run();
    }
  }

  /** Moves the next run forward to this time; returns whether it was later before. */
  private boolean isDueAt(long nanos) {
    if (!nothingDue && nextRunNanos - nanos <= 0) {
      return false;
    }
    nothingDue = false;
    nextRunNanos = nanos;
    return true;
  }

  /** Stops renewing a claim. */
  void remove(HeldClaim held) {
    lock.lock();
    try {
      if (held.previous != null) {
        held.previous.next = held.next;
      } else if (first == held) {
        first = held.next;
      } else {
        return;
      }
      if (held.next != null) {
        held.next.previous = held.previous;
      }
      held.previous = null;
      held.next = null;
    } finally {
      lock.unlock();
    }
  }

  /** Interrupts every handler whose claim is being renewed. */
  void leave() {
    lock.lock();
    try {
      for (HeldClaim held = first; held != null; held = held.next) {
        held.leave();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns how long until there is something to do, in nanoseconds; Long.MAX_VALUE for never. */
  long nanosToNextRun() {
    lock.lock();
    try {
      return nothingDue ? Long.MAX_VALUE : Math.max(0, nextRunNanos - time.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  /** Tells handlers whose claims are lost, and has the leases renewed that are due. */
  int runOnce() {
    List<HeldClaim> lost = new ArrayList<>();
    List<HeldClaim> due = new ArrayList<>();
    lock.lock();
    try {
      nothingDue = true;
      long now = time.nanoTime();
      for (HeldClaim held = first; held != null; held = held.next) {
        long lostAt = held.leaseEndNanos() - roundTripNanos;
        if (lostAt - now <= 0) {
          lost.add(held);
        } else if (!held.inFlight && held.renewAtNanos - now <= 0 && !renewing) {
          held.inFlight = true;
          due.add(held);
          isDueAt(lostAt);
        } else {
          isDueAt(held.inFlight || renewing ? lostAt : earlier(held.renewAtNanos, lostAt));
        }
      }
      renewing |= !due.isEmpty();
    } finally {
      lock.unlock();
    }
    lost.forEach(this::lose);
    if (!due.isEmpty()) {
      executor.execute(() -> renew(due));
    }
    return lost.size() + due.size();
  }

  private static long earlier(long a, long b) {
    return a - b <= 0 ? a : b;
  }

  private void lose(HeldClaim held) {
    remove(held);
    if (held.lose()) {
      events.publish(new Event.LeaseLost(held.claim));
    }
  }

  private void renew(List<HeldClaim> due) {
    long sent = time.nanoTime();
    List<Held> answers = null;
    StoreException failure = null;
    try {
      List<Renewal> batch = new ArrayList<>(due.size());
      for (HeldClaim held : due) {
        batch.add(new Renewal(held.claim, held.lease(), null));
      }
      answers = store.renew(batch);
    } catch (StoreException e) {
      failure = e;
    } finally {
      finished(due, answers, sent);
    }
    for (int i = 0; i < due.size(); i++) {
      if (answers != null && answers.get(i) == Held.LOST) {
        lose(due.get(i));
      } else if (failure != null) {
        events.publish(new Event.RenewalFailed(due.get(i).claim, failure));
      }
    }
  }

  /** Notes when each is due again; without answers, soon. */
  private void finished(List<HeldClaim> due, @Nullable List<Held> answers, long sent) {
    boolean earlier = false;
    lock.lock();
    try {
      renewing = false;
      long now = time.nanoTime();
      if (answers != null) {
        roundTripNanos = now - sent;
      }
      for (int i = 0; i < due.size(); i++) {
        HeldClaim held = due.get(i);
        held.inFlight = false;
        if (answers == null) {
          held.renewAtNanos = now + held.lease().toNanos() / RETRY_AFTER;
        } else if (answers.get(i) == Held.HELD) {
          renewedFrom(held, sent, held.lease());
        }
        earlier |= isDueAt(earlier(held.renewAtNanos, held.leaseEndNanos() - roundTripNanos));
      }
      // Those that became due while this batch was on its way have been passed over.
      earlier |= isDueAt(now);
    } finally {
      lock.unlock();
    }
    if (earlier) {
      wake.run();
    }
  }

  private static void renewedFrom(HeldClaim held, long sent, Duration lease) {
    held.renewedUntil(sent + lease.toNanos(), lease);
    held.renewAtNanos = sent + lease.toNanos() / DUE_AFTER;
  }

  /** Renews one claim at once, on the caller's thread; returns whether it was still held. */
  boolean renewNow(HeldClaim held, Renewal renewal) {
    long sent = time.nanoTime();
    if (store.renew(List.of(renewal)).get(0) != Held.HELD) {
      lose(held);
      return false;
    }
    lock.lock();
    try {
      renewedFrom(held, sent, renewal.lease());
    } finally {
      lock.unlock();
    }
    wake.run();
    return true;
  }
}
