package dev.onlyonce.internal;

import dev.onlyonce.Claim;
import dev.onlyonce.Outcome;
import dev.onlyonce.Resolver;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a {@link Flow} asks its driver to do next; the driver reports back to the flow. */
public sealed interface Step<R extends @Nullable Object> {

  /** Ask the store for the claim; report {@code answered} or {@code storeFailed}. */
  record Ask<R extends @Nullable Object>(ClaimRequest request) implements Step<R> {}

  /**
   * Run the handler; report {@code returned} or {@code threw}.
   *
   * @param leased whether there is a lease to be renewed meanwhile
   * @param leaseEndNanos when the lease ends by the driver's monotonic clock
   * @param checkpoint what an earlier attempt saved
   */
  record Run<R extends @Nullable Object>(
      Claim claim, boolean leased, long leaseEndNanos, byte @Nullable [] checkpoint)
      implements Step<R> {}

  /** Settle the claim; report {@code settled} or {@code storeFailed}. */
  record Settle<R extends @Nullable Object>(Settlement settlement) implements Step<R> {}

  /** Give the lease up without settling; report {@code settled} or {@code storeFailed}. */
  record GiveUp<R extends @Nullable Object>(Renewal renewal) implements Step<R> {}

  /** Wait, then report {@code waited}. */
  record Wait<R extends @Nullable Object>(Duration duration) implements Step<R> {}

  /** Ask the resolver; report {@code resolved}. */
  record Resolve<R extends @Nullable Object>(Resolver.Doubt doubt) implements Step<R> {}

  /** The end: this came of the message. */
  record End<R extends @Nullable Object>(Outcome<R> outcome) implements Step<R> {}

  /**
   * The end: the store failed.
   *
   * @param thrown what the handler had thrown, if it had
   */
  record Fault<R extends @Nullable Object>(StoreException cause, @Nullable Throwable thrown)
      implements Step<R> {}
}
