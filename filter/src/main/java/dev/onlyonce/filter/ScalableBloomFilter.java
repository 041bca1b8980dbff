package dev.onlyonce.filter;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.onlyonce.filter.internal.Blocks;
import dev.onlyonce.filter.internal.Geometry;
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
  private final long seed;
  private final double errorRate;
  private final long keys;
  private final ReentrantLock growing = new ReentrantLock();
  private final SpinLocks locks = new SpinLocks(LOCKS);
  private volatile Blocks[] slices;

  ScalableBloomFilter(long seed, double errorRate, long keys) {
    this(seed, errorRate, keys, new Blocks[0]);
    slices = new Blocks[] {slice(0)};
  }

  private ScalableBloomFilter(long seed, double errorRate, long keys, Blocks[] slices) {
    this.seed = seed;
    this.errorRate = errorRate;
    this.keys = keys;
    this.slices = slices;
    hasher = Hashing.xxh3_64(seed);
  }

  /**
   * Reads what {@link #save} wrote, and not a byte more.
   *
   * @throws FilterFormatException if it is not that
   */
  public static ScalableBloomFilter load(InputStream in) throws IOException {
    FilterReader reader = new FilterReader(in, FilterKind.SCALABLE);
    FilterHeader header = reader.header();
    return read(reader, header.seed(), header.errorRate(), header.keys(), reader.slice());
  }

  /** Reads slices from the one whose head was read already up to the last of its filter. */
  static ScalableBloomFilter read(
      FilterReader reader, long seed, double errorRate, long keys, FilterReader.SliceHead first)
      throws IOException {
    ScalableBloomFilter filter = new ScalableBloomFilter(seed, errorRate, keys, new Blocks[0]);
    FilterReader.SliceHead head = first;
    while (true) {
      int number = filter.slices.length;
      Blocks slice = filter.slice(number, head.geometry());
      reader.bits(slice);
      filter.append(slice);
      if (head.left() == 0) {
        return filter;
      }
      head = reader.slice();
    }
  }

  @Override
  public void save(OutputStream out) throws IOException {
    Blocks[] all = slices;
    FilterWriter writer =
        new FilterWriter(
            out, new FilterHeader(FilterKind.SCALABLE, seed, errorRate, keys, 0, 0, 1));
    write(writer, 0, all);
  }

  void write(FilterWriter writer, long period) throws IOException {
    write(writer, period, slices);
  }

  private static void write(FilterWriter writer, long period, Blocks[] all) throws IOException {
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
      Blocks[] all = slices;
      return !contains(all, all.length - 1, hash) && all[all.length - 1].add(hash);
    } finally {
      locks.unlock(lock);
    }
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
      append(slice(from));
    } finally {
      growing.unlock();
    }
  }

  private void append(Blocks slice) {
    Blocks[] all = slices;
    Blocks[] more = Arrays.copyOf(all, all.length + 1);
    more[all.length] = slice;
    slices = more;
  }

  private Blocks slice(int number) {
    double rate = rate(number);
    double twice = Math.min(keys * Math.pow(2, number), Geometry.mostKeys(rate) - 1.0);
    long room = number == 0 ? keys : (long) twice;
    return slice(number, Geometry.of(room, rate));
  }

  private Blocks slice(int number, Geometry geometry) {
    return new Blocks(geometry, geometry.bitsSetAt(rate(number)));
  }

  private double rate(int number) {
    return errorRate * 6 / StrictMath.pow(Math.PI * (number + 1), 2);
  }

  /** Returns how many slices there are; each look-up of a new key asks all of them. */
  public int slices() {
    return slices.length;
  }

  @Override
  public long seed() {
    return seed;
  }

  @Override
  public double promisedErrorRate() {
    return errorRate;
  }

  @Override
  public double estimatedErrorRate() {
    double right = 1;
    for (Blocks slice : slices) {
      right *= 1 - slice.errorRate();
    }
    return 1 - right;
  }

  @Override
  public double fill() {
    double bits = 0;
    double set = 0;
    for (Blocks slice : slices) {
      bits += slice.geometry().blocks();
      set += slice.fill() * slice.geometry().blocks();
    }
    return set / bits;
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
