package dev.onlyonce.filter;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that a test sets. */
final class ManualClock implements InstantSource {

  private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

  @Override
  public Instant instant() {
    return now;
  }

  void pass(Duration time) {
    now = now.plus(time);
  }
}
