package dev.onlyonce.store.local.internal;

import dev.onlyonce.spi.Time;
import java.time.Duration;

/**
 * The time of a local store: the wall clock as it was when the store was opened, and from there on
 * the monotonic clock. So a wall clock that is set back or on changes nothing while the store is
 * open. Not safe for use by several threads at once.
 *
 * <h2>Between runs</h2>
 *
 * <p>How much time has passed since the store was closed, only the wall clock tells. If it is
 * behind the store's last record, the time goes on from that record. If it is more than an hour
 * ahead, the store was closed for long, or the clock is wrong: the time goes on from the last
 * record too, so that nothing is forgotten, and follows the wall clock when that has been steady
 * for ten minutes, or at once if the user says that it is right.
 */
final class StoreClock {

  private static final long JUMP_MICROS = micros(Duration.ofHours(1));
  private static final long PROBATION_MICROS = micros(Duration.ofMinutes(10));
  private static final long STEADY_MICROS = micros(Duration.ofSeconds(2));

  private final Time time;

  /** The two moments from which the monotonic clock counts. */
  private long baseNanos;

  private long baseMicros;
  private boolean onProbation;
  private long steadySinceNanos;
  private long steadySinceWallMicros;

  /**
   * @param lastMicros the time of the store's last record, 0 if there is none
   * @param trusts whether the user says that the wall clock is right
   */
  StoreClock(Time time, long lastMicros, boolean trusts) {
    this.time = time;
    this.baseNanos = time.nanoTime();
    long wall = wallMicros();
    this.onProbation = !trusts && lastMicros != 0 && wall - lastMicros > JUMP_MICROS;
    this.baseMicros = onProbation ? lastMicros : Math.max(wall, lastMicros);
    this.steadySinceNanos = baseNanos;
    this.steadySinceWallMicros = wall;
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  private long wallMicros() {
    return Math.multiplyExact(time.millis(), 1_000L);
  }

  /** Returns the time, microseconds since the epoch; never less than before. */
  long micros() {
    long nanos = time.nanoTime();
    if (onProbation) {
      watch(nanos);
    }
    return baseMicros + (nanos - baseNanos) / 1_000;
  }

  /** Returns the time, milliseconds since the epoch. */
  long millis() {
    return micros() / 1_000;
  }

  private void watch(long nanos) {
    long wall = wallMicros();
    long passed = (nanos - steadySinceNanos) / 1_000;
    if (Math.abs(wall - steadySinceWallMicros - passed) > STEADY_MICROS) {
      steadySinceNanos = nanos;
      steadySinceWallMicros = wall;
    } else if (passed >= PROBATION_MICROS) {
      onProbation = false;
      baseMicros = Math.max(wall, baseMicros + (nanos - baseNanos) / 1_000);
      baseNanos = nanos;
    }
  }
}
