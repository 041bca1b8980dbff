package dev.onlyonce.spi;

import dev.onlyonce.Claim;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A request to make a claim last longer.
 *
 * @param claim the claim, which keeps its token
 * @param lease how long it lasts from now on; zero gives it up at once without settling it, so that
 *     it is taken over or in doubt as its claimer chose
 * @param checkpoint what the next attempt is to be handed, or null to leave that as it is; at most
 *     {@link Limits#CHECKPOINT_BYTES} long and not to be changed by anybody
 */
public record Renewal(Claim claim, Duration lease, byte @Nullable [] checkpoint) {

  // Not a compact constructor: of that, javac 17 writes the array's annotation in a wrong place.

  /**
   * @throws IllegalArgumentException if the lease is negative or the checkpoint too long
   */
  public Renewal(Claim claim, Duration lease, byte @Nullable [] checkpoint) {
    Limits.requireNotNegative("lease", lease);
    if (checkpoint != null && checkpoint.length > Limits.CHECKPOINT_BYTES) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "checkpoint must be at most %,d bytes, was %,d",
              Limits.CHECKPOINT_BYTES,
              checkpoint.length));
    }
    this.claim = claim;
    this.lease = lease;
    this.checkpoint = checkpoint;
  }
}
