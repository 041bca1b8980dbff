package dev.onlyonce.store.tiered.internal;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.tiered.Authority;
import dev.onlyonce.store.tiered.TieredStatistics;
import dev.onlyonce.store.tiered.TieredStatistics.Behind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A tiered store that is open. Safe for use by several threads. */
public final class TieredEngine {

  private static final int OPEN_CLAIMS = 100_000;
  private static final int LONGEST_RESULT = Limits.RESULT_BYTES;

  private final Authority name;
  private final Tier authority;
  private final Tier database;
  private final @Nullable NearCache near;
  private final @Nullable FastTier fast;
  private final @Nullable FilterTier filter;
  private final @Nullable WriteBehind behind;
  private final @Nullable Tier behindFast;
  private final Filler filler;
  private final Copies copies;
  private final AuthorityClock clock;
  private final Duration copyKeep;
  private final Duration closePatience;
  private final Time time;
  private final Duties duties;

  private final HotKeys hotKeys = new HotKeys();
  private final Map<RecordId, Flight> flying = new ConcurrentHashMap<>();
  private final LongAdder joined = new LongAdder();
  private final Meter filterMeter = new Meter();
  private final Meter nearMeter = new Meter();
  private final Meter fastMeter = new Meter();
  private final Meter authorityMeter = new Meter();

  /** What the claims of this process were made with: their settlements do not say it again. */
  private final Cache<RecordId, OpenClaim> openClaims =
      Caffeine.newBuilder().maximumSize(OPEN_CLAIMS).build();

  private volatile @Nullable StoreException lost;
  private volatile boolean closed;

  private record OpenClaim(long token, long requestId, @Nullable Fingerprint fingerprint) {}

  private TieredEngine(Settings settings) {
    this.name = settings.authority;
    this.time = settings.time;
    this.copyKeep = settings.copyKeep;
    this.closePatience = settings.closePatience;
    this.copies = new Copies(settings.clockMargin);
    this.database = Objects.requireNonNull(settings.database);
    Supplier<Tier> opening = settings.fast;
    if (name == Authority.REDIS) {
      Tier front = Objects.requireNonNull(opening).get();
      this.authority = front;
      this.fast = null;
      this.behindFast = front;
    } else {
      this.authority = database;
      this.fast = opening == null ? null : fast(settings, opening);
      this.behindFast = null;
    }
    boolean opened = false;
    try {
      String pair = pair();
      this.clock = new AuthorityClock(authority.clock(), time);
      this.near =
          settings.nearBytes == 0
              ? null
              : new NearCache(settings.nearBytes, settings.nearKeep, time);
      this.filter =
          settings.filter == null ? null : new FilterTier(settings.filter, database.reader());
      this.behind =
          behindFast == null
              ? null
              : new WriteBehind(
                  behindFast, database, settings.behindBound, settings.behindPatience, time);
      this.filler = new Filler(authority, near, fast, copies, clock, copyKeep, time);
      this.duties = new Duties(settings.retryAfter, () -> duty(pair));
      opened = true;
    } finally {
      if (!opened) {
        closeFast();
      }
    }
    if (filter != null) {
      filter.load();
    }
    duties.start();
  }

  private FastTier fast(Settings settings, Supplier<Tier> opening) {
    String pair = Pairing.openDatabase(database);
    FastTier tier =
        new FastTier(opening, it -> Pairing.checkCopies(it, pair), settings.slow, time, fastMeter);
    tier.open();
    return tier;
  }

  private String pair() {
    return behindFast == null
        ? Pairing.openDatabase(database)
        : Pairing.openBehind(behindFast, database);
  }

