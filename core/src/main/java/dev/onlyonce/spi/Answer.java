package dev.onlyonce.spi;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Result;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a store says to a request to claim a key. The list is complete: there will be no others.
 *
 * <p>Durations are what is left, or has passed, by the store's clock; no clock of a worker is ever
 * compared with another.
 */
public sealed interface Answer {

  /**
   * The key is the caller's: run the handler, then settle. For a request with {@link
   * ClaimRequest#settleNow()} the key is completed already, and this caller is the one that did it.
   *
   * @param claim the right to act
   * @param lease how long the claim is sure to last; less than asked for, down to zero, where a
   *     request was repeated
   * @param checkpoint what an earlier attempt saved, not to be changed by anybody
   */
  record Claimed(Claim claim, Duration lease, byte @Nullable [] checkpoint) implements Answer {}

  /**
   * The key was completed.
   *
   * @param result what is left of the handler's result
   * @param age how long ago it was completed
   * @param compared whether request and record both had a fingerprint; without, payloads match
   */
  record Done(Result result, Duration age, boolean compared) implements Answer {}

  /**
   * The key failed for good and is not run again until its retention is over or an operator resets
   * it.
   *
   * @param reason in a human's words
   * @param age how long ago
   */
  record Failed(String reason, Duration age) implements Answer {}

  /**
   * Somebody holds the key now, or the record is of a state that this version does not know.
   *
   * @param leaseLeft when the holder's lease ends if it is not renewed
   */
  record InProgress(Duration leaseLeft) implements Answer {}

  /**
   * The key was released to be tried again later.
   *
   * @param left how long it is not to be tried
   */
  record Deferred(Duration left) implements Answer {}

  /**
   * A holder's lease ran out and its claim says that nobody may take over: whether the effect
   * happened is not known. A claim that expects this token opens the record.
   *
   * @param token the lapsed claim's
   * @param attempt the lapsed claim's
   */
  record InDoubt(long token, int attempt) implements Answer {}

  /**
   * The key is known with another payload.
   *
   * @param stored the fingerprint of the payload that came first
   */
  record Mismatch(Fingerprint stored) implements Answer {}
}
