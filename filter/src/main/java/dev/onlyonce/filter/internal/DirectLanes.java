package dev.onlyonce.filter.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Lanes in direct buffers, in slices of a GiB, since a buffer ends before two. A block is a line of
 * the processor's cache. The buffers are given back when the collector finds that nobody has them.
 */
final class DirectLanes extends Lanes {

  static final int BLOCKS_A_SLICE = 1 << 24;

  private static final VarHandle LANES =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer[] slices;
  private final int shift;
  private final int mask;

  /** {@code blocksOfSlice} is a power of two. */
  DirectLanes(int blocks, int blocksOfSlice) {
    shift = Integer.numberOfTrailingZeros(blocksOfSlice);
    mask = blocksOfSlice - 1;
    slices = new ByteBuffer[((blocks - 1) >>> shift) + 1];
    for (int i = 0; i < slices.length; i++) {
      slices[i] = lines(Math.min(blocksOfSlice, blocks - (i << shift)));
    }
  }

  private static ByteBuffer lines(int count) {
    return ByteBuffer.allocateDirect((count + 1) * Geometry.BLOCK_BYTES)
        .alignedSlice(Geometry.BLOCK_BYTES);
  }

  @Override
  long hits(int block, long pattern) {
    ByteBuffer slice = slices[block >>> shift];
    int at = (block & mask) * Geometry.BLOCK_BYTES;
    return (long) LANES.getAcquire(slice, at) >>> pattern
        & (long) LANES.get(slice, at + 8) >>> (pattern >>> 6)
        & (long) LANES.get(slice, at + 16) >>> (pattern >>> 12)
        & (long) LANES.get(slice, at + 24) >>> (pattern >>> 18)
        & (long) LANES.get(slice, at + 32) >>> (pattern >>> 24)
        & (long) LANES.get(slice, at + 40) >>> (pattern >>> 30)
        & (long) LANES.get(slice, at + 48) >>> (pattern >>> 36)
        & (long) LANES.get(slice, at + 56) >>> (pattern >>> 42);
  }

  @Override
  long get(int block, int lane) {
    return (long) LANES.getOpaque(slices[block >>> shift], at(block, lane));
  }

  @Override
  void set(int block, int lane, long bits) {
    LANES.setRelease(slices[block >>> shift], at(block, lane), bits);
  }

  private int at(int block, int lane) {
    return (block & mask) * Geometry.BLOCK_BYTES + lane * Long.BYTES;
  }
}
