package dev.onlyonce.spi;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request to claim one key. Everything is per request, since a batch mixes callers.
 *
 * @param scope the key's scope
 * @param key what to claim
 * @param requestId 64 random bits that name this request: asked again with them after a lost
 *     answer, the store answers with the same claim
 * @param fingerprint of the payload; null does without the comparison
 * @param lease how long the claim lasts unless renewed; positive
 * @param retention how long the record is kept when {@code settleNow} completes it; positive
 * @param lapse what becomes of the key if the lease runs out
 * @param settleNow if not null, the key is claimed and completed with this result in one step
 * @param expectToken if not {@link #ANY}, a record whose token is that one is claimed in whatever
 *     state it is, so that whoever held it is fenced; other records are answered as they are, and
 *     an absent one is claimed. Together with {@code settleNow} that is a decision, which is not
 *     counted as an attempt
 */
public record ClaimRequest(
    Scope scope,
    Key key,
    long requestId,
    @Nullable Fingerprint fingerprint,
    Duration lease,
    Duration retention,
    Lapse lapse,
    @Nullable Result settleNow,
    long expectToken) {

  /** The value of {@code expectToken} that expects nothing. */
  public static final long ANY = 0;

  /**
   * @throws IllegalArgumentException if a duration is not positive
   */
  public ClaimRequest {
    Limits.requirePositive("lease", lease);
    Limits.requirePositive("retention", retention);
  }

  /** Returns a request with the default retention and nothing special about it. */
  public static ClaimRequest of(Scope scope, Key key, long requestId, Duration lease, Lapse lapse) {
    return new ClaimRequest(scope, key, requestId, null, lease, Limits.RETENTION, lapse, null, ANY);
  }

  /** Returns this request with a fingerprint, or without one. */
  public ClaimRequest withFingerprint(@Nullable Fingerprint replacement) {
    return new ClaimRequest(
        scope, key, requestId, replacement, lease, retention, lapse, settleNow, expectToken);
  }

  /** Returns this request, completing the key in the same step. */
  public ClaimRequest settlingNow(Result result, Duration keep) {
    return new ClaimRequest(
        scope, key, requestId, fingerprint, lease, keep, lapse, result, expectToken);
  }

  /** Returns this request, opening the record that has this token. */
  public ClaimRequest expecting(long token) {
    return new ClaimRequest(
        scope, key, requestId, fingerprint, lease, retention, lapse, settleNow, token);
  }
}
