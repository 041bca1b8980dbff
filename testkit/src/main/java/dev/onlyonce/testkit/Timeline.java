package dev.onlyonce.testkit;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * A scenario's time, in units from its start. What must not happen on a machine that is slow for a
 * moment, an answer that is asked for in time and comes too late, ends the scenario with {@link
 * Late}, and it is played again.
 */
final class Timeline {

  /** The machine was too slow for the scenario to say anything. */
  static final class Late extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Late(double units) {
      super("not done within " + units + " units");
    }
  }

  private final Lab lab;
  private long begun;
  private long started;

  Timeline(Lab lab) {
    this.lab = lab;
    this.begun = lab.nanoTime();
    this.started = begun;
  }

  /** Does what the scenario starts with; time is counted from here on. */
  <T> T start(Supplier<T> first) {
    begun = lab.nanoTime();
    T value = first.get();
    started = lab.nanoTime();
    return value;
  }

  /** Lets time pass until so many units after the start. */
  Timeline at(double units) {
    long left = lab.units(units).toNanos() - (lab.nanoTime() - started);
    if (left > 0) {
      lab.fixture().pass(Duration.ofNanos(left));
    }
    return this;
  }

  /** Does something that means something only if it is done before so many units are over. */
  <T> T within(double units, Supplier<T> call) {
    T value = call.get();
    if (lab.nanoTime() - begun >= lab.units(units).toNanos()) {
      throw new Late(units);
    }
    return value;
  }
}
