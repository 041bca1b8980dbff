package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.spi.Time;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The fast store as a tier of copies, which are in {@link CopyScopes scopes of their own}, behind a
 * circuit-breaker: nobody waits for it twice while it does not answer. Safe for use by several
 * threads.
 *
 * <p>A call that fails, and the third look-up in a row that is slow, opens the breaker. Then the
 * store is left alone until {@link #probe}, which somebody else calls now and then, has found that
 * it answers. One that says that it is another store than it was (it was emptied, say) is opened
 * anew.
 */
final class FastTier {

  private static final System.Logger LOG = System.getLogger(FastTier.class.getName());
  private static final int SLOW_CALLS = 3;

  /** A store that answers and refuses in turns is told once in this time for the same reason. */
  private static final Duration TOLD_AGAIN = Duration.ofMinutes(1);

  private static final String NOT_OPENED = "it has not been opened yet";

  private final Supplier<Tier> opening;
  private final CopyScopes scopes;
  private final long slowNanos;
  private final Time time;
  private final Meter meter;
  private final AtomicInteger slowInARow = new AtomicInteger();

  /** What the store said when it took no copies, as it had no room; null since it took some. */
  private volatile @Nullable String full;

  /** What was warned of last, and when. */
  private @Nullable String told;

  private long toldNanos;
  private boolean closed;

  /** The store, also while the breaker is open; null when it must be opened anew. */
  private volatile @Nullable Tier tier;

  /** Why the breaker is open; null while it is closed. */
  private volatile @Nullable String trouble = NOT_OPENED;

  /**
   * @param opening opens the store
   * @param pair the digits of the pair that its copies are of
   */
  FastTier(Supplier<Tier> opening, String pair, Duration slow, Time time, Meter meter) {
    this.opening = opening;
    this.scopes = new CopyScopes(pair);
    this.slowNanos = slow.toNanos();
    this.time = time;
    this.meter = meter;
  }

  /**
   * Opens the store. One that cannot be opened, whether it does not answer or does not let us do
   * what we must, may be opened later: it would be left alone for either reason while it is open,
   * and the authority can do without it.
   */
  synchronized void open() {
    try {
      reopen();
    } catch (StoreException e) {
      open(String.valueOf(e.getMessage()));
    }
  }

  private void reopen() {
    Tier opened = tier;
    if (opened == null) {
      opened = opening.get();
    }
    try {
      opened.source().find(List.of(scopes.copyOf(Pairing.PAIR))); // does it answer?
    } catch (RuntimeException e) {
      opened.close();
      tier = null;
      throw e;
    }
    tier = opened;
    slowInARow.set(0);
    full = null;
    if (!NOT_OPENED.equals(trouble)) {
      LOG.log(Level.INFO, "Redis answers again and is asked for copies from now on");
    }
    trouble = null;
  }

  /** Looks whether a store that was left alone answers again. */
  synchronized void probe() {
    if (trouble == null || closed) {
      return;
    }
    try {
      reopen();
    } catch (RuntimeException e) {
      open(String.valueOf(e.getMessage()));
    }
  }

  /** Returns why the store is not asked now; null if it is. */
  @Nullable String trouble() {
    return trouble;
  }

  /** Returns why the store took no copies last, though it answers; null if it took them. */
  @Nullable String full() {
    return full;
  }

  /** Returns what is wrong with the store now: that it is not asked, or takes no copies. */
  @Nullable String complaint() {
    String why = full;
    return trouble != null || why == null ? trouble : "it is full and takes no copies: " + why;
  }

  /** Looks at copies and marks; nothing is found where the store does not answer. */
  List<Optional<ClaimRecord>> find(List<RecordId> ids) {
    List<RecordId> copies = ids.stream().map(scopes::copyOf).toList();
    long start = time.nanoTime();
    List<Optional<ClaimRecord>> found = call(ids.size(), it -> it.source().find(copies));
    if (found == null) {
      return List.of();
    }
    watch(time.nanoTime() - start);
    return found;
  }

  /**
   * Writes copies and marks; tells for each whether it was written or the store knows better, and
   * nothing where the store does not answer.
   */
  List<Boolean> put(List<ClaimRecord> records) {
    List<ClaimRecord> copies = records.stream().map(scopes::copyOf).toList();
    List<Boolean> written = call(records.size(), it -> it.sink().put(copies));
    if (written == null) {
      return List.of();
    }
    full = null;
    return written;
  }

  /** Purges copies and marks that are over; returns how many. */
  int purge(int limit) {
    Integer purged = call(0, it -> it.claims().purge(limit));
    return purged == null ? 0 : purged;
  }

  private <A> @Nullable A call(int keys, Function<Tier, A> question) {
    Tier asked = tier;
    if (trouble != null || asked == null) {
      return null;
    }
    long start = time.nanoTime();
    try {
      return question.apply(asked);
    } catch (StoreException e) {
      meter.failure(keys, time.nanoTime() - start);
      if (e.kind() != Kind.FULL) {
        fail(asked, e);
      } else {
        tellFull(String.valueOf(e.getMessage()));
      }
      return null;
    }
  }

  private synchronized void tellFull(String why) {
    if (full == null) {
      LOG.log(Level.WARNING, "Redis is full and takes no copies until there is room: " + why);
    }
    full = why;
  }

  private void watch(long nanos) {
    if (nanos < slowNanos) {
      slowInARow.set(0);
    } else if (slowInARow.incrementAndGet() >= SLOW_CALLS) {
      open("it is slow: " + SLOW_CALLS + " calls in a row took more than " + slowNanos + " ns");
    }
  }

  /** Opens the breaker, unless the store has been opened anew since it was asked. */
  private synchronized void fail(Tier asked, StoreException e) {
    if (!asked.equals(tier)) {
      return;
    }
    if (e.kind() == Kind.REJECTED || e.kind() == Kind.CLOSED) {
      tier = null;
      asked.close();
    }
    open(String.valueOf(e.getMessage()));
  }

  private synchronized void open(String why) {
    boolean isTold = why.equals(told) && time.nanoTime() - toldNanos < TOLD_AGAIN.toNanos();
    if ((trouble == null || NOT_OPENED.equals(trouble)) && !isTold) {
      told = why;
      toldNanos = time.nanoTime();
      LOG.log(Level.WARNING, "Redis is not asked for copies until it answers as it should: " + why);
    }
    trouble = why;
  }

  /** Closes the store, after a probe that is under way. */
  synchronized void close() {
    closed = true;
    Tier open = tier;
    trouble = "it has been closed";
    tier = null;
    if (open != null) {
      open.close();
    }
  }
}
