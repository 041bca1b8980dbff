package dev.onlyonce;

import java.time.Duration;
import java.util.Optional;

/**
 * One attempt at a key, as its handler sees it.
 *
 * <p>Where there is no lease that could be lost, in modes at-least-once and at-most-once, the claim
 * counts as held, and checkpoints are not saved.
 *
 * <p>Safe for use by several threads until the handler has returned.
 */
public interface Attempt {

  /**
   * Returns the claim under which the handler runs, for a fence in a transaction of its own: {@link
   * dev.onlyonce.spi.TransactionalStore#holds}.
   */
  Claim claim();

  /** Returns the scope of the key. */
  Scope scope();

  /** Returns the key. */
  Key key();

  /**
   * Returns the fencing token: pass it on to what the handler changes, and let that refuse a
   * smaller token than it has seen. Zero where nothing is claimed, in mode at-least-once.
   */
  long token();

  /** Returns which attempt this is, from 1. */
  int number();

  /**
   * Tells whether the claim is still sure to be held: its lease, seen from here, is not over and
   * nobody is known to have overtaken. When it turns false, stop; what was done may be done again.
   */
  boolean stillHeld();

  /**
   * Makes the lease last this long from now on, at once; at most 24 hours.
   *
   * @return whether the claim was still held
   * @throws dev.onlyonce.spi.StoreException if the store cannot be asked
   */
  boolean extend(Duration lease);

  /** Returns what an earlier attempt saved, if one did. Not to be changed. */
  Optional<byte[]> checkpoint();

  /**
   * Saves where the handler has got to, for the next attempt if this one does not end well; also
   * renews the lease.
   *
   * @param state at most {@link dev.onlyonce.spi.Limits#CHECKPOINT_BYTES} bytes
   * @return whether the claim was still held; if not, nothing was saved
   * @throws dev.onlyonce.spi.StoreException if the store cannot be asked
   */
  boolean saveCheckpoint(byte[] state);
}
