package dev.onlyonce.store.tiered.internal;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.tiered.TieredStatistics;
import dev.onlyonce.store.tiered.TieredStatistics.Behind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tiers above the authority: near cache, filter, and the copies in the fast store. They answer
 * what is done, learn from what the authority answers, and get out of the way of what an operator
 * opens. Safe for use by several threads.
 */
final class Above {

  private static final int OPEN_CLAIMS = 100_000;

  /** No store gives a larger token: it is exact in Redis, and as microseconds centuries away. */
  private static final long LARGEST_TOKEN = (1L << 53) - 1;

  private static final int LONGEST_RESULT = Limits.RESULT_BYTES;

  /** How long a mark is kept: twice the longest time that a copy of any process may be. */
  private static final Duration MARK_KEEP = Settings.LONGEST_COPY.multipliedBy(2);

  private final Tier authority;
  private final AuthorityClock clock;
  private final Copies copies;
  private final @Nullable NearCache near;
  private final @Nullable FilterTier filter;
  private final @Nullable FastTier fast;
  private final Filler filler;
  private final Time time;
  private final Meter nearMeter = new Meter();
  private final Meter filterMeter = new Meter();
  private final Meter fastMeter = new Meter();

  /** What the claims of this process were made with: their settlements do not say it again. */
  private final Cache<RecordId, OpenClaim> openClaims =
      Caffeine.newBuilder().maximumSize(OPEN_CLAIMS).build();

  /** What a claim was made with. */
  record OpenClaim(long token, long requestId, @Nullable Fingerprint fingerprint) {}

  /** A claim that was completed. */
  record Completion(Claim claim, OpenClaim open, Result result, Duration retention) {}

  /** When the authority was asked: by its clock, and by the monotonic one. */
  record Call(AuthorityClock.Moment before, long askedNanos) {}

  /**
   * @param pair what copies in the fast store are of
   */
  Above(Settings settings, Tier authority, String pair, boolean hasCopies) {
    this.authority = authority;
    this.time = settings.time;
    this.clock = new AuthorityClock(authority.clock(), time);
    this.copies = new Copies(settings.clockMargin);
    this.near =
        settings.nearBytes == 0 ? null : new NearCache(settings.nearBytes, settings.nearKeep, time);
    this.filter =
        settings.filter == null
            ? null
            : new FilterTier(settings.filter, authority.reader(), settings.retryAfter);
    Supplier<Tier> opening = settings.fast;
    this.fast =
        !hasCopies || opening == null
            ? null
            : new FastTier(opening, Pairing.id(pair), settings.slow, time, fastMeter);
    if (fast != null) {
      fast.open();
    }
    this.filler = new Filler(authority, near, fast, copies, clock, time, settings.copyKeep);
    if (filter != null) {
      filter.load();
    }
  }

  /** Looks whether a fast store that was left alone answers again. */
  void probe() {
    if (fast != null) {
      fast.probe();
    }
  }

  void readClock() {
    clock.read();
  }

  Call begin() {
    return new Call(clock.now(), time.nanoTime());
  }

  /** Answers from the near cache where it can. */
  void askNear(List<ClaimRequest> batch, RecordId[] ids, @Nullable Answer[] answers) {
    if (near == null) {
      return;
    }
    Call call = begin();
    int hits = 0;
    for (int i = 0; i < answers.length; i++) {
      ClaimRecord copy = near.get(ids[i]);
      if (copy != null) {
        answers[i] = copies.answer(copy, batch.get(i), call.before);
        hits += answers[i] == null ? 0 : 1;
      }
    }
    nearMeter.call(answers.length, hits, time.nanoTime() - call.askedNanos);
  }

