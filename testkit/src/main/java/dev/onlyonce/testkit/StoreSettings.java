package dev.onlyonce.testkit;

import dev.onlyonce.spi.Limits;
import java.time.Duration;

/**
 * How a contract wants the store to be opened.
 *
 * @param purgeGrace how long after its expiry a record is purged at the earliest
 * @param clockTolerance how much longer than its lease a claim is left alone
 * @param owner the name that claimed records show
 * @param capacity how many records the store has room for; only a {@link BoundedStoreContract} asks
 *     for few
 */
public record StoreSettings(
    Duration purgeGrace, Duration clockTolerance, String owner, long capacity) {

  private static final long ENOUGH = 1_000_000;

  /** Returns the defaults of every store, with a tolerance of zero. */
  public static StoreSettings defaults() {
    return new StoreSettings(Limits.PURGE_GRACE, Duration.ZERO, "contract", ENOUGH);
  }

  /** Returns these settings with another purge grace. */
  public StoreSettings withPurgeGrace(Duration replacement) {
    return new StoreSettings(replacement, clockTolerance, owner, capacity);
  }

  /** Returns these settings with another clock tolerance. */
  public StoreSettings withClockTolerance(Duration replacement) {
    return new StoreSettings(purgeGrace, replacement, owner, capacity);
  }

  /** Returns these settings with another owner. */
  public StoreSettings withOwner(String replacement) {
    return new StoreSettings(purgeGrace, clockTolerance, replacement, capacity);
  }

  /** Returns these settings with another capacity. */
  public StoreSettings withCapacity(long replacement) {
    return new StoreSettings(purgeGrace, clockTolerance, owner, replacement);
  }
}
