package dev.onlyonce.filter;

import com.dynatrace.hash4j.hashing.Hasher64;
import dev.onlyonce.filter.internal.Memory;
import dev.onlyonce.filter.internal.SpinLocks;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A filter that forgets: it remembers a key for at least a window of time since the call that last
 * put it, and for at most one generation longer.
 *
 * <p>The time is divided into periods of the window divided by {@code generations - 1}. What is put
 * goes into the generation of the present period, also if an older one has it; generations that are
 * not among the last {@code generations} periods are dropped as a whole. Each may err for its part
 * of the promise, and each grows if it must.
 *
 * <p>If the clock steps back, the newest generation stays the present one, and keys are remembered
 * for longer. If it jumps ahead, what is then too old is dropped: do not take a clock that jumps.
 *
 * <p>Thread-safe; see {@link KeyFilter}. Of several threads that put a key that is not remembered,
 * exactly one is told that it is new, also while the generation changes: puts of the same hash
 * exclude one another.
 */
public final class RotatingBloomFilter implements KeyFilter {

  private static final int LOCKS = 1024;

  private final Hasher64 hasher;
  private final Terms terms;
  private final Terms termsOfOne;
  private final int generations;
  private final long windowMillis;
  private final long periodMillis;
  private final InstantSource time;
  private final ReentrantLock rotating = new ReentrantLock();
  private final SpinLocks locks = new SpinLocks(LOCKS);
  private volatile Generation[] live;

  /** What was put in a period. Periods are counted from 1970 on. */
  private record Generation(long period, ScalableBloomFilter keys) {}

  RotatingBloomFilter(Terms terms, int generations, Duration window, InstantSource time) {
    this.terms = terms;
    this.generations = generations;
    this.time = time;
    windowMillis = window.toMillis() + (window.toNanosPart() % 1_000_000 == 0 ? 0 : 1);
    periodMillis = divideUp(windowMillis, generations - 1);
    termsOfOne = terms.of(terms.errorRate() / generations, divideUp(terms.keys(), generations - 1));
    hasher = terms.hasher();
    live = new Generation[] {fresh(period())};
  }

  /**
   * Reads what {@link #save} wrote, and not a byte more. What is too old by now is forgotten.
   *
   * @throws FilterFormatException if it is not that
   */
  public static RotatingBloomFilter load(InputStream in, InstantSource time) throws IOException {
    return load(in, time, Memory.HEAP);
  }

  /** Does what {@link #load} does, and keeps the bits off the heap, also those to come. */
  public static RotatingBloomFilter loadOffHeap(InputStream in, InstantSource time)
      throws IOException {
    return load(in, time, Memory.OFF_HEAP);
  }

  private static RotatingBloomFilter load(InputStream in, InstantSource time, Memory memory)
      throws IOException {
    FilterReader reader = new FilterReader(in, FilterKind.ROTATING, memory);
    FilterHeader header = reader.header();
    Duration window = Duration.ofMillis(header.windowMillis());
    RotatingBloomFilter filter =
        new RotatingBloomFilter(reader.terms(), (int) header.more(), window, time);
    Generation[] read = new Generation[header.filters()];
    for (int i = 0; i < read.length; i++) {
      FilterReader.SliceHead head = reader.slice();
      FilterReader.check(i == 0 || head.period() < read[i - 1].period);
      read[i] =
          new Generation(head.period(), ScalableBloomFilter.read(reader, filter.termsOfOne, head));
    }
    filter.live = read;
    return filter;
  }

  @Override
  public void save(OutputStream out) throws IOException {
    Generation[] all = live;
    FilterHeader header =
        new FilterHeader(FilterKind.ROTATING, terms, generations, windowMillis, all.length);
    FilterWriter writer = new FilterWriter(out, header);
    for (Generation generation : all) {
      generation.keys.write(writer, generation.period);
    }
  }

  @Override
  public long hash(byte[] key) {
    return hasher.hashBytesToLong(key);
  }

  @Override
  public boolean putHash(long hash) {
    Generation[] before = rotated();
    if (before[0].keys.mightContainHash(hash)) {
      return false;
    }
    before[0].keys.makeRoom();
    int lock = locks.lock((int) hash);
    try {
      Generation[] all = live;
      boolean known = contains(all, 1, hash);
      return all[0].keys.putAlone(hash) && !known;
    } finally {
      locks.unlock(lock);
    }
  }

  @Override
  public boolean mightContainHash(long hash) {
    return contains(rotated(), 0, hash);
  }

  @Override
  public void mightContain(long[] hashes, boolean[] out) {
    FilterBuilder.checkRoom(hashes, out);
    Generation[] all = rotated();
    for (int i = 0; i < hashes.length; i++) {
      out[i] = contains(all, 0, hashes[i]);
    }
  }

  private static boolean contains(Generation[] all, int from, long hash) {
    for (int i = from; i < all.length; i++) {
      if (all[i].keys.mightContainHash(hash)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the generations of now, the newest first. */
  private Generation[] rotated() {
    Generation[] all = live;
    long period = period();
    return period <= all[0].period ? all : rotate(period);
  }

  private Generation[] rotate(long period) {
    rotating.lock();
    try {
      Generation[] all = live;
      if (period > all[0].period) {
        List<Generation> kept = new ArrayList<>();
        kept.add(fresh(period));
        for (Generation old : all) {
          if (old.period > period - generations) {
            kept.add(old);
          }
        }
        all = kept.toArray(Generation[]::new);
        live = all;
      }
      return all;
    } finally {
      rotating.unlock();
    }
  }

  private long period() {
    return Math.floorDiv(time.millis(), periodMillis);
  }

  private Generation fresh(long period) {
    return new Generation(period, new ScalableBloomFilter(termsOfOne));
  }

  private static long divideUp(long number, long by) {
    return number / by + (number % by == 0 ? 0 : 1);
  }

  /** Returns for how long a key is remembered at least, in whole milliseconds. */
  public Duration window() {
    return Duration.ofMillis(windowMillis);
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
    for (Generation generation : rotated()) {
      right += Math.log1p(-generation.keys.estimatedErrorRate());
    }
    return -Math.expm1(right);
  }

  @Override
  public double fill() {
    double bits = 0;
    double set = 0;
    for (Generation generation : rotated()) {
      bits += generation.keys.bits();
      set += generation.keys.bitsSet();
    }
    return set / bits;
  }

  /** Returns about how many keys are remembered; one in several generations counts in each. */
  @Override
  public long approximateCount() {
    return Arrays.stream(rotated()).mapToLong(it -> it.keys.approximateCount()).sum();
  }

  @Override
  public long sizeInBytes() {
    return Arrays.stream(live).mapToLong(it -> it.keys.sizeInBytes()).sum() + 64L * LOCKS;
  }
}
