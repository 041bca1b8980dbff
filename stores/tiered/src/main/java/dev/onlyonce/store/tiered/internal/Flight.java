package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A claim of a key that is under way: others that want the key in this process wait for it instead
 * of asking the authority, too. Safe for use by several threads.
 *
 * <p>Only one answer is handed on: that the flight's own request was granted the key, for as long
 * as its lease is not over. Every other one may mean something else to another request, which may
 * have been granted the key before and never been told.
 */
final class Flight {

  private final ClaimRequest request;
  private final CompletableFuture<Boolean> landing = new CompletableFuture<>();

  /** Both are written before it lands, and read by those that have waited for that. */
  private long departedNanos;

  private Answer.@Nullable Claimed granted;

  Flight(ClaimRequest request) {
    this.request = request;
  }

  /** Says when the tiers are asked: a moment before that. */
  void depart(long nowNanos) {
    departedNanos = nowNanos;
  }

  /**
   * Says that the flight is over.
   *
   * @param answer to its request; null if there was none
   */
  void land(@Nullable Answer answer) {
    granted = answer instanceof Answer.Claimed claimed ? claimed : null;
    landing.complete(true);
  }

  /**
   * Waits for the answer, and returns what it means for another request; null if that request must
   * ask by itself.
   *
   * @param beganNanos when the other request came
   */
  @Nullable Answer answerTo(ClaimRequest other, long beganNanos, Time time) {
    landing.join();
    Answer.Claimed claimed = granted;
    if (claimed == null || other.requestId() == request.requestId()) {
      return null;
    }
    Duration ago = Duration.ofNanos(time.nanoTime() - departedNanos);
    return beside(claimed, other, beganNanos - departedNanos <= 0, ago);
  }

  /**
   * Returns what a request is told while the flight's own has what it was granted so long ago. That
   * it is done is told to those only that came before the authority was asked: who came later may
   * have come after an operator has opened the record through another process.
   */
  private @Nullable Answer beside(
      Answer.Claimed claimed, ClaimRequest other, boolean cameBefore, Duration ago) {
    Fingerprint mine = request.fingerprint();
    Fingerprint its = other.fingerprint();
    Result result = request.settleNow();
    Duration left = (result == null ? claimed.lease() : request.retention()).minus(ago);
    if (left.isNegative() || left.isZero() || (result != null && !cameBefore)) {
      return null;
    }
    if (!Objects.equals(mine, its)) {
      return mine != null && its != null ? new Answer.Mismatch(mine) : null;
    }
    return result == null
        ? new Answer.InProgress(left)
        : new Answer.Done(result, Duration.ZERO, mine != null);
  }
}
