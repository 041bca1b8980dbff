package dev.onlyonce.app.store;

import java.util.function.LongSupplier;

/** Compares clocks, which are read one after the other. */
public final class Clocks {

  private Clocks() {}

  /**
   * Returns how many milliseconds a clock is ahead of this one, at the least; negative if it is
   * behind, and 0 if it shows what it may.
   */
  public static long ahead(LongSupplier there, LongSupplier here) {
    long before = here.getAsLong();
    long shown = there.getAsLong();
    long after = here.getAsLong();
    return shown < before ? shown - before : Math.max(0, shown - after);
  }
}
