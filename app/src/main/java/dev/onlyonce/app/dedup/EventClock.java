package dev.onlyonce.app.dedup;

import dev.onlyonce.spi.Time;
import java.time.Instant;

/**
 * The time that the records themselves tell: the highest one seen so far. A store that goes by it
 * forgets keys as the stream goes on, however fast it is read. One thread at a time.
 */
public final class EventClock implements Time {

  private long startMillis;
  private long millis;

  /** Goes on where a run before has ended. */
  void startAt(long watermarkMillis) {
    startMillis = watermarkMillis;
    millis = watermarkMillis;
  }

  /** Takes a record's time into account. */
  void see(long recordMillis) {
    millis = Math.max(millis, recordMillis);
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis);
  }

  @Override
  public long millis() {
    return millis;
  }

  /** Returns how far the time has gone since the start: a store counts from its last moment on. */
  @Override
  public long nanoTime() {
    return (millis - startMillis) * 1_000_000;
  }
}
