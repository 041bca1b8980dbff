package dev.onlyonce.filter.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Many small locks in an array, each on a cache line of its own and with a tally beside it. They
 * are for sections of nanoseconds that neither allocate nor wait; not reentrant, not fair. Who
 * waits spins, and soon yields, so that a holder that lost its processor gets it back.
 *
 * <p>Thread-safe.
 */
public final class SpinLocks {

  private static final VarHandle CELLS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int CELL = 8;
  private static final int SPINS = 64;

  private final long[] cells;
  private final int mask;

  /** {@code count} is a power of two. */
  public SpinLocks(int count) {
    cells = new long[count * CELL];
    mask = count - 1;
  }

  int count() {
    return mask + 1;
  }

  /** Takes the lock that this number falls on, and returns what {@link #unlock} wants. */
  // Yielding makes nothing right here, it only lets the holder finish sooner.
  @SuppressWarnings("ThreadPriorityCheck")
  public int lock(int number) {
    int cell = (number & mask) * CELL;
    for (int spins = 0; !CELLS.compareAndSet(cells, cell, 0L, 1L); spins++) {
      if (spins < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
    return cell;
  }

  /** Gives the lock back. */
  public void unlock(int cell) {
    CELLS.setRelease(cells, cell, 0L);
  }

  /** Adds to the tally of a lock that is held; at {@code most} it starts again and is returned. */
  int tally(int cell, int more, int most) {
    long tally = cells[cell + 1] + more;
    if (tally < most) {
      CELLS.setOpaque(cells, cell + 1, tally);
      return 0;
    }
    CELLS.setOpaque(cells, cell + 1, 0L);
    return (int) tally;
  }

  /** Returns the sum of the tallies, of a moment ago. */
  long tallies() {
    long sum = 0;
    for (int cell = 1; cell < cells.length; cell += CELL) {
      sum += (long) CELLS.getOpaque(cells, cell);
    }
    return sum;
  }
}
