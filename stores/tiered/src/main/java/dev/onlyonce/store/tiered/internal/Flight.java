package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A claim of a key that is under way: others that want the key in this process wait for its answer
 * instead of asking the authority, too. Safe for use by several threads.
 *
 * <p>An answer is good for whoever began to ask before the flight departed. It may be out of date
 * for those that came later, with one exception: what the flight's own request was granted, it
 * still has, as long as its lease or retention is not over.
 */
final class Flight {

  private final ClaimRequest request;
  private final CompletableFuture<Answer> landing = new CompletableFuture<>();

  /** Written before it lands, and read by those that have waited for that. */
  private long departedNanos;

  Flight(ClaimRequest request) {
    this.request = request;
  }

  /** Says when the tiers are asked: a moment before that. */
  void depart(long nowNanos) {
    departedNanos = nowNanos;
  }

  void land(Answer answer) {
    landing.complete(answer);
  }

  void crash(RuntimeException failure) {
    landing.completeExceptionally(failure);
  }

  /**
   * Waits for the answer, and returns what it means for another request; null if that request must
   * ask by itself.
   *
   * @param beganNanos when the other request came
   * @throws StoreException if the authority cannot be asked
   */
  @Nullable Answer answerTo(ClaimRequest other, long beganNanos, Time time) {
    Answer answer;
    try {
      answer = landing.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof StoreException store && isEverybodys(store)) {
        throw new StoreException(store.kind(), String.valueOf(store.getMessage()), store);
      }
      return null;
    }
    if (other.requestId() == request.requestId()) {
      return null;
    }
    if (answer instanceof Answer.Claimed claimed) {
      return beside(claimed, other, Duration.ofNanos(time.nanoTime() - departedNanos));
    }
    boolean isEqual = Objects.equals(request.fingerprint(), other.fingerprint());
    return isEqual && beganNanos - departedNanos <= 0 ? answer : null;
  }

  /** Returns what a request is told while the flight's own has what it was granted so long ago. */
  private @Nullable Answer beside(Answer.Claimed claimed, ClaimRequest other, Duration ago) {
    Fingerprint mine = request.fingerprint();
    Fingerprint its = other.fingerprint();
    Result result = request.settleNow();
    Duration left = (result == null ? claimed.lease() : request.retention()).minus(ago);
    if (left.isNegative() || left.isZero()) {
      return null;
    }
    if (!Objects.equals(mine, its)) {
      return mine != null && its != null ? new Answer.Mismatch(mine) : null;
    }
    return result == null
        ? new Answer.InProgress(left)
        : new Answer.Done(result, Duration.ZERO, mine != null);
  }

  private static boolean isEverybodys(StoreException failure) {
    return failure.kind() == StoreException.Kind.UNAVAILABLE
        || failure.kind() == StoreException.Kind.CLOSED;
  }
}
