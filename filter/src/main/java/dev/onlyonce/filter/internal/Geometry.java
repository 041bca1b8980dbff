package dev.onlyonce.filter.internal;

/**
 * How large a set of blocks is and how many bits a key sets in each of a block's eight lanes.
 *
 * @param blocks of 64 bytes
 * @param bitsPerLane 1 to 3; more than one pays below an error rate of about 0.02 %
 */
public record Geometry(int blocks, int bitsPerLane) {

  /** Just under 16 GiB: what a {@code long[]} holds, and enough off the heap too. */
  public static final int MOST_BLOCKS = (1 << 28) - 2;

  static final int BLOCK_BYTES = 64;
  private static final int BLOCK_BITS = 512;

  /** Checks. */
  public Geometry {
    if (blocks < 1 || blocks > MOST_BLOCKS) {
      throw new IllegalArgumentException(
          "blocks must be 1 to %d, were %d".formatted(MOST_BLOCKS, blocks));
    }
    if (bitsPerLane < 1 || bitsPerLane > ErrorModel.MOST_BITS_PER_LANE) {
      throw new IllegalArgumentException(
          "bits a lane must be 1 to %d, were %d"
              .formatted(ErrorModel.MOST_BITS_PER_LANE, bitsPerLane));
    }
  }

  /** Returns whether there can be a geometry with these numbers. */
  public static boolean isPossible(int blocks, int bitsPerLane) {
    return blocks >= 1
        && blocks <= MOST_BLOCKS
        && bitsPerLane >= 1
        && bitsPerLane <= ErrorModel.MOST_BITS_PER_LANE;
  }

  /** Returns the smallest geometry that has at most this error rate with so many keys. */
  public static Geometry of(long keys, double errorRate) {
    double fewest = Double.MAX_VALUE;
    int best = 0;
    for (int bits = 1; bits <= ErrorModel.MOST_BITS_PER_LANE; bits++) {
      double blocks = Math.ceil(keys / ErrorModel.loadFor(errorRate, bits));
      if (blocks < fewest) {
        fewest = blocks;
        best = bits;
      }
    }
    if (fewest > MOST_BLOCKS) {
      throw new IllegalArgumentException(
          "keys must be at most %d at the error rate %s, were %d"
              .formatted(mostKeys(errorRate), errorRate, keys));
    }
    return new Geometry((int) fewest, best);
  }

  /** Returns how many keys the largest geometry takes at this error rate. */
  public static long mostKeys(double errorRate) {
    double load = 0;
    for (int bits = 1; bits <= ErrorModel.MOST_BITS_PER_LANE; bits++) {
      load = Math.max(load, ErrorModel.loadFor(errorRate, bits));
    }
    return (long) (load * MOST_BLOCKS);
  }

  /** Returns how many bits are set on average when the error rate is this. */
  public long bitsSetAt(double errorRate) {
    double load = ErrorModel.loadFor(errorRate, bitsPerLane);
    return (long) (ErrorModel.fillAt(load, bitsPerLane) * bits());
  }

  /** Returns how many bits there are. */
  public long bits() {
    return (long) blocks * BLOCK_BITS;
  }

  /** Returns how many bytes they take. */
  public long bytes() {
    return (long) blocks * BLOCK_BYTES;
  }

  /** Returns the error rate that so many set bits stand for. */
  public double errorRate(long bitsSet) {
    return ErrorModel.errorRate(load(bitsSet), bitsPerLane);
  }

  /** Returns about how many keys set so many bits. */
  public long keys(long bitsSet) {
    return Math.round(load(bitsSet) * blocks);
  }

  private double load(long bitsSet) {
    return ErrorModel.loadAt((double) bitsSet / bits(), bitsPerLane);
  }
}
