package dev.onlyonce.spi;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import org.jspecify.annotations.Nullable;

/**
 * All that is remembered of one key: the logical record, version 1, which every stored format
 * holds.
 *
 * <p>Times are milliseconds since the epoch by the store's clock. Once the key is DONE, a format
 * may have dropped key, owner, checkpoint, lapse and creation time; its document says so. What was
 * dropped reads as null, the empty text, null, {@link Lapse#TAKE} and {@link #UNKNOWN_TIME}.
 *
 * @param scope the key's scope
 * @param key null where the format keeps only a digest of it
 * @param state the stored state
 * @param token the largest token given out for this record
 * @param requestId of the request that claimed last
 * @param attempt how many times it was claimed, decisions that end it in the same step left out
 * @param leaseUntilMillis when the lease of a CLAIMED record ends
 * @param notBeforeMillis when a RELEASED record may be claimed again
 * @param expiresAtMillis when a settled record reads as absent; the record is expired from this
 *     moment on, the moment included
 * @param lapse what the last claimer chose
 * @param fingerprint of the payload, null if none was given
 * @param result of a DONE record; of a FAILED one the reason, as a value of type {@code text/plain}
 * @param checkpoint what the last holder saved
 * @param owner a name for whoever claimed last, for display only
 * @param createdAtMillis when the record was made; {@link #UNKNOWN_TIME} if the format dropped that
 * @param updatedAtMillis when it was changed last; of a settled record, when it was settled
 */
public record ClaimRecord(
    Scope scope,
    @Nullable Key key,
    ClaimState state,
    long token,
    long requestId,
    int attempt,
    long leaseUntilMillis,
    long notBeforeMillis,
    long expiresAtMillis,
    Lapse lapse,
    @Nullable Fingerprint fingerprint,
    Result result,
    byte @Nullable [] checkpoint,
    String owner,
    long createdAtMillis,
    long updatedAtMillis) {

  /** The version of the logical record. */
  public static final int VERSION = 1;

  /** A creation time that is not known any more. */
  public static final long UNKNOWN_TIME = 0;

  /** Tells whether the record reads as absent at this time. */
  public boolean isExpired(long nowMillis) {
    return state.isSettled() && nowMillis >= expiresAtMillis;
  }

  /** Returns this record with its key, for a reader that knows what it asked for. */
  public ClaimRecord withKey(Key known) {
    return new ClaimRecord(
        scope,
        known,
        state,
        token,
        requestId,
        attempt,
        leaseUntilMillis,
        notBeforeMillis,
        expiresAtMillis,
        lapse,
        fingerprint,
        result,
        checkpoint,
        owner,
        createdAtMillis,
        updatedAtMillis);
  }
}
