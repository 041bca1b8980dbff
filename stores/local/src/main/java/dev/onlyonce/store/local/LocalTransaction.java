package dev.onlyonce.store.local;

import dev.onlyonce.Claim;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.store.local.internal.LocalEngine;
import java.util.List;

/**
 * Changes of a {@link LocalStore} that are made together, with {@link #commit()}, or not at all.
 *
 * <p>A note is a small named value that is kept beside the claims, for what must be exactly as far
 * as they are: the position in a file, for instance.
 *
 * <p><b>Thread-safety.</b> One thread: the one that began it and closes it.
 *
 * <p><b>Failure.</b> {@link StoreException}: FULL when the disk is full, UNAVAILABLE when it has
 * failed, REJECTED when there is too much for one transaction (64 MiB). Nothing has changed then.
 */
public final class LocalTransaction implements AutoCloseable {

  private final LocalEngine engine;
  private boolean ended;

  LocalTransaction(LocalEngine engine) {
    this.engine = engine;
    engine.beginTransaction();
  }

  private void requireOpen(LocalEngine owner) {
    if (owner != engine) {
      throw new IllegalArgumentException("the transaction belongs to another store");
    }
    if (ended) {
      throw new IllegalStateException("the transaction has ended");
    }
  }

  List<Answer> claim(LocalEngine owner, List<ClaimRequest> batch) {
    requireOpen(owner);
    return engine.claimInTransaction(batch);
  }

  List<Held> settle(LocalEngine owner, List<? extends Settlement> batch) {
    requireOpen(owner);
    return engine.settleInTransaction(batch);
  }

  boolean holds(LocalEngine owner, Claim claim) {
    requireOpen(owner);
    return engine.holdsInTransaction(claim);
  }

  /** Leaves a note, in the place of the one of that name. */
  public void note(String name, byte[] value) {
    requireOpen(engine);
    engine.noteInTransaction(name, value);
  }

  /** Makes the changes: when this returns, they are as safe as the store's answers are. */
  public void commit() {
    requireOpen(engine);
    ended = true;
    engine.commitTransaction();
  }

  /** Ends the transaction; what was not committed is undone. */
  @Override
  public void close() {
    if (!ended) {
      ended = true;
      engine.rollbackTransaction();
    }
  }
}
