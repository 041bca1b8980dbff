package dev.onlyonce.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
 * New keys into a store on a disk from many threads, each of which claims one key, waits for the
 * answer, completes it and waits again. Starting the threads is part of the time.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SingleCallBenchmark {

  /** Both numbers of threads divide it. */
  static final int KEYS = 512_000;

  private static final int PLATFORM_THREADS = 256;
  private static final int VIRTUAL_THREADS = 2_000;

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

  /** From threads of the operating system. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long onPlatformThreads(Empty state, Cpu cpu) {
    ExecutorService executor = Executors.newFixedThreadPool(PLATFORM_THREADS);
    return handle(state.store.memory(), executor, PLATFORM_THREADS, cpu);
  }

  /** From virtual threads. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long onVirtualThreads(Empty state, Cpu cpu) throws ReflectiveOperationException {
    return handle(state.store.memory(), virtualThreads(), VIRTUAL_THREADS, cpu);
  }

  /** Java 17, for which this is compiled, does not have them. */
  static ExecutorService virtualThreads() throws ReflectiveOperationException {
    return (ExecutorService)
        Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
  }

  static boolean hasVirtualThreads() {
    return Runtime.version().feature() >= 21;
  }

  private static long handle(Memory memory, ExecutorService executor, int threads, Cpu cpu) {
    try {
      return cpu.measureProcess(KEYS, () -> handle(memory, executor, threads));
    } finally {
      executor.shutdownNow();
    }
  }

  private static long handle(Memory memory, ExecutorService executor, int threads) {
    int share = KEYS / threads;
    List<Future<?>> shares = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      long first = (long) i * share;
      shares.add(executor.submit(() -> handle(memory, first, share)));
    }
    try {
      for (Future<?> done : shares) {
        done.get();
      }
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
    return KEYS;
  }

  private static void handle(Memory memory, long first, int count) {
    for (int i = 0; i < count; i++) {
      if (!memory.handle(MessageKeys.get(first + i))) {
        throw new IllegalStateException("a key was not new");
      }
    }
  }
}
