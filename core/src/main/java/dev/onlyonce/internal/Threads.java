package dev.onlyonce.internal;

import java.lang.reflect.Method;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Where asynchronous work runs: on virtual threads where this JVM has them, else on a pool. */
public final class Threads {

  private static final int POOL = 64;

  private Threads() {}

  /** Makes an executor: a virtual thread for each task, or a pool of 64 daemon threads. */
  static Executor forBlockingTasks() {
    return forBlockingTasks(POOL, "onlyonce-async");
  }

  /** Does the same with a pool of another size and name. */
  public static Executor forBlockingTasks(int most, String name) {
    try {
      Method perTask = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
      return (ExecutorService) perTask.invoke(null);
    } catch (ReflectiveOperationException e) {
      return pool(most, name);
    }
  }

  /** Makes a pool of daemon threads, which end when they are idle. */
  public static Executor pool(int most, String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            most,
            most,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
