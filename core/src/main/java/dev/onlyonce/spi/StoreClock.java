package dev.onlyonce.spi;

/**
 * Tells the time by which a store decides, for whoever must know when its records end without
 * asking it each time.
 *
 * <p><b>Thread-safety.</b> Any number of threads. <b>Failure.</b> {@link StoreException}.
 */
public interface StoreClock {

  /** Returns the store's time, in milliseconds since the epoch. */
  long millis();
}
