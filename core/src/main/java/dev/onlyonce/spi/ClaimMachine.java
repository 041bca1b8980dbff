package dev.onlyonce.spi;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Result;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of a claim: from a record, a request and the time to an answer and the record
 * that is to be written. Pure functions; {@link ClaimState} has the table.
 *
 * <p>Stores that keep records in this process apply it as it is. Stores that decide elsewhere say
 * the same in their own language (SQL, Lua) and are held to it by the contract.
 *
 * <h2>The token rule</h2>
 *
 * <p>A claim's token is the largest of the record's token + 1, the store's floor + 1 and the
 * store's time in microseconds. The record carries it through release and failure, the floor
 * through purge and restore, and the time through the loss of both.
 *
 * <h2>Holding</h2>
 *
 * <p>A claim is held while the record is CLAIMED with its token. The end of the lease lets others
 * take over and does nothing else, so whoever is late and was not overtaken still counts.
 */
public final class ClaimMachine {

  private static final String REASON = "text/plain";

  private final long toleranceMillis;
  private final String owner;

  /**
   * @param tolerance how much longer than its lease a claim is left alone; zero where the store's
   *     own clock decides and cannot change hands
   * @param owner written into the records, for display
   */
  public ClaimMachine(Duration tolerance, String owner) {
    this.toleranceMillis = Limits.millis(Limits.requireNotNegative("tolerance", tolerance));
    this.owner = owner;
  }

  /**
   * What is to be done about a record.
   *
   * @param answer to the caller
   * @param write the record's new version, null to leave it as it is
   */
  public record Decision<A>(A answer, @Nullable ClaimRecord write) {}

  /**
   * Decides on a claim.
   *
   * @param found the record, null if there is none
   * @param nowMicros the store's time, microseconds since the epoch
   * @param floor the largest token that was ever forgotten, 0 if none was
   */
  public Decision<Answer> claim(
      @Nullable ClaimRecord found, ClaimRequest request, long nowMicros, long floor) {
    long now = Math.floorDiv(nowMicros, 1_000);
    if (found == null || found.isExpired(now)) {
      return create(found, request, nowMicros, floor);
    }
    if (found.token() == request.expectToken()) {
      return grant(found, request, nowMicros, floor);
    }
    if (isRepeated(found, request)) {
      return new Decision<>(claimed(request, found, now), null);
    }
    Fingerprint stored = found.fingerprint();
    Fingerprint given = request.fingerprint();
    boolean compared = stored != null && given != null;
    boolean known = found.state() != ClaimState.UNKNOWN;
    if (known && stored != null && given != null && !stored.equals(given)) {
      return new Decision<>(new Answer.Mismatch(stored), null);
    }
    return switch (found.state()) {
      case UNKNOWN -> new Decision<>(new Answer.InProgress(Duration.ZERO), null);
      case CLAIMED -> claimHeld(found, request, nowMicros, floor);
      case DONE -> new Decision<>(new Answer.Done(found.result(), age(found, now), compared), null);
      case FAILED -> new Decision<>(new Answer.Failed(reason(found), age(found, now)), null);
      case RELEASED ->
          now < found.notBeforeMillis() || request.expectToken() != ClaimRequest.ANY
              ? new Decision<>(new Answer.Deferred(left(found.notBeforeMillis(), now)), null)
              : grant(found, request, nowMicros, floor);
    };
  }

  private Decision<Answer> claimHeld(
      ClaimRecord found, ClaimRequest request, long nowMicros, long floor) {
    long now = Math.floorDiv(nowMicros, 1_000);
    long lapsesAt = saturatedAdd(found.leaseUntilMillis(), toleranceMillis);
    boolean mayTake = found.lapse() == Lapse.TAKE && request.expectToken() == ClaimRequest.ANY;
    if (now < lapsesAt || (found.lapse() == Lapse.TAKE && !mayTake)) {
      return new Decision<>(new Answer.InProgress(left(lapsesAt, now)), null);
    }
    return mayTake
        ? grant(found, request, nowMicros, floor)
        : new Decision<>(new Answer.InDoubt(found.token(), found.attempt()), null);
  }

