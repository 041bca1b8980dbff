package dev.onlyonce.store.local;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import dev.onlyonce.spi.TransactionalStore;
import dev.onlyonce.store.local.internal.LocalEngine;
import dev.onlyonce.store.local.internal.LocalObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A claim store in a directory of this machine: an append-only log, snapshots of its segments, and
 * an index in memory.
 *
 * <p><b>Guarantee.</b> What was answered is on the disk: it outlives the process, {@code kill -9}
 * and a loss of power, as far as the disk keeps what it says it has synced. The calls of many
 * threads share one sync. {@link Builder#withoutSync()} is weaker: the operating system writes when
 * it likes, so that a loss of power may take the last moments, while the end of the process takes
 * nothing.
 *
 * <p><b>One writer.</b> The directory is locked; a second writer is refused and told the process
 * that has it. {@link LocalReader} looks at it meanwhile.
 *
 * <p><b>Time</b> is the wall clock at opening and goes on by the monotonic clock. A wall clock that
 * is more than an hour ahead of the store's last record when it is opened is not believed until it
 * has been steady for ten minutes, see {@link Builder#trustClock()}.
 *
 * <p><b>Transactions.</b> {@link #begin()} opens one, in which claims, settlements and notes are
 * made together or not at all. While it is open, all other callers wait.
 *
 * <p><b>Memory.</b> About 60 bytes a key, whatever its result; open claims some hundreds.
 *
 * <p><b>Thread-safety.</b> Any number of threads. A thread that is interrupted gets its answer.
 *
 * <p><b>Failure.</b> {@link StoreException}: FULL when the disk is full, after which it may be
 * tried again; REJECTED when the directory is in use, damaged, or of a newer format; UNAVAILABLE
 * when the disk has failed: then nothing is answered any more until the store is opened anew, since
 * what a failed sync leaves is not known.
 */
public final class LocalStore
    implements ClaimStore, ClaimReader, TransactionalStore<LocalTransaction> {

  private final LocalEngine engine;

  private LocalStore(LocalEngine engine) {
    this.engine = engine;
  }

  /**
   * Opens the store in this directory with the defaults, or makes it.
   *
   * @throws StoreException if that cannot be done
   */
  public static LocalStore open(Path directory) {
    return at(directory).open();
  }

  /** Tells whether there is a store in this directory. */
  public static boolean isIn(Path directory) {
    return LocalObserver.isStore(directory);
  }

  /** Starts to open the store in this directory with other settings. */
  public static Builder at(Path directory) {
    return new Builder(directory);
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    return engine.claim(batch);
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    return engine.settle(batch);
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    return engine.renew(batch);
  }

  /**
   * Forgets settled records whose retention and grace are over. Their space is freed segment by
   * segment, when what must be kept longer has been carried forward.
   */
  @Override
  public int purge(int limit) {
    return engine.purge(Limits.requirePositive("limit", limit));
  }

  /**
   * Opens a transaction: until it is closed, by this thread, all other callers wait.
   *
   * @throws StoreException if the store has failed or been closed
   */
  public LocalTransaction begin() {
    return new LocalTransaction(engine);
  }

  /**
   * Claims each key inside the transaction. Nobody else has one, so there is nothing to wait for.
   */
  @Override
  public List<Answer> claim(
      LocalTransaction transaction, List<ClaimRequest> batch, Duration maxWait) {
    return transaction.of(engine).claim(batch);
  }

  @Override
  public List<Held> settle(LocalTransaction transaction, List<? extends Settlement> batch) {
    return transaction.of(engine).settle(batch);
  }

  @Override
  public boolean holds(LocalTransaction transaction, Claim claim) {
    return transaction.of(engine).holds(claim);
  }

  /** Returns the note of this name that a transaction has left, see {@link LocalTransaction}. */
  public Optional<byte[]> note(String name) {
    return engine.note(name);
  }

  @Override
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    return engine.find(scope, key);
  }

  @Override
  public Page list(Query query, @Nullable String cursor) {
    return engine.list(query, cursor);
  }

  /**
   * Returns the versions of a record that are still in the log. It reads the whole log; other
   * callers wait only while the last segment is read.
   */
  @Override
  public List<ClaimRecord> history(Scope scope, Key key) {
    return engine.history(scope, key);
  }

  @Override
  public Map<ClaimState, Long> totals() {
    return engine.totals();
  }

  @Override
  public Set<Scope> scopes() {
    return engine.scopes();
  }

  /**
   * Returns the store's time, milliseconds since 1970: never before that of its last record.
   *
   * @throws StoreException if the store has failed or been closed
   */
  public long millis() {
    return engine.millis();
  }

  @Override
  public void close() {
    engine.close();
  }

  /**
   * Settings of a local store. Defaults:
   *
   * <ul>
   *   <li>owner: {@code local}
   *   <li>purge grace: 10 minutes
   *   <li>clock tolerance: zero, since no other clock ever decides
   *   <li>segments: 64 MiB
   *   <li>sync: before every answer
   *   <li>a wall clock that has jumped: not trusted
   *   <li>a directory without a store: gets one
   *   <li>time: the clocks of this machine
   * </ul>
   */
  public static final class Builder {
    private final LocalEngine.Settings settings = new LocalEngine.Settings();
    private final Path directory;
    private boolean mustExist;

    private Builder(Path directory) {
      this.directory = directory;
    }

    /** Sets the name that records show as their owner. */
    public Builder owner(String name) {
      settings.owner = name;
      return this;
    }

    /** Sets how long after its expiry a record is purged at the earliest. */
    public Builder purgeGrace(Duration grace) {
      settings.purgeGrace = Limits.requireNotNegative("purge grace", grace);
      return this;
    }

    /** Sets how much longer than its lease a claim is left alone. */
    public Builder clockTolerance(Duration tolerance) {
      settings.clockTolerance = Limits.requireNotNegative("clock tolerance", tolerance);
      return this;
    }

    /**
     * Sets how large a segment of the log becomes, in bytes, from 4 KiB to 1 GiB. Space is freed by
     * segments.
     */
    public Builder segmentBytes(int bytes) {
      if (bytes < 4_096 || bytes > 1 << 30) {
        throw new IllegalArgumentException(
            "segment must be 4,096 to 1,073,741,824 bytes, was " + bytes);
      }
      settings.segmentBytes = bytes;
      return this;
    }

    /** Leaves it to the operating system when it writes: faster, and not safe from a power loss. */
    public Builder withoutSync() {
      settings.syncs = false;
      return this;
    }

    /**
     * Says that the wall clock is right, however long the store was closed: for programs that run
     * now and then.
     */
    public Builder trustClock() {
      settings.trustsClock = true;
      return this;
    }

    /** Refuses a directory in which there is no store, instead of making one. */
    public Builder existing() {
      mustExist = true;
      return this;
    }

    /** Sets the clocks, for tests. */
    public Builder time(Time replacement) {
      settings.time = replacement;
      return this;
    }

    /**
     * Opens the store, or makes it.
     *
     * @throws StoreException if that cannot be done
     */
    public LocalStore open() {
      if (mustExist) {
        LocalObserver.requireStore(directory);
      }
      return new LocalStore(LocalEngine.open(directory, settings));
    }
  }
}
