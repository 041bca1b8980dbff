package dev.onlyonce.app.store;

import dev.onlyonce.spi.ClaimReader;
import java.util.function.LongSupplier;

/**
 * A store that a command looks at.
 *
 * @param claims its records
 * @param clock its time, milliseconds since the epoch
 * @param closing lets it go
 */
public record OpenReader(ClaimReader claims, LongSupplier clock, Runnable closing)
    implements AutoCloseable {

  /** Returns the store's time, milliseconds since the epoch. */
  public long millis() {
    return clock.getAsLong();
  }

  @Override
  public void close() {
    closing.run();
  }
}
