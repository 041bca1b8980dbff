package dev.onlyonce.filter;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
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

  private static final Duration MAX_WINDOW = Duration.ofDays(3660);
  private static final int LOCKS = 1024;

  private final Hasher64 hasher;
  private final long seed;
  private final double errorRate;
  private final long keys;
  private final int generations;
  private final Duration window;
  private final long periodMillis;
  private final InstantSource time;
  private final ReentrantLock rotating = new ReentrantLock();
  private final SpinLocks locks = new SpinLocks(LOCKS);
  private volatile Generation[] live;

  /** What was put in a period. Periods are counted from 1970 on. */
  private record Generation(long period, ScalableBloomFilter keys) {}

  RotatingBloomFilter(
      long seed,
      double errorRate,
      long keys,
      int generations,
      Duration window,
      InstantSource time) {
    if (window.compareTo(Duration.ofMillis(generations)) < 0 || window.compareTo(MAX_WINDOW) > 0) {
      throw new IllegalArgumentException(
          "window must be %s to %s, was %s"
              .formatted(Duration.ofMillis(generations), MAX_WINDOW, window));
    }
    this.seed = seed;
    this.errorRate = errorRate;
    this.keys = keys;
    this.generations = generations;
    this.window = window;
    this.time = time;
    hasher = Hashing.xxh3_64(seed);
    long nanosAsMillis = window.toMillis() + (window.toNanosPart() % 1_000_000 == 0 ? 0 : 1);
    periodMillis = divideUp(nanosAsMillis, generations - 1);
    live = new Generation[] {fresh(period())};
  }

  /**
   * Reads what {@link #save} wrote, and not a byte more. What is too old by now is forgotten.
   *
   * @throws FilterFormatException if it is not that
   */
  public static RotatingBloomFilter load(InputStream in, InstantSource time) throws IOException {
    FilterReader reader = new FilterReader(in, FilterKind.ROTATING);
    FilterHeader header = reader.header();
    int generations = (int) header.more();
    RotatingBloomFilter filter =
        new RotatingBloomFilter(
            header.seed(),
            header.errorRate(),
            header.keys(),
            generations,
            Duration.ofMillis(header.windowMillis()),
            time);
    List<Generation> read = new ArrayList<>();
    for (int i = 0; i < header.filters(); i++) {
      FilterReader.SliceHead head = reader.slice();
      read.add(
          new Generation(
              head.period(),
              ScalableBloomFilter.read(
                  reader, header.seed(), filter.rateOfOne(), filter.keysOfOne(), head)));
    }
    filter.live = read.toArray(Generation[]::new);
    return filter;
  }

  @Override
  public void save(OutputStream out) throws IOException {
    Generation[] all = live;
    FilterHeader header =
        new FilterHeader(
            FilterKind.ROTATING,
            seed,
            errorRate,
            keys,
            generations,
            periodMillis * (generations - 1),
            all.length);
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
      return all[0].keys.putHash(hash) && !known;
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
    return new Generation(period, new ScalableBloomFilter(seed, rateOfOne(), keysOfOne()));
  }

  private double rateOfOne() {
    return errorRate / generations;
  }

  private long keysOfOne() {
    return divideUp(keys, generations - 1);
  }

  private static long divideUp(long number, long by) {
    return number / by + (number % by == 0 ? 0 : 1);
  }

  /** Returns for how long a key is remembered at least. */
  public Duration window() {
    return window;
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
    for (Generation generation : rotated()) {
      right *= 1 - generation.keys.estimatedErrorRate();
    }
    return 1 - right;
  }

  @Override
  public double fill() {
    double bytes = 0;
    double set = 0;
    for (Generation generation : rotated()) {
      bytes += generation.keys.sizeInBytes();
      set += generation.keys.fill() * generation.keys.sizeInBytes();
    }
    return set / bytes;
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
