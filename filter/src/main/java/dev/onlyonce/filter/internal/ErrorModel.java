package dev.onlyonce.filter.internal;

/**
 * The error rate of a split-block filter, computed instead of approximated.
 *
 * <p>A key belongs to one block of eight lanes of 64 bits and throws {@code bitsPerLane} bits into
 * each lane. How many keys a block has got, its load, follows a Poisson distribution; the classical
 * formula of Bloom filters takes the mean for all blocks and so promises too much. Here, the error
 * of a block with n keys is the eighth power of the chance that a stranger's bits of one lane are
 * all set; the error of the filter is the mean of that over the distribution.
 *
 * <p>All of {@link StrictMath}: two machines that ask for the same get the same geometry.
 *
 * <p>Source: Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters" (2007); the
 * split into lanes is that of Impala and Parquet.
 */
public final class ErrorModel {

  static final int LANES = 8;
  static final int LANE_BITS = 64;
  static final int MOST_BITS_PER_LANE = 3;

  private static final double LARGEST_LOAD = 600;

  private ErrorModel() {}

  /** Returns the chance that a stranger is taken for known, at a mean load in keys a block. */
  public static double errorRate(double load, int bitsPerLane) {
    double[] empty = {1, 1, 1};
    double[] ofOneKey = {
      staysEmpty(1, bitsPerLane), staysEmpty(2, bitsPerLane), staysEmpty(3, bitsPerLane)
    };
    double rate = 0;
    double chance = StrictMath.exp(-load);
    double most = load + 12 * StrictMath.sqrt(load) + 40;
    for (int keys = 0; keys < most; keys++) {
      double hit = laneHit(empty, bitsPerLane);
      double hit4 = hit * hit * hit * hit;
      rate += chance * hit4 * hit4;
      chance *= load / (keys + 1);
      for (int i = 0; i < empty.length; i++) {
        empty[i] *= ofOneKey[i];
      }
    }
    return Math.min(1, rate);
  }

  /** Returns the mean load, in keys a block, at which the error rate is this. */
  public static double loadFor(double errorRate, int bitsPerLane) {
    double low = 0;
    double high = LARGEST_LOAD;
    for (int step = 0; step < 60; step++) {
      double middle = (low + high) / 2;
      if (errorRate(middle, bitsPerLane) > errorRate) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return low;
  }

  /** Returns the part of the bits that is set at a mean load. */
  public static double fillAt(double load, int bitsPerLane) {
    return -StrictMath.expm1(-load * oneKeySets(bitsPerLane));
  }

  /** Returns the mean load, in keys a block, that sets this part of the bits. */
  public static double loadAt(double fill, int bitsPerLane) {
    double notQuiteAll = Math.min(fill, 1 - 1e-12);
    return Math.min(LARGEST_LOAD, -StrictMath.log1p(-notQuiteAll) / oneKeySets(bitsPerLane));
  }

  /** The chance that one key sets a certain bit. */
  private static double oneKeySets(int bitsPerLane) {
    return 1 - staysEmpty(1, bitsPerLane);
  }

  /** The chance that so many certain bits of a lane all stay empty when one key is put. */
  private static double staysEmpty(int certainBits, int bitsPerLane) {
    return StrictMath.pow((LANE_BITS - certainBits) / (double) LANE_BITS, bitsPerLane);
  }

  /**
   * The chance that a stranger's throws into a lane all hit, by inclusion and exclusion: they may
   * coincide, and then they hit less than {@code bits} different bits.
   *
   * @param empty the chances that one, two, three certain bits are all empty
   */
  private static double laneHit(double[] empty, int bits) {
    double one = 1 - empty[0];
    if (bits == 1) {
      return one;
    }
    double two = 1 - 2 * empty[0] + empty[1];
    if (bits == 2) {
      return (63 * two + one) / 64;
    }
    double three = 1 - 3 * empty[0] + 3 * empty[1] - empty[2];
    return Math.max(0, (63 * 62 * three + 3 * 63 * two + one) / (64 * 64));
  }
}
