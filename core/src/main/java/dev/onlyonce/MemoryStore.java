package dev.onlyonce;

import dev.onlyonce.internal.MemoryTable;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
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
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A claim store in this process's memory: the reference implementation, for tests, for streams that
 * are read once, and for effects that need not outlive the process.
 *
 * <p><b>Guarantee.</b> Exact, and gone when the process ends: after a restart every key is new. It
 * says so in the log, once a process, unless {@link Builder#forgetful()} says that this is meant.
 *
 * <p><b>Bounds.</b> It holds at most its capacity of records and refuses the next one with a {@link
 * StoreException} of kind FULL; it never forgets a live claim or an unexpired record to make room.
 * A key that is done without a result takes about 60 bytes, any other record some hundreds; so does
 * any in a scope that comes after 65,536 others, which are remembered as long as the store lives.
 *
 * <p><b>What is kept.</b> Keys are told apart by a hash of 128 bits with a secret of the store's
 * own ({@link dev.onlyonce.spi.KeyHash}). Once a key is done at its first attempt without result
 * and fingerprint, its text, owner, lapse policy and creation time are dropped: listings show it
 * without its key.
 *
 * <p><b>Time.</b> The wall clock is read once, when the store is made, and goes on by the monotonic
 * clock from there: a jump of the wall clock changes nothing.
 *
 * <p><b>Thread-safety.</b> Any number of threads.
 */
public final class MemoryStore implements ClaimStore, ClaimReader {

  /** How many records a store holds at the most unless told otherwise. */
  public static final long CAPACITY = 1_000_000;

  private static final System.Logger LOG = System.getLogger(MemoryStore.class.getName());
  private static final AtomicBoolean WARNED = new AtomicBoolean();

  private final MemoryTable table;
  private final Time time;
  private final long openedMicros;
  private final long openedNanos;
  private volatile boolean closed;

  private MemoryStore(Builder builder) {
    this.time = builder.time;
    this.table =
        new MemoryTable(
            new ClaimMachine(builder.clockTolerance, builder.owner),
            builder.capacity,
            builder.purgeGrace);
    this.openedMicros = time.millis() * 1_000;
    this.openedNanos = time.nanoTime();
    if (!builder.forgetful && WARNED.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          "claims are kept in memory: after a restart every key is new;"
              + " use a durable store, or forgetful() if this is meant");
    }
  }

  /** Makes a store with the defaults. */
  public static MemoryStore create() {
    return builder().build();
  }

  /** Starts a store with other settings. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    return table.claim(batch, nowMicros());
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    return table.settle(batch, nowMicros());
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    return table.renew(batch, nowMicros());
  }

  @Override
  public int purge(int limit) {
    Limits.requirePositive("limit", limit);
    return table.purge(limit, nowMicros());
  }

  @Override
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    long now = nowMicros() / 1_000;
    return Optional.ofNullable(table.find(scope, key)).filter(record -> !record.isExpired(now));
  }

  @Override
  public Page list(Query query, @Nullable String cursor) {
    return table.list(query, cursor == null ? 0 : slot(cursor), nowMicros() / 1_000);
  }

  private static long slot(String cursor) {
    if (!cursor.matches("[0-9]{1,10}")) {
      throw new IllegalArgumentException(
          "cursor must be one that a listing returned, was '" + cursor + "'");
    }
    return Long.parseLong(cursor);
  }

  @Override
  public List<ClaimRecord> history(Scope scope, Key key) {
    return find(scope, key).stream().toList();
  }

  @Override
  public Map<ClaimState, Long> totals() {
    return table.totals(nowMicros() / 1_000);
  }

  @Override
  public void close() {
    closed = true;
  }

  private long nowMicros() {
    if (closed) {
      throw new StoreException(StoreException.Kind.CLOSED, "the memory store has been closed");
    }
    return openedMicros + (time.nanoTime() - openedNanos) / 1_000;
  }

  /**
   * Settings of a memory store. Defaults:
   *
   * <ul>
   *   <li>capacity: 1,000,000 records
   *   <li>owner: {@code memory}
   *   <li>purge grace: 10 minutes
   *   <li>clock tolerance: zero, since no other clock ever decides
   *   <li>time: the clocks of this machine
   * </ul>
   */
  public static final class Builder {
    private long capacity = CAPACITY;
    private String owner = "memory";
    private Duration purgeGrace = Limits.PURGE_GRACE;
    private Duration clockTolerance = Duration.ZERO;
    private Time time = Time.system();
    private boolean forgetful;

    private Builder() {}

    /** Sets how many records the store holds at the most, from 1. */
    public Builder capacity(long records) {
      if (records < 1) {
        throw new IllegalArgumentException("capacity must be at least 1, was " + records);
      }
      this.capacity = records;
      return this;
    }

    /** Sets the name that records show as their owner. */
    public Builder owner(String name) {
      this.owner = name;
      return this;
    }

    /** Sets how long after its expiry a record is purged at the earliest. */
    public Builder purgeGrace(Duration grace) {
      this.purgeGrace = Limits.requireNotNegative("purge grace", grace);
      return this;
    }

    /** Sets how much longer than its lease a claim is left alone. */
    public Builder clockTolerance(Duration tolerance) {
      this.clockTolerance = Limits.requireNotNegative("clock tolerance", tolerance);
      return this;
    }

    /** Sets the clocks, for tests. */
    public Builder time(Time replacement) {
      this.time = replacement;
      return this;
    }

    /** Says that forgetting all at the end of the process is meant, so it is not logged. */
    public Builder forgetful() {
      this.forgetful = true;
      return this;
    }

    /** Makes the store. */
    public MemoryStore build() {
      return new MemoryStore(this);
    }
  }
}
