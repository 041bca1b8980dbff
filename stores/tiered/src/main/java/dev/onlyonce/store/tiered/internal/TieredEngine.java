package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.tiered.Authority;
import dev.onlyonce.store.tiered.TieredStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A tiered store that is open: the authority, what is above it, and the database that may be behind
 * it. Safe for use by several threads.
 */
public final class TieredEngine {

  /** How often the clock and the pair are read, and a beat is left. */
  private static final Duration PACE = Duration.ofSeconds(1);

  /** Every so many duties the hot keys of before count for half. */
  private static final int DUTIES_OF_AN_AGE = 60;

  private static final Duration PURGE_PACE = Duration.ofMinutes(1);
  private static final int PURGED_AT_ONCE = 1_000;

  private final Authority name;
  private final Tier authority;
  private final Tier database;
  private final ClaimReader reader;
  private final Above above;
  private final @Nullable WriteBehind behind;
  private final Duration closePatience;
  private final Time time;
  private final String pair;
  private final List<Duties> duties;
  private final HotKeys hotKeys = new HotKeys();
  private final Map<RecordId, Flight> flying = new ConcurrentHashMap<>();
  private final LongAdder joined = new LongAdder();
  private final Meter meter = new Meter();

  /** Why the authority is not asked any more; null while it is. */
  private volatile @Nullable StoreException lost;

  /** Callers that are at the authority read; who closes writes, when they are through. */
  private final ReadWriteLock inUse = new ReentrantReadWriteLock();

  private volatile boolean closed;
  private int dutiesDone;

  private TieredEngine(Settings settings, Tier authority, Tier database) {
    boolean isFront = settings.authority == Authority.REDIS;
    this.name = settings.authority;
    this.authority = authority;
    this.database = database;
    this.reader = new AuthorityReader(authority.reader());
    this.time = settings.time;
    this.closePatience = settings.closePatience;
    this.pair = isFront ? Pairing.openBehind(authority, database) : Pairing.openDatabase(database);
    this.above = new Above(settings, authority, pair, !isFront);
    this.behind = isFront ? new WriteBehind(authority, database, pair, settings) : null;
    this.duties =
        List.of(
            new Duties("onlyonce-tiers", PACE, this::duty),
            new Duties("onlyonce-tiers-probe", settings.retryAfter, above::probe),
            new Duties("onlyonce-tiers-purge", PURGE_PACE, this::purgeOther));
    duties.forEach(Duties::start);
  }

  /**
   * Opens the store.
   *
   * @throws StoreException if a tier cannot be opened, or they do not belong together
   */
  public static TieredEngine open(Settings settings) {
    Tier database = Objects.requireNonNull(settings.database);
    if (settings.authority == Authority.DATABASE) {
      return new TieredEngine(settings, database, database);
    }
    Tier front = Objects.requireNonNull(settings.fast).get();
    boolean opened = false;
    try {
      TieredEngine engine = new TieredEngine(settings, front, database);
      opened = true;
      return engine;
    } finally {
      if (!opened) {
        front.close();
      }
    }
  }

  /** As {@link dev.onlyonce.store.tiered.TieredStore.Builder#rebuild}. */
  public static long rebuild(Settings settings) {
    Supplier<Tier> opening = settings.fast;
    Tier fast = opening == null ? null : opening.get();
    try {
      return Pairing.rebuild(settings.authority, Objects.requireNonNull(settings.database), fast);
    } finally {
      if (fast != null) {
        fast.close();
      }
    }
  }

  private void duty() {
    try {
      above.readClock();
    } finally {
      look();
    }
    if (++dutiesDone % DUTIES_OF_AN_AGE == 0) {
      hotKeys.age();
    }
  }

  /** Looks whether the tiers still are what they were; if not, nothing is done any more. */
  private void look() {
    if (lost != null) {
      return;
    }
    try {
      Pairing.requireStill(database, pair);
      if (behind != null) {
        Pairing.beat(authority, database, pair);
      }
    } catch (StoreException e) {
      if (e.kind() == Kind.REJECTED) {
        lost = e;
      }
    }
  }

