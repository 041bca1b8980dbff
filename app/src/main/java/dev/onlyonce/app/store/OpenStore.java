package dev.onlyonce.app.store;

import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimStore;
import java.util.function.LongSupplier;

/**
 * A store that a command changes. It is closed with its claims.
 *
 * @param claims its verbs
 * @param reader its records
 * @param clock its time, milliseconds since the epoch
 * @param closing lets it go
 */
public record OpenStore(ClaimStore claims, ClaimReader reader, LongSupplier clock, Runnable closing)
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
