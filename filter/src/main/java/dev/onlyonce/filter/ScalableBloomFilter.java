package dev.onlyonce.filter;

import com.dynatrace.hash4j.hashing.Hasher64;
import dev.onlyonce.filter.internal.Blocks;
import dev.onlyonce.filter.internal.Geometry;
import dev.onlyonce.filter.internal.Memory;
import dev.onlyonce.filter.internal.SpinLocks;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A filter that grows by slices and keeps its promise while it grows.
 *
 * <p>Each slice has room for twice the keys of the one before it. The n-th slice may err for the
 * promise times {@code 6 / (pi * n)^2}; these parts add up to less than the promise, however many
 * slices there are. (A geometric series, as in the paper, tightens faster than the keys need.) A
 * look-up asks all slices, a put adds to the newest. So a fixed filter is smaller and faster for a
 * number of keys that is known.
 *
 * <p>The put that finds the newest slice full makes the next one, and allocates it; others wait.
 *
 * <p>Exactly one of several threads is told that a key is new, also while the filter grows: puts of
 * the same hash exclude one another by a lock, under which all slices are looked at and the newest
 * gets the key. Whoever gets the lock later sees the same slices or more, and all bits of the one
 * before.
 *
 * <p>Thread-safe; see {@link KeyFilter}.
 *
 * <p>Source: Almeida, Baquero, Preguiça, Hutchison, "Scalable Bloom Filters" (2007).
 */
public final class ScalableBloomFilter implements KeyFilter {

  /** The most slices; with the 32nd, a filter has grown to four thousand million times its size. */
  public static final int MAX_SLICES = 32;

  private static final int LOCKS = 1024;

  private final Hasher64 hasher;
  private final Terms terms;
  private final ReentrantLock growing = new ReentrantLock();
  private final SpinLocks locks = new SpinLocks(LOCKS);
  private volatile Blocks[] slices;

  ScalableBloomFilter(Terms terms) {
    this(terms, new Blocks[] {slice(terms, 0)});
  }

  private ScalableBloomFilter(Terms terms, Blocks[] slices) {
    this.terms = terms;
    this.slices = slices;
    hasher = terms.hasher();
  }

  /**
   * Reads what {@link #save} wrote, and not a byte more.
   *
   * @throws FilterFormatException if it is not that
   */
  public static ScalableBloomFilter load(InputStream in) throws IOException {
    return load(in, Memory.HEAP);
  }

  /** Does what {@link #load} does, and keeps the bits off the heap, also those to come. */
  public static ScalableBloomFilter loadOffHeap(InputStream in) throws IOException {
    return load(in, Memory.OFF_HEAP);
  }

  private static ScalableBloomFilter load(InputStream in, Memory memory) throws IOException {
    FilterReader reader = new FilterReader(in, FilterKind.SCALABLE, memory);
    return read(reader, reader.terms(), reader.slice());
  }

  /** Reads slices from the one whose head was read already up to the last of its filter. */
  static ScalableBloomFilter read(FilterReader reader, Terms terms, FilterReader.SliceHead first)
      throws IOException {
    Blocks[] slices = new Blocks[first.left() + 1];
    FilterReader.SliceHead head = first;
    for (int i = 0; i < slices.length; i++) {
      head = i == 0 ? first : reader.slice();
      FilterReader.check(head.left() == slices.length - 1 - i && head.period() == first.period());
      slices[i] = reader.blocks(head.geometry(), fullAt(terms, i, head.geometry()));
    }
    return new ScalableBloomFilter(terms, slices);
  }

  @Override
  public void save(OutputStream out) throws IOException {
    write(new FilterWriter(out, new FilterHeader(FilterKind.SCALABLE, terms, 0, 0, 1)), 0);
  }

  /** Writes all slices that there are now. */
  void write(FilterWriter writer, long period) throws IOException {
    Blocks[] all = slices;
    for (int i = 0; i < all.length; i++) {
      writer.slice(period, all.length - 1 - i, all[i]);
    }
  }

  @Override
  public long hash(byte[] key) {
    return hasher.hashBytesToLong(key);
  }

  @Override
  public boolean putHash(long hash) {
    if (mightContainHash(hash)) {
      return false;
    }
    makeRoom();
    int lock = locks.lock((int) hash);
    try {
      return putAlone(hash);
    } finally {
      locks.unlock(lock);
    }
  }

  /** Puts, in the newest slice even if it is full; the caller keeps this hash's other puts away. */
  boolean putAlone(long hash) {
    Blocks[] all = slices;
    return !contains(all, all.length - 1, hash) && all[all.length - 1].add(hash);
  }

  @Override
  public boolean mightContainHash(long hash) {
    Blocks[] all = slices;
    return contains(all, all.length, hash);
  }

  /** Whether one of the first so many slices has it; the newest has most keys. */
  private static boolean contains(Blocks[] all, int count, long hash) {
    for (int i = count - 1; i >= 0; i--) {
      if (all[i].contains(hash)) {
        return true;
      }
    }
    return false;
  }

  /** Makes a slice if the newest is full. Before the locks are taken: it may allocate much. */
  void makeRoom() {
    Blocks[] all = slices;
    if (all[all.length - 1].isFull()) {
      grow(all.length);
    }
  }

  private void grow(int from) {
    growing.lock();
    try {
      if (slices.length > from) {
        return;
      }
      if (from == MAX_SLICES) {
        throw new OverFullException(
            "the filter has grown to %d slices and about %d keys, and takes no more"
                .formatted(MAX_SLICES, approximateCount()));
      }
      Blocks[] more = Arrays.copyOf(slices, from + 1);
      more[from] = slice(terms, from);
      slices = more;
    } finally {
      growing.unlock();
    }
  }

  private static Blocks slice(Terms terms, int number) {
    double rate = rate(terms, number);
    double twice = Math.min(terms.keys() * Math.pow(2, number), Geometry.mostKeys(rate) - 1.0);
    Geometry geometry = Geometry.of(number == 0 ? terms.keys() : (long) twice, rate);
    return new Blocks(geometry, fullAt(terms, number, geometry), terms.memory());
  }

  private static long fullAt(Terms terms, int number, Geometry geometry) {
    return geometry.bitsSetAt(rate(terms, number));
  }

  private static double rate(Terms terms, int number) {
    return terms.errorRate() * 6 / StrictMath.pow(Math.PI * (number + 1), 2);
  }

  /** Returns how many slices there are; each look-up of a new key asks all of them. */
  public int slices() {
    return slices.length;
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
    double right = 0; // as a logarithm: one less a tiny rate would be one
    for (Blocks slice : slices) {
      right += Math.log1p(-slice.errorRate());
    }
    return -Math.expm1(right);
  }

  @Override
  public double fill() {
    return (double) bitsSet() / bits();
  }

  long bits() {
    return Arrays.stream(slices).mapToLong(it -> it.geometry().bits()).sum();
  }

  long bitsSet() {
    return Arrays.stream(slices).mapToLong(Blocks::bitsSet).sum();
  }

  @Override
  public long approximateCount() {
    return Arrays.stream(slices).mapToLong(Blocks::keys).sum();
  }

  @Override
  public long sizeInBytes() {
    return Arrays.stream(slices).mapToLong(Blocks::bytes).sum() + 64L * LOCKS;
  }
}
