package dev.onlyonce.testkit.process;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The main class of every worker: runs the worker's own and halts the JVM when the parent is gone.
 *
 * <p>A parent that ends in an orderly way kills its workers itself; this is for a parent that was
 * killed. The JDK looks for a process that is not its child at most every five seconds.
 */
final class WorkerLauncher {
  private static final int ORPHANED = 86;

  private WorkerLauncher() {}

  /** Takes the parent's pid, the name of the main class and its arguments. */
  public static void main(String[] args) throws Throwable {
    haltWhenGone(Long.parseLong(args[0]));
    Method main = Class.forName(args[1]).getDeclaredMethod("main", String[].class);
    main.setAccessible(true);
    try {
      main.invoke(null, (Object) Arrays.copyOfRange(args, 2, args.length));
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      throw cause == null ? e : cause;
    }
  }

  private static void haltWhenGone(long parent) {
    Optional<CompletableFuture<ProcessHandle>> gone =
        ProcessHandle.of(parent).map(ProcessHandle::onExit);
    if (gone.isEmpty()) {
      halt();
    } else {
      CompletableFuture<Void> unused = gone.get().thenRun(WorkerLauncher::halt);
    }
  }

  private static void halt() {
    Runtime.getRuntime().halt(ORPHANED);
  }
}
