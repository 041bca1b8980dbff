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
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MemoryBenchmark {

  static final int BATCH = 500;
  static final int KEYS = 1_000_000;
  static final int MORE_KEYS = 100_000;

  /** A memory in which this many keys are done. */
  @State(Scope.Benchmark)
  public static class Filled {
    @Param("onlyonce")
    public String contender;

    @Param("1000000")
    public int keys;

    Memory memory;
    final AtomicLong next = new AtomicLong();

    @Setup(Level.Trial)
    public void fill() {
      memory = Memory.named(contender, keys + 64 * KEYS);
      for (int i = 0; i < keys; i++) {
        memory.handle(MessageKeys.get(i));
      }
      next.set(keys);
    }

    @TearDown(Level.Trial)
    public void close() throws Exception {
      memory.close();
    }

    byte[] oneOfThem(SplittableRandom random) {
      return MessageKeys.get(random.nextInt(keys));
    }
  }

  /** Copies of keys, chosen at random. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long duplicate(Filled state, Cpu cpu) {
    SplittableRandom random = new SplittableRandom();
    long fresh =
        cpu.measure(
            KEYS,
            () -> {
              int found = 0;
              for (int i = 0; i < KEYS; i++) {
                found += state.memory.handle(state.oneOfThem(random)) ? 1 : 0;
              }
              return found;
            });
    return exactly(0, fresh);
  }

  /** The same, 500 a call. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long duplicateBatch(Filled state, Cpu cpu) {
    SplittableRandom random = new SplittableRandom();
    byte[][] batch = new byte[BATCH][];
    long fresh =
        cpu.measure(
            KEYS,
            () -> {
              int found = 0;
              for (int i = 0; i < KEYS; i += BATCH) {
                for (int j = 0; j < BATCH; j++) {
                  batch[j] = state.oneOfThem(random);
                }
                found += state.memory.handle(batch);
              }
              return found;
            });
    return exactly(0, fresh);
  }

  /** An empty memory, which then takes {@link #KEYS} from each thread. */
  @State(Scope.Benchmark)
  public static class Empty {
    @Param("onlyonce")
    public String contender;

    private final AtomicInteger threads = new AtomicInteger();
    Memory memory;

    @Setup(Level.Iteration)
    public void renew() {
      memory = Memory.named(contender, 64 * KEYS);
      threads.set(0);
      System.gc();
    }

    long firstKey() {
      return (long) threads.getAndIncrement() * KEYS;
    }
  }

  /** New keys. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long newKey(Empty state, Cpu cpu) {
    long first = state.firstKey();
    return exactly(KEYS, cpu.measure(KEYS, () -> add(state.memory, first, KEYS)));
  }

  /** The same, 500 a call. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long newKeyBatch(Empty state, Cpu cpu) {
    long first = state.firstKey();
    long fresh =
        cpu.measure(
            KEYS,
            () -> {
              int added = 0;
              for (int i = 0; i < KEYS; i += BATCH) {
                added += state.memory.handle(MessageKeys.range(first + i, BATCH));
              }
              return added;
            });
    return exactly(KEYS, fresh);
  }

  /** New keys on top of those that are done, few enough that the memory stays about as large. */
  @Benchmark
  @OperationsPerInvocation(MORE_KEYS)
  public long newKeyOnTop(Filled state, Cpu cpu) {
    long first = state.next.getAndAdd(MORE_KEYS);
    return exactly(MORE_KEYS, cpu.measure(MORE_KEYS, () -> add(state.memory, first, MORE_KEYS)));
  }

  private static long add(Memory memory, long first, int count) {
    int added = 0;
    for (int i = 0; i < count; i++) {
      added += memory.handle(MessageKeys.get(first + i)) ? 1 : 0;
    }
    return added;
  }

  private static long exactly(long expected, long fresh) {
    if (fresh != expected) {
      throw new IllegalStateException("%,d keys were new, not %,d".formatted(fresh, expected));
    }
    return fresh;
  }
}
