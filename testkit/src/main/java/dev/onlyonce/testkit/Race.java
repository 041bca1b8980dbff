package dev.onlyonce.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Threads that start together. Each race has threads of its own; any number may be run at a time.
 */
public final class Race {

  /** When a racing store is taken to hang. */
  private static final int SECONDS = 120;

  private Race() {}

  /**
   * What the threads do.
   *
   * @param <T> what each of them returns
   */
  public interface Runner<T> {
    /** Runs one thread of the race; its number counts from 0. */
    T run(int thread) throws Exception;
  }

  /**
   * Runs the threads, and returns what each returned, by their numbers.
   *
   * @throws AssertionError if one of them threw, with the first such as its cause, or if they did
   *     not end within {@value #SECONDS} seconds
   */
  public static <T> List<T> run(int threads, Runner<T> runner) {
    CyclicBarrier start = new CyclicBarrier(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<T>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        running.add(
            pool.submit(
                () -> {
                  start.await(SECONDS, TimeUnit.SECONDS);
                  return runner.run(thread);
                }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> each : running) {
        results.add(each.get(SECONDS, TimeUnit.SECONDS));
      }
      return results;
    } catch (ExecutionException e) {
      throw new AssertionError("a thread of the race failed: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("the race did not end within " + SECONDS + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while threads race", e);
    } finally {
      pool.shutdownNow();
    }
  }
}
