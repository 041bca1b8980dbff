package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests from copies of records that are done. Pure functions.
 *
 * <p>A copy answers what {@link ClaimMachine} would answer of the record, and only where that is a
 * duplicate or a mismatch. It does not answer
 *
 * <ul>
 *   <li>after the record's expiry by the authority's clock, less a margin
 *   <li>a request that expects a token, or that the record was made by: that is the authority's
 *   <li>a request with a fingerprint when it has none itself: the record may have inherited one
 * </ul>
 */
final class Copies {

  private static final ClaimMachine MACHINE = new ClaimMachine(Duration.ZERO, "");

  private final long marginMillis;

  Copies(Duration margin) {
    this.marginMillis = margin.toMillis();
  }

  /** Returns what is answered from the copy, null if the authority must be asked. */
  @Nullable Answer answer(ClaimRecord copy, ClaimRequest request, AuthorityClock.Moment now) {
    if (!isGood(copy, now)
        || request.expectToken() != ClaimRequest.ANY
        || (request.fingerprint() != null && copy.fingerprint() == null)) {
      return null;
    }
    Answer answer = MACHINE.claim(copy, request, now.earliest() * 1_000, 0).answer();
    return answer instanceof Answer.Claimed ? null : answer;
  }

  /** Tells whether a record may be used as a copy at all. */
  boolean isGood(ClaimRecord record, AuthorityClock.Moment now) {
    return record.state() == ClaimState.DONE && !record.isExpired(now.latest() + marginMillis);
  }
}