  /** Purges the copies, or the database behind, until there is little left. */
  private void purgeOther() {
    int purged;
    do {
      purged = purgeOther(PURGED_AT_ONCE);
    } while (purged == PURGED_AT_ONCE && !closed);
  }

  private int purgeOther(int limit) {
    return behind == null ? above.purge(limit) : behind.purge(limit);
  }

  private void checkOpen() {
    if (closed) {
      throw new StoreException(Kind.CLOSED, "the tiered store has been closed");
    }
    StoreException why = lost;
    if (why != null) {
      throw new StoreException(why.kind(), String.valueOf(why.getMessage()), why);
    }
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#claim}. */
  public List<Answer> claim(List<ClaimRequest> batch) {
    checkOpen();
    for (ClaimRequest each : batch) {
      if (each.scope().equals(Pairing.SCOPE)) {
        throw new StoreException(
            Kind.REJECTED, "scope " + each.scope() + " is the tiered store's own: take another");
      }
    }
    return new Round(this, batch).run();
  }

  // What a round needs.

  Time time() {
    return time;
  }

  Above above() {
    return above;
  }

  Map<RecordId, Flight> flying() {
    return flying;
  }

  void countJoined(long requests) {
    joined.add(requests);
  }

  void count(RecordId id) {
    if (HotKeys.isSampled()) {
      hotKeys.add(id);
    }
  }

  /** Asks the authority, and has the tiers above learn from what it answers. */
  List<Answer> askAuthority(List<ClaimRequest> requests, List<RecordId> ids) {
    inUse.readLock().lock();
    try {
      checkOpen();
      return claim(requests, ids);
    } finally {
      inUse.readLock().unlock();
    }
  }

  private List<Answer> claim(List<ClaimRequest> requests, List<RecordId> ids) {
    getOutOfTheWay(requests, ids);
    List<RecordId> settling = settling(requests, ids);
    int taken = behind == null ? 0 : behind.takeRoom(settling.size());
    Above.Call call = above.begin();
    List<Answer> answers;
    try {
      answers = authority.claims().claim(requests);
    } catch (RuntimeException e) {
      meter.failure(requests.size(), time.nanoTime() - call.askedNanos());
      if (behind != null) {
        behind.add(settling, taken); // they may have been made
      }
      throw e;
    }
    meter.call(requests.size(), requests.size(), time.nanoTime() - call.askedNanos());
    above.learn(requests, ids, answers, call);
    if (behind != null) {
      behind.add(granted(settling, requests, answers), taken);
    }
    return answers;
  }

  private void getOutOfTheWay(List<ClaimRequest> requests, List<RecordId> ids) {
    List<ClaimRequest> openings = new ArrayList<>();
    List<RecordId> opened = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      if (requests.get(i).expectToken() != ClaimRequest.ANY) {
        openings.add(requests.get(i));
        opened.add(ids.get(i));
      }
    }
    if (!openings.isEmpty()) {
      above.getOutOfTheWay(openings, opened);
    }
  }

  private List<RecordId> settling(List<ClaimRequest> requests, List<RecordId> ids) {
    List<RecordId> settling = new ArrayList<>();
    for (int i = 0; behind != null && i < ids.size(); i++) {
      if (requests.get(i).settleNow() != null) {
        settling.add(ids.get(i));
      }
    }
    return settling;
  }

