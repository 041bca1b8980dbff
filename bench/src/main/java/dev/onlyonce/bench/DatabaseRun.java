package dev.onlyonce.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/**
 * Runs what one contender does with a database for some seconds to warm up and some to be measured,
 * and prints nanoseconds on the clock and of this process's CPU for an item. The arguments are the
 * name of the work, the URL, how many keys are stored, and the seconds of both.
 */
public final class DatabaseRun {

  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final LongAdder items = new LongAdder();
  private final CompletableFuture<Void> failure = new CompletableFuture<>();
  private volatile boolean isOver;

  private DatabaseRun() {}

  /** Runs and prints. */
  public static void main(String[] args) throws Exception {
    try (DatabaseWork work = DatabaseWork.named(args[0], args[1], Integer.parseInt(args[2]))) {
      long warmUp = Long.parseLong(args[3]);
      new DatabaseRun().run(work, warmUp, Long.parseLong(args[4]));
    }
  }

  private void run(DatabaseWork work, long warmUp, long measured) throws Exception {
    ExecutorService threads =
        work.isVirtual()
            ? SingleCallBenchmark.virtualThreads()
            : Executors.newFixedThreadPool(work.threads());
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < work.threads(); i++) {
        all.add(threads.submit(() -> repeat(work)));
      }
      pass(warmUp);
      long before = items.sum();
      long start = System.nanoTime();
      long cpuBefore = PROCESS.getProcessCpuTime();
      pass(measured);
      double done = items.sum() - before;
      double nanos = System.nanoTime() - start;
      double cpuNanos = PROCESS.getProcessCpuTime() - cpuBefore;
      isOver = true;
      for (Future<?> thread : all) {
        thread.get();
      }
      System.out.printf(Locale.ROOT, "%.1f %.1f%n", nanos / done, cpuNanos / done);
    } finally {
      threads.shutdownNow();
    }
  }

  /** Waits that long, unless a thread fails. */
  private void pass(long seconds) throws ExecutionException, InterruptedException {
    try {
      failure.get(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      return; // as it should be
    }
  }

  private void repeat(DatabaseWork work) {
    try {
      while (!isOver) {
        items.add(work.step());
      }
    } catch (Exception e) {
      failure.completeExceptionally(e);
    }
  }
}
