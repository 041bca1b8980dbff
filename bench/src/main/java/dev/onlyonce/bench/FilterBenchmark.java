package dev.onlyonce.bench;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import dev.onlyonce.filter.FilterBuilder;
import dev.onlyonce.filter.KeyFilter;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Look-ups and puts beside Guava's filter, at an error rate of 0.1 %, from 20 bytes of a key. */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FilterBenchmark {

  static final int CALLS = 1_000_000;

  private static final double ERROR_RATE = 0.001;

  /** A filter of ours or of Guava's; and one of ours that hashes in either case. */
  private record Door(KeyFilter ours, Predicate<byte[]> put, Predicate<byte[]> mightContain) {

    static Door named(String contender, int keys) {
      // Hashes are made by ours in either case; a small one is enough for that.
      FilterBuilder builder = KeyFilter.forKeys(contender.equals("guava") ? 1 : keys).seed(1);
      KeyFilter ours = (contender.equals("off-heap") ? builder.offHeap() : builder).fixed();
      if (contender.equals("onlyonce") || contender.equals("off-heap")) {
        return new Door(ours, ours::put, ours::mightContain);
      }
      if (!contender.equals("guava")) {
        throw new IllegalArgumentException("no such filter: " + contender);
      }
      BloomFilter<byte[]> guava = BloomFilter.create(Funnels.byteArrayFunnel(), keys, ERROR_RATE);
      return new Door(ours, guava::put, guava::mightContain);
    }
  }

  /** A filter that has all keys that it was made for, and what it is asked for: half are known. */
  @State(Scope.Benchmark)
  public static class Filled {
    @Param("onlyonce")
    public String contender;

    @Param("10000000")
    public int keys;

    Door door;
    byte[][] asked;
    long[] hashes;
    final boolean[] answers = new boolean[CALLS];

    /** Fills. */
    @Setup(Level.Trial)
    public void fill() {
      door = Door.named(contender, keys);
      int fresh = 0;
      for (int i = 0; i < keys; i++) {
        fresh += door.put.test(MessageKeys.get(i)) ? 1 : 0;
      }
      about(keys, fresh, keys / 100);
    }

    /** Other keys for every iteration: the processor's caches have not seen them. */
    @Setup(Level.Iteration)
    public void choose() {
      SplittableRandom random = new SplittableRandom();
      asked = new byte[CALLS][];
      hashes = new long[CALLS];
      for (int i = 0; i < CALLS; i++) {
        asked[i] = MessageKeys.get(random.nextInt(keys) + (random.nextBoolean() ? 0L : keys));
        hashes[i] = door.ours.hash(asked[i]);
      }
    }
  }

  /** One key a call. */
  @Benchmark
  @OperationsPerInvocation(CALLS)
  public long lookUp(Filled state, Cpu cpu) {
    return cpu.measure(
        CALLS,
        () -> {
          long found = 0;
          for (byte[] key : state.asked) {
            found += state.door.mightContain.test(key) ? 1 : 0;
          }
          return about(CALLS / 2, found, CALLS / 100);
        });
  }

  /** All in one call, from hashes that are there already. */
  @Benchmark
  @OperationsPerInvocation(CALLS)
  public long lookUpHashes(Filled state, Cpu cpu) {
    return cpu.measure(
        CALLS,
        () -> {
          state.door.ours.mightContain(state.hashes, state.answers);
          long found = 0;
          for (boolean answer : state.answers) {
            found += answer ? 1 : 0;
          }
          return about(CALLS / 2, found, CALLS / 100);
        });
  }

  /** A filter of the full size with nothing in it. */
  @State(Scope.Benchmark)
  public static class Fresh {
    @Param("onlyonce")
    public String contender;

    @Param("10000000")
    public int keys;

    Door door;
    byte[][] fresh;

    /** Makes it. */
    @Setup(Level.Iteration)
    public void open() {
      door = Door.named(contender, keys);
      fresh = MessageKeys.range(System.nanoTime(), CALLS);
    }
  }

  /** One new key a call. */
  @Benchmark
  @OperationsPerInvocation(CALLS)
  public long put(Fresh state, Cpu cpu) {
    return cpu.measure(
        CALLS,
        () -> {
          long fresh = 0;
          for (byte[] key : state.fresh) {
            fresh += state.door.put.test(key) ? 1 : 0;
          }
          return about(CALLS, fresh, CALLS / 100);
        });
  }

  private static long about(long expected, long counted, long deviation) {
    if (Math.abs(counted - expected) > deviation) {
      throw new IllegalStateException(
          "%,d keys were counted, not about %,d".formatted(counted, expected));
    }
    return counted;
  }
}