  /**
   * Opens the store.
   *
   * @throws StoreException if a tier cannot be opened, or they do not belong together
   */
  public static TieredEngine open(Settings settings) {
    return new TieredEngine(settings);
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

  private void duty(String pair) {
    if (fast != null) {
      fast.probe();
    }
    if (behindFast != null && lost == null) {
      try {
        Pairing.beat(behindFast, database, pair);
      } catch (StoreException e) {
        if (e.kind() == Kind.REJECTED) {
          lost = e;
        }
      }
    }
    clock.read();
  }

  void age() {
    hotKeys.age();
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

  private static void checkScope(Scope scope) {
    if (scope.equals(Pairing.SCOPE)) {
      throw new StoreException(
          Kind.REJECTED, "scope " + scope + " is the tiered store's own: take another one");
    }
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#claim}. */
  public List<Answer> claim(List<ClaimRequest> batch) {
    checkOpen();
    batch.forEach(it -> checkScope(it.scope()));
    return new Round(this, batch).run();
  }

  // What a round asks the tiers.

  Time time() {
    return time;
  }

  Map<RecordId, Flight> flying() {
    return flying;
  }

  LongAdder joined() {
    return joined;
  }

  void count(RecordId id) {
    if (HotKeys.isSampled()) {
      hotKeys.add(id);
    }
  }

  /** Answers from the near cache where it can. */
  void askNear(List<ClaimRequest> batch, RecordId[] ids, @Nullable Answer[] answers) {
    if (near == null) {
      return;
    }
    long start = time.nanoTime();
    AuthorityClock.Moment now = clock.now();
    int hits = 0;
    for (int i = 0; i < answers.length; i++) {
      ClaimRecord copy = near.get(ids[i]);
      if (copy != null) {
        answers[i] = copies.answer(copy, batch.get(i), now);
        hits += answers[i] == null ? 0 : 1;
      }
    }
    nearMeter.call(answers.length, hits, time.nanoTime() - start);
  }

  /** Answers from the copies of the fast store where it can. */
  void askFast(
      List<ClaimRequest> batch, RecordId[] ids, @Nullable Answer[] answers, List<Integer> places) {
    if (fast == null || fast.trouble() != null) {
      return;
    }
    List<Integer> maybe = filtered(ids, places);
    if (maybe.isEmpty()) {
      return;
    }
    long start = time.nanoTime();
    List<Optional<ClaimRecord>> found = fast.find(maybe.stream().map(it -> ids[it]).toList());
    AuthorityClock.Moment now = clock.now();
    int hits = 0;
    for (int i = 0; i < found.size(); i++) {
      ClaimRecord copy = found.get(i).orElse(null);
      int place = maybe.get(i);
      if (copy != null) {
        answers[place] = copies.answer(copy, batch.get(place), now);
        hits += answers[place] == null ? 0 : 1;
        if (near != null && copies.isGood(copy, now)) {
          near.offer(ids[place], copy, start);
        }
      }
    }
    if (!found.isEmpty()) {
      fastMeter.call(maybe.size(), hits, time.nanoTime() - start);
    }
  }

  private List<Integer> filtered(RecordId[] ids, List<Integer> places) {
    if (filter == null) {
      return places;
    }
    long start = time.nanoTime();
    List<Integer> maybe = new ArrayList<>(places.size());
    for (Integer place : places) {
      if (filter.mayKnow(ids[place])) {
        maybe.add(place);
      }
    }
    filterMeter.call(places.size(), places.size() - maybe.size(), time.nanoTime() - start);
    return maybe;
  }

  /** Asks the authority, and has the tiers above learn from what it answers. */
  List<Answer> askAuthority(List<ClaimRequest> requests, List<RecordId> ids) {
    int settling = 0;
    boolean opening = false;
    for (ClaimRequest each : requests) {
      settling += each.settleNow() == null ? 0 : 1;
      opening |= each.expectToken() != ClaimRequest.ANY;
    }
    if (opening) {
      getOutOfTheWay(requests, ids);
    }
    int taken = behind == null || settling == 0 ? 0 : behind.takeRoom(settling);
    AuthorityClock.Moment before = clock.now();
    long start = time.nanoTime();
    List<Answer> answers;
    try {
      answers = authority.claims().claim(requests);
    } catch (RuntimeException e) {
      authorityMeter.failure(requests.size(), time.nanoTime() - start);
      if (behind != null && settling > 0) {
        behind.add(settling(requests, ids), taken); // they may have been made
      }
      throw e;
    }
    authorityMeter.call(requests.size(), requests.size(), time.nanoTime() - start);
    learn(requests, ids, answers, before, start, taken);
    return answers;
  }

  private static List<RecordId> settling(List<ClaimRequest> requests, List<RecordId> ids) {
    List<RecordId> settling = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      if (requests.get(i).settleNow() != null) {
        settling.add(ids.get(i));
      }
    }
    return settling;
  }

  private void learn(
      List<ClaimRequest> requests,
      List<RecordId> ids,
      List<Answer> answers,
      AuthorityClock.Moment before,
      long asked,
      int taken) {
    AuthorityClock.Moment after = clock.now();
    List<RecordId> settled = behind == null ? List.of() : new ArrayList<>(taken);
    for (int i = 0; i < answers.size(); i++) {
      ClaimRequest request = requests.get(i);
      RecordId id = ids.get(i);
      Answer answer = answers.get(i);
      if (answer instanceof Answer.Claimed claimed) {
        Result result = request.settleNow();
        Claim claim = claimed.claim();
        OpenClaim open = new OpenClaim(claim.token(), request.requestId(), request.fingerprint());
        if (result == null) {
          openClaims.put(id, open);
        } else {
          copyDone(id, claim, open, result, request.retention(), before, after, asked);
          if (behind != null) {
            settled.add(id);
          }
        }
        if (near != null && request.expectToken() != ClaimRequest.ANY) {
          near.mark(id, claim.token());
        }
      } else if (answer instanceof Answer.Done) {
        if (filter != null) {
          filter.add(id);
        }
        if (near != null || fast != null) {
          filler.look(id);
        }
      }
    }
    if (behind != null && taken > 0) {
      behind.add(settled, taken);
    }
  }

  private void copyDone(
      RecordId id,
      Claim claim,
      OpenClaim open,
      Result result,
      Duration retention,
      AuthorityClock.Moment before,
      AuthorityClock.Moment after,
      long asked) {
    if (filter != null) {
      filter.add(id);
    }
    if ((near == null && fast == null)
        || (result instanceof Result.Value value && value.bytes().length > LONGEST_RESULT)) {
      return;
    }
    ClaimRecord done =
        Records.done(
            id,
            claim.token(),
            claim.attempt(),
            open.requestId,
            open.fingerprint,
            result,
            retention,
            before,
            after);
    if (near != null) {
      near.offer(id, done, asked);
    }
    filler.copy(id, done);
  }

  /**
   * Makes sure that no copy outlives what is about to happen to records that are opened by their
   * tokens: marks with a larger token take the places of the copies before the authority is asked.
   *
   * @throws StoreException UNAVAILABLE, with nothing done, if a record is done and its copy cannot
   *     be got out of the way
   */
  private void getOutOfTheWay(List<ClaimRequest> requests, List<RecordId> ids) {
    AuthorityClock.Moment now = clock.now();
    List<ClaimRecord> marks = new ArrayList<>();
    List<RecordId> opened = new ArrayList<>();
    Set<Long> tokens = new HashSet<>();
    for (int i = 0; i < ids.size(); i++) {
      long token = requests.get(i).expectToken();
      if (token != ClaimRequest.ANY) {
        if (near != null) {
          near.mark(ids.get(i), token + 1);
        }
        Duration twice = copyKeep.multipliedBy(2);
        marks.add(Records.mark(ids.get(i), token + 1, now.latest(), twice));
        opened.add(ids.get(i));
        tokens.add(token);
      }
    }
    if (fast == null || fast.put(marks)) {
      return;
    }
    for (Optional<ClaimRecord> each : authority.source().find(opened)) {
      if (each.isPresent()
          && each.get().state() == ClaimState.DONE
          && tokens.contains(each.get().token())) {
        throw new StoreException(
            Kind.UNAVAILABLE,
            "the fast store does not answer and may have a copy of a key that is done, which would"
                + " outlive what is asked for: nothing was done, ask again when it answers");
      }
    }
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#settle}. */
  public List<Held> settle(List<? extends Settlement> batch) {
    checkOpen();
    int taken = behind == null ? 0 : behind.takeRoom(batch.size());
    List<RecordId> ids = new ArrayList<>(batch.size());
    batch.forEach(it -> ids.add(new RecordId(it.claim().scope(), it.claim().key())));
    AuthorityClock.Moment before = clock.now();
    long start = time.nanoTime();
    List<Held> answers;
    try {
      answers = authority.claims().settle(batch);
    } catch (RuntimeException e) {
      authorityMeter.failure(ids.size(), time.nanoTime() - start);
      if (behind != null) {
        behind.add(ids, taken); // they may have been settled
      }
      throw e;
    } finally {
      flying.keySet().removeAll(ids); // whoever asks from now on must see it
    }
    authorityMeter.call(ids.size(), ids.size(), time.nanoTime() - start);
    learn(batch, ids, answers, before, start);
    if (behind != null) {
      behind.add(held(ids, answers), taken);
    }
    return answers;
  }

  private static List<RecordId> held(List<RecordId> ids, List<Held> answers) {
    List<RecordId> held = new ArrayList<>(ids.size());
    for (int i = 0; i < ids.size(); i++) {
      if (answers.get(i) != Held.LOST) {
        held.add(ids.get(i));
      }
    }
    return held;
  }

  private void learn(
      List<? extends Settlement> batch,
      List<RecordId> ids,
      List<Held> answers,
      AuthorityClock.Moment before,
      long asked) {
    AuthorityClock.Moment after = clock.now();
    for (int i = 0; i < ids.size(); i++) {
      OpenClaim open = openClaims.asMap().remove(ids.get(i));
      Settlement settlement = batch.get(i);
      if (answers.get(i) == Held.HELD && settlement instanceof Settlement.Complete complete) {
        Claim claim = complete.claim();
        if (open != null && open.token == claim.token()) {
          copyDone(
              ids.get(i),
              claim,
              open,
              complete.result(),
              complete.retention(),
              before,
              after,
              asked);
        } else if (near != null || fast != null) {
          filler.look(ids.get(i));
        }
      }
    }
  }

  /** As {@link dev.onlyonce.spi.ClaimStore#renew}. */
  public List<Held> renew(List<Renewal> batch) {
    checkOpen();
    List<Held> answers = authority.claims().renew(batch);
    batch.forEach(it -> flying.remove(new RecordId(it.claim().scope(), it.claim().key())));
    return answers;
  }

  /** Purges the authority, and the other tier along with it. */
  public int purge(int limit) {
    checkOpen();
    int purged = authority.claims().purge(limit);
    if (fast != null) {
      fast.purge(limit);
    } else if (behindFast != null) {
      try {
        database.claims().purge(limit);
      } catch (StoreException e) {
        // It is behind, and purged when it answers again.
        return purged;
      }
    }
    return purged;
  }

  /** As {@link dev.onlyonce.spi.RecordSource#find}. */
  public List<Optional<ClaimRecord>> find(List<RecordId> ids) {
    checkOpen();
    return authority.source().find(ids);
  }

  /** As {@link dev.onlyonce.spi.ClaimReader#list}. */
  public Page list(Query query, @Nullable String cursor) {
    checkOpen();
    Page page = authority.reader().list(query, cursor);
    return new Page(
        page.records().stream().filter(it -> !it.scope().equals(Pairing.SCOPE)).toList(),
        page.next());
  }

  /** As {@link dev.onlyonce.spi.ClaimReader#history}. */
  public List<ClaimRecord> history(Scope scope, Key key) {
    checkOpen();
    return authority.reader().history(scope, key);
  }

  /** As {@link dev.onlyonce.spi.ClaimReader#totals}. */
  public Map<ClaimState, Long> totals() {
    checkOpen();
    Map<ClaimState, Long> totals = new EnumMap<>(ClaimState.class);
    totals.putAll(authority.reader().totals());
    for (Optional<ClaimRecord> own : authority.source().find(List.of(Pairing.PAIR, Pairing.BEAT))) {
      own.ifPresent(it -> totals.computeIfPresent(it.state(), (state, count) -> count - 1));
    }
    return totals;
  }

  /** As {@link dev.onlyonce.spi.ClaimReader#scopes}. */
  public Set<Scope> scopes() {
    checkOpen();
    Set<Scope> scopes = new HashSet<>(authority.reader().scopes());
    scopes.remove(Pairing.SCOPE);
    return scopes;
  }

  /** Returns the time of the authority, milliseconds since the epoch. */
  public long millis() {
    checkOpen();
    return authority.clock().millis();
  }

  /** Returns what the tiers did. */
  public TieredStatistics statistics() {
    List<TieredStatistics.Tier> tiers = new ArrayList<>();
    if (near != null) {
      tiers.add(nearMeter.snapshot("near", null));
    }
    if (filter != null) {
      tiers.add(filterMeter.snapshot("filter", filter.trouble()));
    }
    if (fast != null) {
      tiers.add(fastMeter.snapshot("fast", fast.trouble()));
    }
    StoreException why = lost;
    tiers.add(
        authorityMeter.snapshot(
            name == Authority.REDIS ? "fast" : "database", why == null ? null : why.getMessage()));
    Behind waiting =
        behind == null
            ? new Behind(filler.waiting(), Duration.ZERO, filler.written(), 0, filler.dropped())
            : behind.snapshot();
    return new TieredStatistics(name, tiers, joined.sum(), waiting, hotKeys.top());
  }

  /** Writes what waits, and closes the tiers. */
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    duties.close();
    if (filter != null) {
      filter.close();
    }
    if (behind != null) {
      behind.close(closePatience);
    }
    filler.close();
    closeFast();
    database.close();
  }

  private void closeFast() {
    if (fast != null) {
      fast.close();
    }
    if (behindFast != null) {
      behindFast.close();
    }
  }
}
