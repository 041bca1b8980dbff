package dev.onlyonce.app.claims;

import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.Limits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long keys are remembered that an operator has decided about. How long the program keeps them
 * is in no claimed record: a shorter time lets a late copy run what is done.
 */
public final class Retention {

  private final @Nullable Duration said;

  /**
   * @param said null if the operator has not said it
   */
  public Retention(@Nullable Duration said) {
    this.said = said;
  }

  /** As was said; else for 7 days, or as long as the record is kept that was settled before. */
  public Duration of(ClaimRecord record) {
    if (said != null) {
      return said;
    }
    Duration before = Duration.ofMillis(record.expiresAtMillis() - record.updatedAtMillis());
    boolean isLonger = record.state().isSettled() && before.compareTo(Limits.RETENTION) > 0;
    return isLonger ? before : Limits.RETENTION;
  }

  /** Tells whether nobody has said how long this is kept, nor the record. */
  public boolean isGuessed(Action action, ClaimRecord record) {
    return action == Action.COMPLETE && said == null && !record.state().isSettled();
  }

  /** Says what becomes of keys for which it is guessed. */
  public String warning(long now) {
    long end = now + Limits.millis(Limits.RETENTION);
    return "remembered until "
        + Moments.both(end, now)
        + ", and copies that come later run: --retention must be as long as the program keeps keys";
  }
}
