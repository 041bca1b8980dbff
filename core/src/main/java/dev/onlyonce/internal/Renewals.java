package dev.onlyonce.internal;

import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Limits;
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
 * Knows all handlers that run: renews the leases of their claims, in batches, tells a handler when
 * its claim is lost, and interrupts them all at the end. Safe for use by several threads.
 *
 * <h2>When</h2>
 *
 * <p>A claim is due when a third of its lease is over; a renewal that failed is due again after a
 * tenth, as often as it takes. Those that will be due within a thirtieth go along. A claim is lost
 * when the store says so, or when its lease, counted from before the store was asked, is over by
 * the monotonic clock but for one round trip: by then no renewal could arrive in time. The round
 * trip counts for a third of the lease at the most, or one that was slow would take every later
 * claim for lost before it could be renewed.
 *
 * <h2>Duty cycle</h2>
 *
 * <p>{@link #runOnce()} does what is due and returns; something else calls it at {@link
 * #nanosToNextRun()}. Asking the store is left to an executor, so that a store which hangs does not
 * keep anybody from being told.
 *
 * <h2>Calls that hang</h2>
 *
 * <p>Usually one call is on its way, and what becomes due meanwhile goes together in the next one.
 * A call that is not answered within a tenth of a lease is not waited for: a connection may have
 * died without a word, and others may be well. Its own claims are asked for again, too, after a
 * third of their lease. No more than {@value #MOST_CALLS} calls are on their way.
 */
public final class Renewals {

  private static final int DUE_AFTER = 3;
  private static final int RETRY_AFTER = 10;
  private static final int GO_ALONG = 30;

  /** How many calls of the store may be on their way. */
  static final int MOST_CALLS = 4;

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
  private int calls;
  private long lastCallNanos;
  private boolean leaving;
  private long roundTripNanos;

  /**
   * @param executor runs the calls of the store, {@link #MOST_CALLS} at a time
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

  /** A handler is about to run: starts to renew its claim, if that has a lease. */
  void add(HeldClaim held) {
    boolean earlier;
    lock.lock();
    try {
      held.next = first;
      if (first != null) {
        first.previous = held;
      }
      first = held;
      held.isRenewed = held.isLeased();
      if (leaving) {
        held.leave();
      }
      earlier = held.isRenewed && isDueAt(firstRenewal(held));
    } finally {
      lock.unlock();
    }
    if (earlier) {
      wake.run();
    }
  }

  private long firstRenewal(HeldClaim held) {
    long leaseNanos = held.lease().toNanos();
    held.renewAtNanos = held.leaseEndNanos() - leaseNanos + leaseNanos / DUE_AFTER;
    return held.renewAtNanos;
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

  /** Stops renewing a claim, and does not know its handler any more. */
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

  /** Interrupts every handler, those that are about to run too. */
  void leave() {
    lock.lock();
    try {
      leaving = true;
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
        if (!held.isRenewed) {
          continue;
        }
        long lostAt = lostAt(held);
        if (lostAt - now <= 0) {
          held.isRenewed = false;
          if (held.lose()) {
            lost.add(held);
          }
        } else if (mustWait(held)) {
          isDueAt(lostAt);
        } else if (dueAt(held) - held.lease().toNanos() / GO_ALONG - now <= 0) {
          due.add(held);
          held.sent();
          held.renewAtNanos = now + held.lease().toNanos() / DUE_AFTER;
          isDueAt(earlier(held.renewAtNanos, lostAt));
        } else {
          isDueAt(earlier(dueAt(held), lostAt));
        }
      }
      if (!due.isEmpty()) {
        calls++;
        lastCallNanos = now;
      }
    } finally {
      lock.unlock();
    }
    lost.forEach(this::publishLost);
    if (!due.isEmpty()) {
      try {
        executor.execute(() -> renew(due));
      } catch (RuntimeException | Error e) {
        failed(due, noThread(e));
        landed(due);
        finished();
      }
    }
    return lost.size() + due.size();
  }

  private static StoreException noThread(Throwable e) {
    return new StoreException(
        StoreException.Kind.UNAVAILABLE, "there is no thread to renew leases on: " + e, e);
  }

  /**
   * Whether a claim cannot be in another call now. Of two that ask for different leases, nobody
   * would know which came last.
   */
  private boolean mustWait(HeldClaim held) {
    return calls == MOST_CALLS || (held.underWay > 0 && !held.lease().equals(held.sentLease));
  }

  private long dueAt(HeldClaim held) {
    return calls == 0
        ? held.renewAtNanos
        : later(held.renewAtNanos, lastCallNanos + held.lease().toNanos() / RETRY_AFTER);
  }

  private long lostAt(HeldClaim held) {
    long most = held.lease().toNanos() / DUE_AFTER;
    return held.leaseEndNanos() - Math.min(roundTripNanos, most);
  }

  private static long earlier(long a, long b) {
    return a - b <= 0 ? a : b;
  }

  private static long later(long a, long b) {
    return a - b >= 0 ? a : b;
  }

  /** The store has said so. */
  private void lose(HeldClaim held) {
    boolean isNews;
    lock.lock();
    try {
      held.isRenewed = false;
      isNews = held.lose();
    } finally {
      lock.unlock();
    }
    if (isNews) {
      publishLost(held);
    }
  }

  private void publishLost(HeldClaim held) {
    events.publish(new Event.LeaseLost(held.claim));
  }

  private void renew(List<HeldClaim> due) {
    try {
      for (int from = 0; from < due.size(); from += Limits.BATCH) {
        renewBatch(due.subList(from, Math.min(due.size(), from + Limits.BATCH)));
      }
    } finally {
      finished();
    }
  }

  private void renewBatch(List<HeldClaim> batch) {
    List<Renewal> renewals = new ArrayList<>(batch.size());
    for (HeldClaim held : batch) {
      renewals.add(new Renewal(held.claim, held.sentLease, null));
    }
    long sent = time.nanoTime();
    try {
      List<Held> answers = store.renew(renewals);
      noteRoundTrip(sent);
      List<HeldClaim> unknown = new ArrayList<>();
      for (int i = 0; i < batch.size(); i++) {
        switch (answers.get(i)) {
          case HELD -> renewed(batch.get(i), renewals.get(i).lease(), sent);
          case UNKNOWN -> unknown.add(batch.get(i));
          default -> lose(batch.get(i));
        }
      }
      failed(unknown, notKnown());
    } catch (RuntimeException | Error e) {
      failed(batch, e instanceof StoreException s ? s : StoreSteps.unexpected(e));
    } finally {
      landed(batch);
    }
  }

  private static StoreException notKnown() {
    return new StoreException(
        StoreException.Kind.UNAVAILABLE,
        "the store has renewed others of the batch and does not know of this claim, whose record is"
            + " locked or on a server that does not answer; it is asked again");
  }

  /** A batch is not on its way any more. */
  private void landed(List<HeldClaim> batch) {
    lock.lock();
    try {
      batch.forEach(held -> held.underWay--);
    } finally {
      lock.unlock();
    }
  }

  private void noteRoundTrip(long sent) {
    lock.lock();
    try {
      roundTripNanos = time.nanoTime() - sent;
    } finally {
      lock.unlock();
    }
  }

  private void renewed(HeldClaim held, Duration lease, long sent) {
    lock.lock();
    try {
      long end = sent + lease.toNanos();
      if (lease.equals(held.lease())) {
        // Of several that were on their way, the one that was sent last tells most.
        if (end - held.leaseEndNanos() > 0) {
          held.renewedUntil(end, lease);
          held.renewAtNanos = sent + lease.toNanos() / DUE_AFTER;
        }
      } else {
        // Extended while this was on its way, and nobody knows which of the two came last.
        held.renewedUntil(earlier(end, held.leaseEndNanos()), held.lease());
        held.renewAtNanos = sent;
      }
    } finally {
      lock.unlock();
    }
  }

  private void failed(List<HeldClaim> batch, StoreException failure) {
    lock.lock();
    try {
      long now = time.nanoTime();
      for (HeldClaim held : batch) {
        held.renewAtNanos = now + held.lease().toNanos() / RETRY_AFTER;
      }
    } finally {
      lock.unlock();
    }
    for (HeldClaim held : batch) {
      events.publish(new Event.RenewalFailed(held.claim, failure));
    }
  }

  /** Looks at all again: some may have become due while the others were on their way. */
  private void finished() {
    boolean earlier;
    lock.lock();
    try {
      calls--;
      earlier = isDueAt(time.nanoTime());
    } finally {
      lock.unlock();
    }
    if (earlier) {
      wake.run();
    }
  }

  /** Counts the batches that had the claim; -1 if one is on its way. */
  private long batchesOf(HeldClaim held) {
    lock.lock();
    try {
      return held.underWay == 0 ? held.batches : -1;
    } finally {
      lock.unlock();
    }
  }

  /** Renews one claim at once, on the caller's thread; returns whether it was still held. */
  boolean renewNow(HeldClaim held, Renewal renewal) {
    long before = batchesOf(held);
    long sent = time.nanoTime();
    Held answer = store.renew(List.of(renewal)).get(0);
    if (answer == Held.UNKNOWN) {
      throw notKnown();
    }
    if (answer != Held.HELD) {
      lose(held);
      return false;
    }
    boolean earlier;
    lock.lock();
    try {
      held.regain();
      held.isRenewed = true;
      long leaseNanos = renewal.lease().toNanos();
      boolean alone = held.batches == before;
      // A batch may have been on its way too, and nobody knows which of the two came last.
      long sureNanos = alone ? leaseNanos : Math.min(leaseNanos, held.lease().toNanos());
      held.renewedUntil(sent + sureNanos, renewal.lease());
      held.renewAtNanos = alone ? sent + leaseNanos / DUE_AFTER : sent;
      earlier = isDueAt(held.renewAtNanos);
    } finally {
      lock.unlock();
    }
    if (earlier) {
      wake.run();
    }
    return true;
  }
}
