package dev.onlyonce.app.store;

import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimStore;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A store that a command changes. It is closed with its claims.
 *
 * @param claims its verbs
 * @param reader its records
 * @param clock its time, milliseconds since the epoch
 * @param closing lets it go
 * @param afterUse what there is to say of it when it has been used
 */
public record OpenStore(
    ClaimStore claims,
    ClaimReader reader,
    LongSupplier clock,
    Runnable closing,
    Supplier<List<Finding>> afterUse)
    implements AutoCloseable {

  /** A store of which there is nothing to say. */
  OpenStore(ClaimStore claims, ClaimReader reader, LongSupplier clock, Runnable closing) {
    this(claims, reader, clock, closing, List::of);
  }

  /** Returns the store's time, milliseconds since the epoch. */
  public long millis() {
    return clock.getAsLong();
  }

  @Override
  public void close() {
    closing.run();
  }
}