  /** Decides on a settlement. */
  public Decision<Held> settle(@Nullable ClaimRecord found, Settlement settlement, long nowMicros) {
    if (found == null || found.token() != settlement.claim().token()) {
      return new Decision<>(Held.LOST, null);
    }
    ClaimState target = target(settlement);
    if (found.state() != ClaimState.CLAIMED) {
      return new Decision<>(found.state() == target ? Held.ALREADY : Held.LOST, null);
    }
    return new Decision<>(Held.HELD, settled(found, settlement, Math.floorDiv(nowMicros, 1_000)));
  }

  /** Decides on a renewal. */
  public Decision<Held> renew(@Nullable ClaimRecord found, Renewal renewal, long nowMicros) {
    if (found == null
        || found.state() != ClaimState.CLAIMED
        || found.token() != renewal.claim().token()) {
      return new Decision<>(Held.LOST, null);
    }
    long now = Math.floorDiv(nowMicros, 1_000);
    byte[] checkpoint = renewal.checkpoint() == null ? found.checkpoint() : renewal.checkpoint();
    return new Decision<>(
        Held.HELD,
        new ClaimRecord(
            found.scope(),
            found.key(),
            ClaimState.CLAIMED,
            found.token(),
            found.requestId(),
            found.attempt(),
            until(now, renewal.lease()),
            0,
            0,
            found.lapse(),
            found.fingerprint(),
            found.result(),
            checkpoint,
            found.owner(),
            found.createdAtMillis(),
            now));
  }

  /** Tells whether a listing shows a record: it has not expired and is what was asked for. */
  public boolean matches(ClaimReader.Query query, ClaimRecord record, long nowMillis) {
    return !record.isExpired(nowMillis)
        && query.states().contains(record.state())
        && (query.scope() == null || query.scope().equals(record.scope()))
        && (!query.onlyInDoubt() || isInDoubt(record, nowMillis));
  }

  private boolean isInDoubt(ClaimRecord record, long nowMillis) {
    return record.state() == ClaimState.CLAIMED
        && record.lapse() == Lapse.PARK
        && nowMillis >= saturatedAdd(record.leaseUntilMillis(), toleranceMillis);
  }

  /** Tells whether a record may be forgotten: it is settled, and expiry and grace are over. */
  public static boolean mayForget(ClaimRecord record, long nowMillis, Duration grace) {
    return record.state().isSettled()
        && nowMillis >= saturatedAdd(record.expiresAtMillis(), Limits.millis(grace));
  }

  /**
   * Returns the token of the next claim on a record whose token is this one, 0 if there is none.
   */
  public static long nextToken(long recordToken, long floor, long nowMicros) {
    return Math.max(nowMicros, Math.max(recordToken, floor) + 1);
  }

  private Decision<Answer> create(
      @Nullable ClaimRecord expired, ClaimRequest request, long nowMicros, long floor) {
    long token = nextToken(expired == null ? 0 : expired.token(), floor, nowMicros);
    return write(request, token, 1, request.fingerprint(), null, nowMicros, null);
  }

  private Decision<Answer> grant(
      ClaimRecord found, ClaimRequest request, long nowMicros, long floor) {
    Fingerprint fingerprint =
        request.fingerprint() == null ? found.fingerprint() : request.fingerprint();
    long token = nextToken(found.token(), floor, nowMicros);
    int attempt = isDecision(found, request) ? found.attempt() : next(found.attempt());
    return write(request, token, attempt, fingerprint, found.checkpoint(), nowMicros, found);
  }

  /** Opened and completed in one step: nothing runs, so that is no attempt. */
  private static boolean isDecision(ClaimRecord found, ClaimRequest request) {
    return found.token() == request.expectToken() && request.settleNow() != null;
  }

