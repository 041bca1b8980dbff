package dev.onlyonce.filter;

import com.dynatrace.hash4j.hashing.Hasher64;
import dev.onlyonce.filter.internal.Blocks;
import dev.onlyonce.filter.internal.Geometry;
import dev.onlyonce.filter.internal.Memory;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * A filter of fixed size: a split-block Bloom filter.
 *
 * <p>It keeps its promise up to the number of keys that it was made for. When its estimated error
 * rate reaches twice the promise, it refuses new keys, unless it was told to accept them.
 *
 * <p>Thread-safe; see {@link KeyFilter}.
 */
public final class BloomFilter implements KeyFilter {

  private static final int CHUNK = 64;

  private final Hasher64 hasher;
  private final Terms terms;
  private final WhenOverFull whenOverFull;
  private final Blocks blocks;

  BloomFilter(Terms terms, WhenOverFull whenOverFull) {
    this(terms, whenOverFull, empty(terms));
  }

  private BloomFilter(Terms terms, WhenOverFull whenOverFull, Blocks blocks) {
    this.terms = terms;
    this.whenOverFull = whenOverFull;
    this.blocks = blocks;
    hasher = terms.hasher();
  }

  private static Blocks empty(Terms terms) {
    Geometry geometry = Geometry.of(terms.keys(), terms.errorRate());
    return new Blocks(geometry, fullAt(terms, geometry), terms.memory());
  }

  private static long fullAt(Terms terms, Geometry geometry) {
    return geometry.bitsSetAt(2 * terms.errorRate());
  }

  /**
   * Reads what {@link #save} wrote, and not a byte more.
   *
   * @throws FilterFormatException if it is not that
   */
  public static BloomFilter load(InputStream in) throws IOException {
    return load(in, Memory.HEAP);
  }

  /** Does what {@link #load} does, and keeps the bits off the heap. */
  public static BloomFilter loadOffHeap(InputStream in) throws IOException {
    return load(in, Memory.OFF_HEAP);
  }

  private static BloomFilter load(InputStream in, Memory memory) throws IOException {
    FilterReader reader = new FilterReader(in, FilterKind.FIXED, memory);
    FilterReader.SliceHead head = reader.slice();
    FilterReader.check(head.left() == 0);
    return new BloomFilter(
        reader.terms(),
        reader.header().more() == 0 ? WhenOverFull.REFUSE : WhenOverFull.ACCEPT,
        reader.blocks(head.geometry(), fullAt(reader.terms(), head.geometry())));
  }

  @Override
  public void save(OutputStream out) throws IOException {
    int more = whenOverFull == WhenOverFull.REFUSE ? 0 : 1;
    FilterWriter writer =
        new FilterWriter(out, new FilterHeader(FilterKind.FIXED, terms, more, 0, 1));
    writer.slice(0, 0, blocks);
  }

  @Override
  public long hash(byte[] key) {
    return hasher.hashBytesToLong(key);
  }

  @Override
  public boolean putHash(long hash) {
    if (blocks.contains(hash)) {
      return false;
    }
    return putMissing(hash);
  }

  private boolean putMissing(long hash) {
    if (whenOverFull == WhenOverFull.REFUSE && blocks.isFull() && !blocks.contains(hash)) {
      throw overFull(estimatedErrorRate(), approximateCount());
    }
    return blocks.add(hash);
  }

  @Override
  public boolean mightContainHash(long hash) {
    return blocks.contains(hash);
  }

  @Override
  public void mightContain(long[] hashes, boolean[] out) {
    FilterBuilder.checkRoom(hashes, out);
    for (int i = 0; i < hashes.length; i++) {
      out[i] = blocks.contains(hashes[i]);
    }
  }

  /** Looks a chunk up first, so that its memory is waited for at once, and then puts the rest. */
  @Override
  public int putAll(long[] hashes, boolean[] wasNew) {
    FilterBuilder.checkRoom(hashes, wasNew);
    int count = 0;
    for (int from = 0; from < hashes.length; from += CHUNK) {
      int to = Math.min(hashes.length, from + CHUNK);
      for (int i = from; i < to; i++) {
        wasNew[i] = !blocks.contains(hashes[i]);
      }
      count += putMissing(hashes, wasNew, from, to);
    }
    return count;
  }

  private int putMissing(long[] hashes, boolean[] wasNew, int from, int to) {
    int count = 0;
    int next = from;
    try {
      for (; next < to; next++) {
        wasNew[next] = wasNew[next] && putMissing(hashes[next]);
        count += wasNew[next] ? 1 : 0;
      }
    } finally {
      if (next < to) {
        Arrays.fill(wasNew, next, hashes.length, false);
      }
    }
    return count;
  }

  /**
   * Takes in all keys of another filter with the same seed and of the same size, which need not
   * promise the same. (Scalable and rotating filters cannot do this, see docs/guides/filter.md.)
   *
   * @throws IllegalArgumentException if the seed or the size differ
   * @throws OverFullException if together they would be over-full; then nothing was taken in
   */
  public void union(BloomFilter other) {
    if (other.seed() != seed()) {
      throw new IllegalArgumentException("the seeds of both filters must be the same; set one");
    }
    Geometry geometry = blocks.geometry();
    if (!other.blocks.geometry().equals(geometry)) {
      throw new IllegalArgumentException(
          "both filters must have the same size, were %s and %s"
              .formatted(geometry, other.blocks.geometry()));
    }
    if (whenOverFull == WhenOverFull.REFUSE) {
      long bits = blocks.bitsSetWith(other.blocks);
      if (bits > fullAt(terms, geometry)) {
        throw overFull(geometry.errorRate(bits), geometry.keys(bits));
      }
    }
    blocks.addAll(other.blocks);
  }

  private OverFullException overFull(double estimated, long count) {
    return new OverFullException(
        "the filter is over-full: made for %d keys at an error rate of %s, %d keys would make it %.3g"
            .formatted(terms.keys(), terms.errorRate(), count, estimated));
  }

  @Override
  public long seed() {
    return terms.seed();
  }

  @Override
  public double promisedErrorRate() {
    return terms.errorRate();
  }

  @Override
  public double estimatedErrorRate() {
    return blocks.errorRate();
  }

  @Override
  public double fill() {
    return blocks.fill();
  }

  @Override
  public long approximateCount() {
    return blocks.keys();
  }

  @Override
  public long sizeInBytes() {
    return blocks.bytes();
  }
}