  /** Returns those of the keys to be settled at once that were. */
  private static List<RecordId> granted(
      List<RecordId> settling, List<ClaimRequest> requests, List<Answer> answers) {
    List<RecordId> granted = new ArrayList<>();
    int next = 0;
    for (int i = 0; next < settling.size(); i++) {
      if (requests.get(i).settleNow() != null) {
        RecordId id = settling.get(next++);
        if (answers.get(i) instanceof Answer.Claimed) {
          granted.add(id);
        }
      }
    }
    return granted;
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#settle}. */
  public List<Held> settle(List<? extends Settlement> batch) {
    return settle(batch, authority.claims()::settle);
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#settleFree}. */
  public List<Held> settleFree(List<? extends Settlement> batch) {
    return settle(batch, authority.claims()::settleFree);
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#maxResultBytes}. */
  public int maxResultBytes() {
    return authority.claims().maxResultBytes();
  }

  private List<Held> settle(
      List<? extends Settlement> batch, Function<List<? extends Settlement>, List<Held>> verb) {
    inUse.readLock().lock();
    try {
      checkOpen();
      return settleNow(batch, verb);
    } finally {
      inUse.readLock().unlock();
    }
  }

  private List<Held> settleNow(
      List<? extends Settlement> batch, Function<List<? extends Settlement>, List<Held>> verb) {
    List<RecordId> ids = new ArrayList<>(batch.size());
    batch.forEach(it -> ids.add(new RecordId(it.claim().scope(), it.claim().key())));
    Above.Call call = above.begin();
    List<Held> answers;
    try {
      answers = verb.apply(batch);
    } catch (RuntimeException e) {
      meter.failure(ids.size(), time.nanoTime() - call.askedNanos());
      if (behind != null) {
        behind.add(ids, 0); // they may have been settled
      }
      throw e;
    } finally {
      ids.forEach(flying::remove); // whoever asks from now on must see it
    }
    meter.call(ids.size(), ids.size(), time.nanoTime() - call.askedNanos());
    above.learnSettled(batch, ids, answers, call);
    if (behind != null) {
      behind.add(notLost(ids, answers), 0);
    }
    return answers;
  }

  private static List<RecordId> notLost(List<RecordId> ids, List<Held> answers) {
    List<RecordId> kept = new ArrayList<>(ids.size());
    for (int i = 0; i < ids.size(); i++) {
      if (answers.get(i) != Held.LOST) {
        kept.add(ids.get(i));
      }
    }
    return kept;
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#renew}. */
  public List<Held> renew(List<Renewal> batch) {
    checkOpen();
    try {
      return authority.claims().renew(batch);
    } finally {
      batch.forEach(it -> flying.remove(new RecordId(it.claim().scope(), it.claim().key())));
    }
  }

  /** Purges the authority; the other store is purged now and then. */
  public int purge(int limit) {
    checkOpen();
    return authority.claims().purge(limit);
  }

  /** As {@link dev.onlyonce.spi.RecordSource#find}. */
  public List<Optional<ClaimRecord>> find(List<RecordId> ids) {
    checkOpen();
    return authority.source().find(ids);
  }

  /** Returns the authority's records. */
  public ClaimReader reader() {
    checkOpen();
    return reader;
  }

  /** Returns the time of the authority, milliseconds since the epoch. */
  public long millis() {
    checkOpen();
    return authority.clock().millis();
  }

  /** Returns what the tiers did. */
  public TieredStatistics statistics() {
    return new TieredStatistics(
        name,
        tiers(),
        joined.sum(),
        behind == null ? above.waiting() : behind.snapshot(),
        hotKeys.top());
  }

  /** Returns what each tier did, the nearest first, with the authority as the last. */
  public List<TieredStatistics.Tier> tiers() {
    StoreException why = lost;
    List<TieredStatistics.Tier> tiers = new ArrayList<>(above.snapshot());
    tiers.add(
        meter.snapshot(
            name == Authority.REDIS ? "fast" : "database",
            why == null ? null : String.valueOf(why.getMessage())));
    return tiers;
  }

  /** Waits for callers, writes what waits, and closes the tiers. */
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    awaitCallers();
    duties.forEach(Duties::close);
    if (behind != null) {
      behind.close(closePatience);
    }
    above.close();
    authority.close();
    database.close();
  }

  private void awaitCallers() {
    try {
      if (inUse.writeLock().tryLock(closePatience.toNanos(), TimeUnit.NANOSECONDS)) {
        inUse.writeLock().unlock();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
