package dev.onlyonce.spi;

import java.time.Instant;
import java.time.InstantSource;

/** The clocks of this machine. */
enum SystemTime implements Time {
  INSTANCE;

  private static final InstantSource WALL = InstantSource.system();

  @Override
  public Instant instant() {
    return WALL.instant();
  }

  @Override
  public long millis() {
    return WALL.millis();
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }
}
