package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.spi.StoreClock;
import dev.onlyonce.spi.Time;

/**
 * What the authority's clock shows, without asking it each time: it is read now and then, and goes
 * on by this process's monotonic clock. Safe for use by several threads.
 */
final class AuthorityClock {

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final StoreClock clock;
  private final Time time;
  private volatile Sample sample;

  /** A reading, and when it was asked for and answered. */
  private record Sample(long millis, long asked, long answered) {}

  /**
   * What the clock shows at a moment.
   *
   * @param earliest milliseconds that it shows at the least
   * @param latest milliseconds that it shows at the most
   */
  record Moment(long earliest, long latest) {}

  AuthorityClock(StoreClock clock, Time time) {
    this.clock = clock;
    this.time = time;
    this.sample = sample();
  }

  private Sample sample() {
    long asked = time.nanoTime();
    long millis = clock.millis();
    return new Sample(millis, asked, time.nanoTime());
  }

  /** Reads the clock anew. */
  void read() {
    sample = sample();
  }

  Moment now() {
    Sample last = sample;
    long now = time.nanoTime();
    return new Moment(
        last.millis + (now - last.answered) / NANOS_PER_MILLI,
        last.millis + 2 + (now - last.asked) / NANOS_PER_MILLI);
  }
}
