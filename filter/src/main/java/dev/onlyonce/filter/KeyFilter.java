package dev.onlyonce.filter;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * A set of keys that remembers about two bytes of each: it answers "never put" or "maybe put".
 *
 * <p>A "no" is always right. A "maybe" is wrong for about {@link #promisedErrorRate()} of the keys
 * that were never put. So a "maybe" must be asked of something exact; whoever drops a message on a
 * "maybe" loses that part of the new messages. Of threads that put the same new key at the same
 * time, exactly one is told that it was new.
 *
 * <p>A key is hashed once, with {@link #hash}, and the hash can be handed to every filter of the
 * same {@link #seed()}. All methods with hashes expect hashes of that function, or 64 bits that are
 * as well mixed.
 *
 * <p>Thread-safe: any number of threads may put, look up, save and read figures together. Figures
 * are of a moment ago.
 */
public sealed interface KeyFilter permits BloomFilter, ScalableBloomFilter, RotatingBloomFilter {

  /** Begins a filter for so many different keys: of a fixed one, that is what it has room for. */
  static FilterBuilder forKeys(long keys) {
    return new FilterBuilder(keys);
  }

  /** Returns the hash of a key: XXH3 with this filter's seed. */
  long hash(byte[] key);

  /**
   * Puts a key by its hash and returns whether it was new, which means: certainly not put before.
   *
   * @throws OverFullException if the key is new and the filter cannot take more
   */
  boolean putHash(long hash);

  /** Returns false if no key with this hash was ever put. */
  boolean mightContainHash(long hash);

  /** Puts a key and returns whether it was new; see {@link #putHash}. */
  default boolean put(byte[] key) {
    return putHash(hash(key));
  }

  /** Returns false if this key was never put. */
  default boolean mightContain(byte[] key) {
    return mightContainHash(hash(key));
  }

  /**
   * Looks up many hashes and writes each answer at the place of its hash. This is the fastest way:
   * the processor waits for the memory of several keys at once.
   *
   * @throws IllegalArgumentException if there is less room for answers than there are hashes
   */
  default void mightContain(long[] hashes, boolean[] out) {
    FilterBuilder.checkRoom(hashes, out);
    for (int i = 0; i < hashes.length; i++) {
      out[i] = mightContainHash(hashes[i]);
    }
  }

  /**
   * Puts many hashes and returns how many of them were new.
   *
   * @throws OverFullException if one cannot be taken; those before it have been
   */
  default int putAll(long[] hashes) {
    return putAll(hashes, new boolean[hashes.length]);
  }

  /**
   * Puts many hashes, writes at the place of each whether it was new, and returns how many were.
   *
   * @throws IllegalArgumentException if there is less room for answers than there are hashes
   * @throws OverFullException if one cannot be taken; those before it have been, and have their
   *     answers, and the answers from it on are false
   */
  default int putAll(long[] hashes, boolean[] wasNew) {
    FilterBuilder.checkRoom(hashes, wasNew);
    Arrays.fill(wasNew, 0, hashes.length, false);
    int count = 0;
    for (int i = 0; i < hashes.length; i++) {
      wasNew[i] = putHash(hashes[i]);
      count += wasNew[i] ? 1 : 0;
    }
    return count;
  }

  /** Returns what {@link #hash} is seeded with. */
  long seed();

  /** Returns the part of never-put keys, from 0 to 1, that may be answered with "maybe". */
  double promisedErrorRate();

  /** Returns that part as it is now, estimated from how many bits are set. */
  double estimatedErrorRate();

  /** Returns the part of the bits, from 0 to 1, that is set. Full is about a half, not one. */
  double fill();

  /** Returns about how many different keys were put, estimated from how many bits are set. */
  long approximateCount();

  /** Returns how much memory is taken, in bytes. */
  long sizeInBytes();

  /**
   * Writes the filter, with checksums, in the format of docs/formats/filter.md. Keys that are put
   * meanwhile are in it or not. The stream is neither buffered nor closed by this method.
   */
  void save(OutputStream out) throws IOException;
}
