package dev.onlyonce.bench;

import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
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
 * New keys into a store on a disk that starts empty: each call makes two durable commits, one of
 * the claims and one of the completions. And duplicates among keys that are all done.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DurableBenchmark {

  static final int KEYS = 200_000;

  private static final int FILLED_KEYS = 1_000_000;
  private static final int BATCH = 1_000;
  private static final int LARGE_BATCH = 10_000;

  /** A store in which nothing is. */
  @State(Scope.Benchmark)
  public static class Empty {
    @Param("onlyonce")
    public String contender;

    DurableMemory store;

    @Setup(Level.Iteration)
    public void open() throws Exception {
      store = DurableMemory.named(contender);
      System.gc();
    }

    @TearDown(Level.Iteration)
    public void close() throws IOException {
      store.close();
    }
  }

  /** New keys, 1,000 a call. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long newKeysBy1000(Empty state, Cpu cpu) {
    return exactly(KEYS, cpu.measure(KEYS, () -> state.store.add(KEYS, BATCH)));
  }

  /** New keys, 10,000 a call. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long newKeysBy10000(Empty state, Cpu cpu) {
    return exactly(KEYS, cpu.measure(KEYS, () -> state.store.add(KEYS, LARGE_BATCH)));
  }

  /** A store in which a million keys are done. */
  @State(Scope.Benchmark)
  public static class Filled {
    @Param("onlyonce")
    public String contender;

    DurableMemory store;

    @Setup(Level.Trial)
    public void fill() throws Exception {
      store = DurableMemory.named(contender);
      exactly(FILLED_KEYS, store.add(FILLED_KEYS, LARGE_BATCH));
    }

    @TearDown(Level.Trial)
    public void close() throws IOException {
      store.close();
    }

    int handle(byte[][] batch, SplittableRandom random) {
      for (int i = 0; i < batch.length; i++) {
        batch[i] = MessageKeys.get(random.nextInt(FILLED_KEYS));
      }
      return store.memory().handle(batch);
    }
  }

  /** Copies of keys, chosen at random, 1,000 a call. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long duplicatesBy1000(Filled state, Cpu cpu) {
    SplittableRandom random = new SplittableRandom();
    byte[][] batch = new byte[BATCH][];
    long fresh =
        cpu.measure(
            KEYS,
            () -> {
              int found = 0;
              for (int i = 0; i < KEYS; i += BATCH) {
                found += state.handle(batch, random);
              }
              return found;
            });
    return exactly(0, fresh);
  }

  private static long exactly(long expected, long fresh) {
    if (fresh != expected) {
      throw new IllegalStateException("%,d keys were new, not %,d".formatted(fresh, expected));
    }
    return fresh;
  }
}