  private static int next(int attempt) {
    return attempt == Integer.MAX_VALUE ? attempt : attempt + 1;
  }

  private Decision<Answer> write(
      ClaimRequest request,
      long token,
      int attempt,
      @Nullable Fingerprint fingerprint,
      byte @Nullable [] checkpoint,
      long nowMicros,
      @Nullable ClaimRecord before) {
    long now = Math.floorDiv(nowMicros, 1_000);
    ClaimRecord claimed =
        new ClaimRecord(
            request.scope(),
            request.key(),
            ClaimState.CLAIMED,
            token,
            request.requestId(),
            attempt,
            until(now, request.lease()),
            0,
            0,
            request.lapse(),
            fingerprint,
            Result.NONE,
            checkpoint,
            owner,
            before == null ? now : before.createdAtMillis(),
            now);
    Answer answer = claimed(request, claimed, now);
    Result result = request.settleNow();
    if (result == null) {
      return new Decision<>(answer, claimed);
    }
    Claim claim = new Claim(request.scope(), request.key(), token, attempt);
    Settlement settlement = new Settlement.Complete(claim, result, request.retention());
    return new Decision<>(answer, settled(claimed, settlement, now));
  }

  private static ClaimRecord settled(ClaimRecord held, Settlement settlement, long now) {
    long expiresAt = until(now, settlement.retention());
    long notBefore = 0;
    int attempt = held.attempt();
    Result result = Result.NONE;
    byte[] checkpoint = null;
    if (settlement instanceof Settlement.Complete complete) {
      result = complete.result();
    } else if (settlement instanceof Settlement.Fail fail) {
      checkpoint = held.checkpoint();
      result = new Result.Value(REASON, fail.reason().getBytes(UTF_8));
    } else {
      Settlement.Release release = (Settlement.Release) settlement;
      notBefore = until(now, release.after());
      expiresAt = Math.max(expiresAt, notBefore);
      checkpoint = held.checkpoint();
      attempt =
          switch (release.attempts()) {
            case KEEP -> attempt;
            case REFUND -> attempt - 1;
            case RESET -> 0;
          };
    }
    return new ClaimRecord(
        held.scope(),
        held.key(),
        target(settlement),
        held.token(),
        held.requestId(),
        attempt,
        0,
        notBefore,
        expiresAt,
        held.lapse(),
        held.fingerprint(),
        result,
        checkpoint,
        held.owner(),
        held.createdAtMillis(),
        now);
  }

  private static ClaimState target(Settlement settlement) {
    if (settlement instanceof Settlement.Complete) {
      return ClaimState.DONE;
    }
    return settlement instanceof Settlement.Fail ? ClaimState.FAILED : ClaimState.RELEASED;
  }

  /** Tells whether this very request has been granted before, and its answer got lost. */
  private static boolean isRepeated(ClaimRecord found, ClaimRequest request) {
    return found.requestId() == request.requestId()
        && (request.settleNow() == null
            ? found.state() == ClaimState.CLAIMED
            : found.state() == ClaimState.DONE);
  }

  private static Answer claimed(ClaimRequest request, ClaimRecord record, long now) {
    Claim claim = new Claim(request.scope(), request.key(), record.token(), record.attempt());
    return new Answer.Claimed(claim, left(record.leaseUntilMillis(), now), record.checkpoint());
  }

  private static String reason(ClaimRecord record) {
    return record.result() instanceof Result.Value value
        ? new String(value.bytes(), UTF_8)
        : "no reason was kept";
  }

  private static Duration age(ClaimRecord record, long now) {
    return left(now, record.updatedAtMillis());
  }

  private static Duration left(long end, long now) {
    return Duration.ofMillis(Math.max(0, end - now));
  }

  private static long until(long now, Duration duration) {
    return saturatedAdd(now, Limits.millis(duration));
  }

  private static long saturatedAdd(long moment, long notNegative) {
    long sum = moment + notNegative;
    return sum < moment ? Long.MAX_VALUE : sum;
  }
}
