package dev.onlyonce.bench;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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
import org.openjdk.jmh.annotations.TearDown;

/**
 * Duplicates among keys that are all done, and new keys into a memory that starts empty. A key
 * comes as 20 bytes, and making of them what the memory wants is part of the time.
 */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MemoryBenchmark {

  static final int BATCH = 500;
  static final int NEW_KEYS = 1_000_000;
  static final int MORE_KEYS = 100_000;

  /** A memory in which this many keys are done. */
  @State(Scope.Benchmark)
  public static class Filled {
    @Param("onlyonce")
    public String memory;

    @Param("1000000")
    public int keys;

    Memory filled;
    final AtomicLong next = new AtomicLong();

    @Setup(Level.Trial)
    public void fill() {
      filled = Memory.named(memory, keys + 64 * NEW_KEYS);
      for (int i = 0; i < keys; i++) {
        filled.handle(MessageKeys.get(i));
      }
      next.set(keys);
    }

    @TearDown(Level.Trial)
    public void close() throws Exception {
      filled.close();
    }
  }

  /** Picks done keys at random. */
  @State(Scope.Thread)
  public static class Picker {
    private final SplittableRandom random = new SplittableRandom();

    byte[] one(Filled state) {
      return MessageKeys.get(random.nextInt(state.keys));
    }

    byte[][] batch(Filled state) {
      byte[][] keys = new byte[BATCH][];
      for (int i = 0; i < BATCH; i++) {
        keys[i] = one(state);
      }
      return keys;
    }
  }

  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  public boolean duplicate(Filled state, Picker picker) {
    return state.filled.handle(picker.one(state));
  }

  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  @OperationsPerInvocation(BATCH)
  public int duplicateBatch(Filled state, Picker picker) {
    return state.filled.handle(picker.batch(state));
  }

  /** An empty memory, which then takes {@link #NEW_KEYS} from each thread. */
  @State(Scope.Benchmark)
  public static class Empty {
    @Param("onlyonce")
    public String memory;

    private final AtomicInteger threads = new AtomicInteger();
    Memory growing;

    @Setup(Level.Iteration)
    public void renew() {
      growing = Memory.named(memory, 64 * NEW_KEYS);
      threads.set(0);
      System.gc();
    }

    long firstKey() {
      return (long) threads.getAndIncrement() * NEW_KEYS;
    }
  }

  @Benchmark
  @BenchmarkMode(Mode.SingleShotTime)
  @OperationsPerInvocation(NEW_KEYS)
  public int newKey(Empty state) {
    return add(state.growing, state.firstKey(), NEW_KEYS);
  }

  @Benchmark
  @BenchmarkMode(Mode.SingleShotTime)
  @OperationsPerInvocation(NEW_KEYS)
  public int newKeyBatch(Empty state) {
    long first = state.firstKey();
    int fresh = 0;
    for (int i = 0; i < NEW_KEYS; i += BATCH) {
      fresh += state.growing.handle(MessageKeys.range(first + i, BATCH));
    }
    return allOf(fresh, NEW_KEYS);
  }

  /** New keys on top of those that are done, few enough that the memory stays about as large. */
  @Benchmark
  @BenchmarkMode(Mode.SingleShotTime)
  @OperationsPerInvocation(MORE_KEYS)
  public int newKeyOnTop(Filled state) {
    return add(state.filled, state.next.getAndAdd(MORE_KEYS), MORE_KEYS);
  }

  private static int add(Memory memory, long first, int count) {
    int fresh = 0;
    for (int i = 0; i < count; i++) {
      fresh += memory.handle(MessageKeys.get(first + i)) ? 1 : 0;
    }
    return allOf(fresh, count);
  }

  private static int allOf(int fresh, int count) {
    if (fresh != count) {
      throw new IllegalStateException("%,d of %,d keys were new".formatted(fresh, count));
    }
    return fresh;
  }
}
