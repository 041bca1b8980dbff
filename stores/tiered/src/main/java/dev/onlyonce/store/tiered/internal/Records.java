package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.RecordId;
import java.time.Duration;

/** Records that this process makes itself, out of what it knows of those of the authority. */
final class Records {

  private Records() {}

  /**
   * Returns the record of a key that has just been completed. It ends no later than the
   * authority's, and seems completed no earlier.
   *
   * @param before the authority's time before it was asked
   * @param after its time after it had answered
   */
  static ClaimRecord done(
      RecordId id, Above.Completion it, AuthorityClock.Moment before, AuthorityClock.Moment after) {
    return new ClaimRecord(
        id.scope(),
        id.key(),
        ClaimState.DONE,
        it.claim().token(),
        it.open().requestId(),
        it.claim().attempt(),
        0,
        0,
        sum(before.earliest(), Limits.millis(it.retention())),
        Lapse.TAKE,
        it.open().fingerprint(),
        it.result(),
        null,
        "",
        after.latest(),
        after.latest());
  }

  /** Returns a record that only stands in the way of others with smaller tokens. */
  static ClaimRecord mark(RecordId id, long token, long nowMillis, Duration keep) {
    return new ClaimRecord(
        id.scope(),
        id.key(),
        ClaimState.RELEASED,
        token,
        0,
        0,
        0,
        nowMillis,
        sum(nowMillis, Limits.millis(keep)),
        Lapse.TAKE,
        null,
        Result.NONE,
        null,
        "",
        nowMillis,
        nowMillis);
  }

  static ClaimRecord endingAt(long expiresAtMillis, ClaimRecord it) {
    return new ClaimRecord(
        it.scope(),
        it.key(),
        it.state(),
        it.token(),
        it.requestId(),
        it.attempt(),
        it.leaseUntilMillis(),
        it.notBeforeMillis(),
        expiresAtMillis,
        it.lapse(),
        it.fingerprint(),
        it.result(),
        it.checkpoint(),
        it.owner(),
        it.createdAtMillis(),
        it.updatedAtMillis());
  }

  static ClaimRecord in(Scope scope, ClaimRecord it) {
    return new ClaimRecord(
        scope,
        it.key(),
        it.state(),
        it.token(),
        it.requestId(),
        it.attempt(),
        it.leaseUntilMillis(),
        it.notBeforeMillis(),
        it.expiresAtMillis(),
        it.lapse(),
        it.fingerprint(),
        it.result(),
        it.checkpoint(),
        it.owner(),
        it.createdAtMillis(),
        it.updatedAtMillis());
  }

  private static long sum(long moment, long notNegative) {
    long sum = moment + notNegative;
    return sum < moment ? Long.MAX_VALUE : sum;
  }
}
