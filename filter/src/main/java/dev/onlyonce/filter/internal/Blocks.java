package dev.onlyonce.filter.internal;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bits of a split-block Bloom filter, and how many of them are set.
 *
 * <h2>Layout</h2>
 *
 * A block is eight lanes of 64 bits, which is one line of a processor's cache. The upper bits of a
 * key's hash choose the block (multiply-shift), and {@code 6 * 8} bits of the hash multiplied by an
 * odd number choose one bit in each lane; a second and a third bit are chosen by other numbers. So
 * a look-up waits for memory once. It has no branches: processors look up several keys of a batch
 * at once. Where the lanes lie is for {@link Memory} to say.
 *
 * <h2>Who is told "was new"</h2>
 *
 * Setting the missing bits one by one cannot say which of several threads brought the key: each may
 * have set one of the bits, and the last missing bit may even be set by another key. So the answer
 * is given under a lock, which all blocks with the same remainder share: the holder looks which of
 * the key's bits are missing and sets them; it brought the key if any was. Two threads with the
 * same key have the same block, so the same lock, so the second one finds all bits set: bits are
 * never cleared. And the first one finds one missing, unless other keys had set them all before,
 * which is what a false positive is. Hence among the threads that put a key that was absent,
 * exactly one is told that it was new. The lock also keeps writes to a lane from losing one
 * another's bits.
 *
 * <p>Before the lock, a look without it: if all bits are set, the answer can only stay "known".
 *
 * <h2>Look-ups beside puts</h2>
 *
 * Readers take no lock. They may see some bits of a put that is under way; that is a "no" or a
 * "maybe" of a put that did not return yet. Half of a lane's old and half of its new value is one
 * of the lane's possible values as well.
 */
public final class Blocks {

  private static final long FIRST = 0x9e3779b97f4a7c15L;
  private static final long[] MULTIPLIERS = {FIRST, 0xd1342543de82ef95L, 0xaf251af3b0f025b5L};
  private static final int MOST_LOCKS = 1024;
  private static final int BLOCKS_A_LOCK = 64;

  private final Geometry geometry;
  private final long twiceBlocks;
  private final int bitsPerLane;
  private final Lanes lanes;
  private final SpinLocks locks;
  private final AtomicLong counted = new AtomicLong();
  private final long fullAt;
  private final int tallyAtMost;

  /** Empty blocks that say they are full when so many bits are set, or a quarter percent more. */
  public Blocks(Geometry geometry, long fullAt, Memory memory) {
    this.geometry = geometry;
    this.fullAt = fullAt;
    twiceBlocks = 2L * geometry.blocks();
    bitsPerLane = geometry.bitsPerLane();
    lanes = memory.lanes(geometry.blocks());
    int wanted = Integer.highestOneBit(Math.max(1, geometry.blocks() / BLOCKS_A_LOCK));
    locks = new SpinLocks(Math.min(MOST_LOCKS, wanted));
    tallyAtMost = (int) Math.max(1, Math.min(1024, fullAt / (400L * locks.count())));
  }

  /** Returns the size and shape. */
  public Geometry geometry() {
    return geometry;
  }

  /** Returns whether all bits of this hash are set. */
  public boolean contains(long hash) {
    return holds(block(hash), hash);
  }

  /** Sets the bits of this hash and returns whether one was missing: see "was new" above. */
  public boolean add(long hash) {
    int block = block(hash);
    if (holds(block, hash)) {
      return false;
    }
    int lock = locks.lock(block);
    try {
      int missing = 0;
      for (int i = 0; i < bitsPerLane; i++) {
        missing += set(block, pattern(hash, i));
      }
      count(lock, missing);
      return missing > 0;
    } finally {
      locks.unlock(lock);
    }
  }

  /** Returns whether as many bits are set as were announced. */
  public boolean isFull() {
    return counted.get() >= fullAt;
  }

  /** Returns how many bits are set, of a moment ago if there are puts. */
  public long bitsSet() {
    return counted.get() + locks.tallies();
  }

  /** Returns the part of the bits that is set. */
  public double fill() {
    return (double) bitsSet() / geometry.bits();
  }

  /** Returns the error rate that so many set bits stand for. */
  public double errorRate() {
    return geometry.errorRate(bitsSet());
  }

  /** Returns about how many keys set so many bits. */
  public long keys() {
    return geometry.keys(bitsSet());
  }

  /** Returns the bytes of the bits and of the locks. */
  public long bytes() {
    return geometry.bytes() + 64L * locks.count();
  }

  /** Returns how many bits these blocks and others of the same geometry have together. */
  public long bitsSetWith(Blocks other) {
    long bits = 0;
    for (int block = 0; block < geometry.blocks(); block++) {
      for (int i = 0; i < ErrorModel.LANES; i++) {
        bits += Long.bitCount(lanes.get(block, i) | other.lanes.get(block, i));
      }
    }
    return bits;
  }

  /** Sets all bits that are set in others of the same geometry. */
  public void addAll(Blocks other) {
    for (int block = 0; block < geometry.blocks(); block++) {
      int lock = locks.lock(block);
      try {
        int missing = 0;
        for (int i = 0; i < ErrorModel.LANES; i++) {
          missing += or(block, i, other.lanes.get(block, i));
        }
        count(lock, missing);
      } finally {
        locks.unlock(lock);
      }
    }
  }

  /** Takes lanes one after the other. */
  public interface Sink {
    /** Takes the next one. */
    void accept(long lane) throws IOException;
  }

  /** Gives lanes one after the other. */
  public interface Source {
    /** Gives the next one. */
    long next() throws IOException;
  }

  /** Hands over all lanes in their order, of a moment ago if there are puts. */
  public void copyTo(Sink sink) throws IOException {
    for (int block = 0; block < geometry.blocks(); block++) {
      for (int i = 0; i < ErrorModel.LANES; i++) {
        sink.accept(lanes.get(block, i));
      }
    }
  }

  /** Fills blocks that are empty and that no other thread knows yet. */
  public void copyFrom(Source source) throws IOException {
    long bits = 0;
    for (int block = 0; block < geometry.blocks(); block++) {
      for (int i = 0; i < ErrorModel.LANES; i++) {
        long lane = source.next();
        lanes.set(block, i, lane);
        bits += Long.bitCount(lane);
      }
    }
    counted.set(bits);
  }

  private int block(long hash) {
    return (int) Math.multiplyHigh(hash >>> 1, twiceBlocks);
  }

  /** Returns a number whose lower 48 bits are the places of bits in the eight lanes. */
  private static long pattern(long hash, int number) {
    return (hash * MULTIPLIERS[number]) >>> 16;
  }

  private boolean holds(int block, long hash) {
    long hit = lanes.hits(block, (hash * FIRST) >>> 16);
    for (int i = 1; i < bitsPerLane; i++) {
      hit &= lanes.hits(block, pattern(hash, i));
    }
    return (hit & 1) != 0;
  }

  private int set(int block, long pattern) {
    int missing = 0;
    for (int i = 0; i < ErrorModel.LANES; i++) {
      missing += or(block, i, 1L << (pattern >>> (6 * i)));
    }
    return missing;
  }

  /** With the lock held. */
  private int or(int block, int lane, long bits) {
    long before = lanes.get(block, lane);
    long missing = bits & ~before;
    if (missing == 0) {
      return 0;
    }
    lanes.set(block, lane, before | missing);
    return Long.bitCount(missing);
  }

  private void count(int lock, int bits) {
    int due = locks.tally(lock, bits, tallyAtMost);
    if (due > 0) {
      counted.getAndAdd(due);
    }
  }
}