  /** Answers the requests at these places from the copies of the fast store, where it can. */
  void askFast(
      List<ClaimRequest> batch, RecordId[] ids, @Nullable Answer[] answers, List<Integer> places) {
    List<Integer> maybe = fast == null || fast.trouble() != null ? List.of() : known(ids, places);
    if (fast == null || maybe.isEmpty()) {
      return;
    }
    long asked = time.nanoTime();
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
          near.offer(ids[place], copy, asked);
        }
      }
    }
    if (!found.isEmpty()) {
      fastMeter.call(maybe.size(), hits, time.nanoTime() - asked);
    }
  }

  /** Returns the places whose keys the filter may know. */
  private List<Integer> known(RecordId[] ids, List<Integer> places) {
    if (filter == null) {
      return places;
    }
    long asked = time.nanoTime();
    List<Integer> known = new ArrayList<>(places.size());
    for (Integer place : places) {
      if (filter.mayKnow(ids[place])) {
        known.add(place);
      }
    }
    filterMeter.call(places.size(), places.size() - known.size(), time.nanoTime() - asked);
    return known;
  }

  /**
   * Makes sure that no copy outlives what is about to happen to records that are opened by their
   * tokens: marks with a larger token take the places of the copies before the authority is asked.
   *
   * @throws StoreException UNAVAILABLE, with nothing done, if a record is done and its copy cannot
   *     be got out of the way, as the fast store does not answer or is full
   */
  void getOutOfTheWay(List<ClaimRequest> openings, List<RecordId> ids) {
    long now = clock.now().latest();
    List<ClaimRecord> marks = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      long above = openings.get(i).expectToken() + 1;
      if (above <= 1 || above > LARGEST_TOKEN) {
        continue; // no record has such a token, so none is opened
      }
      if (near != null) {
        near.mark(ids.get(i), above);
      }
      marks.add(Records.mark(ids.get(i), above, now, MARK_KEEP));
    }
    if (fast == null || marks.isEmpty() || !fast.put(marks).isEmpty()) {
      return;
    }
    List<Optional<ClaimRecord>> records = authority.source().find(ids);
    for (int i = 0; i < ids.size(); i++) {
      ClaimRecord record = records.get(i).orElse(null);
      if (record != null
          && record.state() == ClaimState.DONE
          && record.token() == openings.get(i).expectToken()) {
        throw new StoreException(Kind.UNAVAILABLE, mayOutlive(fast));
      }
    }
  }

  private static String mayOutlive(FastTier fast) {
    String full = fast.trouble() == null ? fast.full() : null;
    return "Redis may have a copy of a key that is done, which would outlive what is asked for, and it"
        + (full == null
            ? " is not asked now: nothing was done, ask again when it answers; " + fast.trouble()
            : " is full, so that nothing can take the copy's place: nothing was done, give it room"
                + " and ask again; "
                + full);
  }

  /** Learns from what the authority has answered to claims. */
  void learn(
      List<ClaimRequest> requests, List<RecordId> ids, List<? extends Answer> answers, Call call) {
    AuthorityClock.Moment after = clock.now();
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i) instanceof Answer.Claimed claimed) {
        learnGranted(requests.get(i), ids.get(i), claimed.claim(), call, after);
      } else if (answers.get(i) instanceof Answer.Done) {
        learnDone(ids.get(i));
      }
    }
  }

  private void learnGranted(
      ClaimRequest request, RecordId id, Claim claim, Call call, AuthorityClock.Moment after) {
    OpenClaim open = new OpenClaim(claim.token(), request.requestId(), request.fingerprint());
    if (near != null && request.expectToken() != ClaimRequest.ANY) {
      near.mark(id, claim.token());
    }
    Result result = request.settleNow();
    if (result == null) {
      openClaims.put(id, open);
    } else {
      copy(id, new Completion(claim, open, result, request.retention()), call, after);
    }
  }

  private void learnDone(RecordId id) {
    if (filter != null) {
      filter.add(id);
    }
    if (near != null || (fast != null && fast.trouble() == null)) {
      filler.look(id);
    }
  }

  /** Learns from what the authority has answered to settlements. */
  void learnSettled(
      List<? extends Settlement> batch, List<RecordId> ids, List<Held> answers, Call call) {
    AuthorityClock.Moment after = clock.now();
    for (int i = 0; i < ids.size(); i++) {
      OpenClaim open = openClaims.asMap().remove(ids.get(i));
      if (answers.get(i) == Held.HELD && batch.get(i) instanceof Settlement.Complete complete) {
        if (open != null && open.token == complete.claim().token()) {
          Completion completion =
              new Completion(complete.claim(), open, complete.result(), complete.retention());
          copy(ids.get(i), completion, call, after);
        } else {
          learnDone(ids.get(i));
        }
      }
    }
  }

  private void copy(RecordId id, Completion completion, Call call, AuthorityClock.Moment after) {
    if (filter != null) {
      filter.add(id);
    }
    boolean isLarge =
        completion.result instanceof Result.Value value && value.bytes().length > LONGEST_RESULT;
    if ((near == null && fast == null) || isLarge) {
      return;
    }
    ClaimRecord done = Records.done(id, completion, call.before, after);
    if (near != null) {
      near.offer(id, done, call.askedNanos);
    }
    filler.copy(id, done);
  }

  /** Purges the copies; returns how many were purged. */
  int purge(int limit) {
    return fast == null ? 0 : fast.purge(limit);
  }

  /** Returns what the tiers that there are did, the nearest first. */
  List<TieredStatistics.Tier> snapshot() {
    List<TieredStatistics.Tier> tiers = new ArrayList<>();
    if (near != null) {
      tiers.add(nearMeter.snapshot("near", null));
    }
    if (filter != null) {
      tiers.add(filterMeter.snapshot("filter", filter.trouble()));
    }
    if (fast != null) {
      tiers.add(fastMeter.snapshot("fast", fast.complaint()));
    }
    return tiers;
  }

  Behind waiting() {
    return filler.snapshot();
  }

  void close() {
    if (filter != null) {
      filter.close();
    }
    filler.close();
    if (fast != null) {
      fast.close();
    }
  }
}
