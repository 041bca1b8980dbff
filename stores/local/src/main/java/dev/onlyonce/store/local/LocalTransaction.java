package dev.onlyonce.store.local;

import dev.onlyonce.spi.StoreException;
import dev.onlyonce.store.local.internal.LocalEngine;
import dev.onlyonce.store.local.internal.Transaction;

/**
 * Changes of a {@link LocalStore} that are made together, with {@link #commit()}, or not at all.
 *
 * <p>A note is a small named value that is kept beside the claims, for what must be exactly as far
 * as they are: the position in a file, for instance.
 *
 * <p><b>Thread-safety.</b> One thread: the one that began it and closes it.
 *
 * <p><b>Failure.</b> {@link StoreException}: FULL when the disk is full, UNAVAILABLE when it has
 * failed, REJECTED when there is too much for one transaction (64 MiB). All of the transaction is
 * undone then: it can only be closed, and refuses everything else with an {@link
 * IllegalStateException}.
 */
public final class LocalTransaction implements AutoCloseable {

  private final LocalEngine engine;
  private final Transaction transaction;

  LocalTransaction(LocalEngine engine) {
    this.engine = engine;
    this.transaction = engine.begin();
  }

  /** Returns the transaction if it is one of this store. */
  Transaction of(LocalEngine owner) {
    if (owner != engine) {
      throw new IllegalArgumentException("the transaction belongs to another store");
    }
    return transaction;
  }

  /** Leaves a note, in the place of the one of that name. */
  public void note(String name, byte[] value) {
    transaction.note(name, value);
  }

  /** Makes the changes: when this returns, they are as safe as the store's answers are. */
  public void commit() {
    transaction.commit();
  }

  /** Ends the transaction; what was not committed is undone. */
  @Override
  public void close() {
    transaction.close();
  }
}
