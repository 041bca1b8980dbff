package dev.onlyonce.spi;

import dev.onlyonce.Claim;
import dev.onlyonce.Result;
import java.time.Duration;

/**
 * The end of a claim: what becomes of a key whose handler has come to an end.
 *
 * <p>A settlement takes effect while the claim is held, that is while the record is CLAIMED with
 * the claim's token; whether the lease is over does not matter if nobody has overtaken it.
 */
public sealed interface Settlement {

  /** Returns the claim that ends. */
  Claim claim();

  /** Returns how long the settled record is kept, from the settlement on. */
  Duration retention();

  /**
   * The effect has happened: the key is DONE.
   *
   * @param result what duplicates are answered with
   */
  record Complete(Claim claim, Result result, Duration retention) implements Settlement {
    /**
     * @throws IllegalArgumentException if the retention is not positive
     */
    public Complete {
      Limits.requirePositive("retention", retention);
    }
  }

  /**
   * The key cannot be handled: it is FAILED and not run again until its retention is over or an
   * operator resets it.
   *
   * @param reason in a human's words; not empty
   */
  record Fail(Claim claim, String reason, Duration retention) implements Settlement {
    /**
     * @throws IllegalArgumentException if the reason is empty or the retention is not positive
     */
    public Fail {
      Limits.requirePositive("retention", retention);
      if (reason.isEmpty()) {
        throw new IllegalArgumentException("reason must not be empty");
      }
    }
  }

  /**
   * The key may be claimed again: it is RELEASED, its attempts are counted on.
   *
   * @param after how long it is not to be claimed
   * @param attempts what becomes of the count
   * @param retention how long its attempts are remembered, at least until it may be claimed
   */
  record Release(Claim claim, Duration after, Attempts attempts, Duration retention)
      implements Settlement {
    /**
     * @throws IllegalArgumentException if the retention is not positive or {@code after} negative
     */
    public Release {
      Limits.requirePositive("retention", retention);
      Limits.requireNotNegative("after", after);
    }
  }

  /** What a release does with the count of attempts. */
  enum Attempts {
    /** The attempt counts. */
    KEEP,
    /** This attempt does not count: it was given back unused, as at shutdown. */
    REFUND,
    /** Counting starts anew, as when an operator resets a key. */
    RESET
  }
}
