package dev.onlyonce.filter.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lanes in an array. The first block is where large arrays of today's JVMs have the beginning of a
 * line of the processor's cache; if that is wrong, a block lies on two lines and nothing else
 * happens.
 */
final class HeapLanes extends Lanes {

  private static final VarHandle LANES = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int LEAD = 6;

  private final long[] lanes;

  HeapLanes(int blocks) {
    lanes = new long[LEAD + blocks * ErrorModel.LANES];
  }

  @Override
  long hits(int block, long pattern) {
    long[] all = lanes;
    int first = LEAD + ErrorModel.LANES * block;
    return (long) LANES.getAcquire(all, first) >>> pattern
        & all[first + 1] >>> (pattern >>> 6)
        & all[first + 2] >>> (pattern >>> 12)
        & all[first + 3] >>> (pattern >>> 18)
        & all[first + 4] >>> (pattern >>> 24)
        & all[first + 5] >>> (pattern >>> 30)
        & all[first + 6] >>> (pattern >>> 36)
        & all[first + 7] >>> (pattern >>> 42);
  }

  @Override
  long get(int block, int lane) {
    return (long) LANES.getOpaque(lanes, LEAD + ErrorModel.LANES * block + lane);
  }

  @Override
  void set(int block, int lane, long bits) {
    LANES.setRelease(lanes, LEAD + ErrorModel.LANES * block + lane, bits);
  }
}
