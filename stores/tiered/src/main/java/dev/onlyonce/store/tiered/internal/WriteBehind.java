package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.tiered.TieredStatistics;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writes what was settled at the authority to the database, in batches, later. Safe for use by
 * several threads.
 *
 * <p>When the database does not keep up, it is claims that wait for room, and are refused before
 * anything was done if there is none. A settlement never waits and is never refused, since its
 * handler has run: what was claimed while there was room may exceed the bound when it is settled. A
 * record is read from the authority when its turn comes, so that several changes of a key are one
 * write, and what is written is what is there. While the database does not answer it is tried
 * again; what it refuses, and what the authority has not got any more, is set aside and counted.
 */
final class WriteBehind {

  private static final System.Logger LOG = System.getLogger(WriteBehind.class.getName());
  private static final int WORKERS = 2;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Tier authority;
  private final Tier database;
  private final String pair;
  private final int bound;
  private final Duration patience;
  private final Time time;
  private final Room room;
  private final Line<Item> line;
  private final LongAdder written = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder dropped = new LongAdder();

  /** When work began that is not done, by worker, and what waits; for the oldest one's age. */
  private final ArrayDeque<Long> beginnings = new ArrayDeque<>();

  /** Whether the database does not answer, which is told once. */
  private final AtomicBoolean isOut = new AtomicBoolean();

  private volatile long givesUpAt;
  private volatile boolean ends;
  private volatile boolean hasEnded;

  private record Item(RecordId id, long sinceNanos) {}

  /**
   * @param pair what the database says as long as it may be written
   */
  WriteBehind(Tier authority, Tier database, String pair, Settings settings) {
    this.authority = authority;
    this.database = database;
    this.pair = pair;
    this.bound = settings.behindBound;
    this.patience = settings.behindPatience;
    this.time = settings.time;
    this.room = new Room(bound, time);
    this.line = new Line<>("onlyonce-behind", Integer.MAX_VALUE, WORKERS, this::write);
  }

  /**
   * Waits until one key more may wait, and takes room for those that a claim settles at once.
   *
   * @param keys how many those are; for none there must be room all the same, since what is claimed
   *     is settled later
   * @return how much was taken, to be given to {@link #add}
   * @throws StoreException UNAVAILABLE, with nothing done, if there is no room in time
   */
  int takeRoom(int keys) {
    int needed = Math.max(1, keys);
    if (!room.take(needed, patience)) {
      throw new StoreException(
          Kind.UNAVAILABLE,
          "the database behind does not keep up: %,d settled keys wait to be written, the limit is"
                  .formatted(room.taken())
              + " %,d; nothing was done, ask again later".formatted(bound));
    }
    room.giveBack(needed - keys);
    return keys;
  }

  /** Adds keys that were, or may have been, settled; for so many of them room was taken. */
  void add(List<RecordId> ids, int taken) {
    int missing = ids.size() - taken;
    if (missing > 0) {
      room.takeAnyway(missing);
    } else {
      room.giveBack(-missing);
    }
    long now = time.nanoTime();
    ids.forEach(it -> line.add(new Item(it, now)));
    if (hasEnded) {
      dropped.add(line.clear()); // of a caller that closing has not waited for
    }
  }

  private void write(List<Item> items) {
    long oldest = items.get(0).sinceNanos;
    begin(oldest);
    Set<RecordId> ids = new LinkedHashSet<>();
    items.forEach(it -> ids.add(it.id));
    try {
      writeAll(List.copyOf(ids));
    } catch (Error e) {
      drop(ids.size(), e);
      throw e;
    } finally {
      end(oldest);
      room.giveBack(items.size());
    }
  }

  /** Tries until it is done, or trying does not help, or the store was closed some time ago. */
  private void writeAll(List<RecordId> ids) {
    while (true) {
      try {
        tryToWrite(ids);
        if (isOut.getAndSet(false)) {
          LOG.log(Level.INFO, "what was settled is written to the database again");
        }
        return;
      } catch (RuntimeException e) {
        failures.increment();
        if (!mayPass(e) || (ends && time.nanoTime() - givesUpAt >= 0)) {
          drop(ids.size(), e);
          return;
        }
        if (!isOut.getAndSet(true)) {
          LOG.log(
              Level.WARNING, "what was settled waits, and is written to the database later: " + e);
        }
        LockSupport.parkNanos(this, PAUSE_NANOS);
      }
    }
  }

  private static boolean mayPass(RuntimeException e) {
    return e instanceof StoreException store
        && (store.kind() == Kind.UNAVAILABLE || store.kind() == Kind.FULL);
  }

  private void drop(int keys, Throwable why) {
    dropped.add(keys);
    LOG.log(Level.ERROR, keys + " settled keys are not written to the database: " + why, why);
  }

  private void tryToWrite(List<RecordId> ids) {
    List<ClaimRecord> settled = new ArrayList<>(ids.size());
    int absent = 0;
    List<Optional<ClaimRecord>> found = authority.source().find(ids);
    for (int i = 0; i < ids.size(); i++) {
      @Nullable ClaimRecord record = found.get(i).orElse(null);
      if (record == null) {
        absent++; // it has expired, or the authority has lost it
      } else if (record.state().isSettled()) {
        settled.add(record.withKey(ids.get(i).key()));
      }
    }
    if (!settled.isEmpty()) {
      Pairing.requireStill(database, pair);
      put(settled);
    }
    dropped.add(absent);
  }

  /** Writes records; one that the database refuses is set aside, and the others are written. */
  private void put(List<ClaimRecord> records) {
    try {
      database.sink().put(records);
      written.add(records.size());
    } catch (RuntimeException e) {
      if (mayPass(e)) {
        throw e;
      }
      if (records.size() == 1) {
        failures.increment();
        drop(1, e);
      } else {
        records.forEach(it -> put(List.of(it)));
      }
    }
  }

  private void begin(long sinceNanos) {
    synchronized (beginnings) {
      beginnings.add(sinceNanos);
    }
  }

  private void end(long sinceNanos) {
    synchronized (beginnings) {
      beginnings.remove(sinceNanos);
    }
  }

  private Duration oldest() {
    synchronized (beginnings) {
      long now = time.nanoTime();
      long most = beginnings.stream().mapToLong(it -> now - it).max().orElse(0);
      return Duration.ofNanos(Math.max(0, most));
    }
  }

  /** Purges the database; returns how many records, none when it does not answer. */
  int purge(int limit) {
    try {
      return database.claims().purge(limit);
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "the database behind is not purged now: " + e);
      return 0;
    }
  }

  TieredStatistics.Behind snapshot() {
    return new TieredStatistics.Behind(
        room.taken(), oldest(), written.sum(), failures.sum(), dropped.sum());
  }

  /** Writes what waits, at most for so long; what is left then is told and lost to the database. */
  void close(Duration longest) {
    givesUpAt = time.nanoTime() + longest.toNanos();
    ends = true;
    line.end(longest.toMillis() + 1_000);
    hasEnded = true;
    int left = line.clear();
    dropped.add(left);
    if (left > 0) {
      LOG.log(
          Level.ERROR,
          left
              + " settled keys were not written to the database before the store was closed: until"
              + " their retention is over they are known to Redis alone");
    }
  }
}
