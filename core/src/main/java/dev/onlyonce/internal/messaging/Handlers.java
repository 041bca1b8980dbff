package dev.onlyonce.internal.messaging;

import dev.onlyonce.internal.BatchDriver;
import dev.onlyonce.internal.Passage;
import dev.onlyonce.internal.Threads;
import dev.onlyonce.internal.messaging.Work.State;
import dev.onlyonce.messaging.DeliveryHandler;
import java.lang.System.Logger.Level;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs handlers: the first of each line whose key is claimed, so many at a time. As many again lie
 * ready, so that no handler's thread waits for the loop. Only the thread of the loop calls; the
 * handlers' threads take what lies ready.
 */
final class Handlers<R extends @Nullable Object> {

  private static final System.Logger LOG = System.getLogger("dev.onlyonce.messaging");

  private final BatchDriver<R> driver;
  private final ConsumerPlan<R> plan;
  private final Mailbox mailbox;
  private final Consumer<Work<R>> ran;
  private final Consumer<Work<R>> giveBack;
  private final boolean mayGiveBack;
  private final Executor executor;
  private final Set<Line<R>> runnable = new LinkedHashSet<>();
  private final Queue<Work<R>> handedOut = new ConcurrentLinkedQueue<>();
  private final AtomicInteger threads = new AtomicInteger();
  private int unfinished;

  /**
   * @param ran is told of each delivery whose handler has ended
   * @param giveBack is told of each whose handler was not begun, since its claim was lost meanwhile
   *     or its lane goes
   * @param mayGiveBack whether one can be given back
   */
  Handlers(
      BatchDriver<R> driver,
      ConsumerPlan<R> plan,
      Mailbox mailbox,
      Consumer<Work<R>> ran,
      Consumer<Work<R>> giveBack,
      boolean mayGiveBack) {
    this.driver = driver;
    this.plan = plan;
    this.mailbox = mailbox;
    this.ran = ran;
    this.giveBack = giveBack;
    this.mayGiveBack = mayGiveBack;
    this.executor = Threads.forBlockingTasks(plan.concurrency(), "onlyonce-handler");
  }

  /** Takes back one that was handed out, if no thread has begun with it; tells whether it has. */
  boolean takeBack(Work<R> work) {
    if (!handedOut.remove(work)) {
      return false;
    }
    unfinished--;
    return true;
  }

  /** Tells whether no handler runs, and none is about to. */
  boolean isIdle() {
    return unfinished == 0;
  }

  /** There may be something to run in a line. */
  void run(Line<R> line) {
    runnable.add(line);
  }

  /** Hands out as many as may be. */
  void proceed() {
    while (unfinished < 2L * plan.concurrency() && !runnable.isEmpty()) {
      Iterator<Line<R>> lines = runnable.iterator();
      Work<R> first = lines.next().first();
      lines.remove();
      if (first != null && first.state == State.CLAIMED) {
        first.state = State.RUNNING;
        first.isAway = true;
        unfinished++;
        handedOut.add(first);
        startThread();
      }
    }
  }

  private void startThread() {
    if (mayStartThread()) {
      try {
        executor.execute(this::runHandlers);
      } catch (Throwable e) {
        threads.decrementAndGet(); // there is none to be had: those that run take it
        LOG.log(Level.ERROR, "a thread for handlers could not be started", e);
      }
    }
  }

  private boolean mayStartThread() {
    int most = plan.concurrency();
    return threads.getAndUpdate(running -> Math.min(running + 1, most)) < most;
  }

  /** Runs on a thread of its own until there is nothing left to be run. */
  private void runHandlers() {
    do {
      try {
        for (Work<R> work = handedOut.poll(); work != null; work = handedOut.poll()) {
          run(work, Objects.requireNonNull(work.passage));
        }
      } finally {
        threads.decrementAndGet();
      }
      // What was handed out just now may have found all threads busy.
    } while (!handedOut.isEmpty() && mayStartThread());
  }

  private void run(Work<R> work, Passage<R> passage) {
    boolean isSeen;
    if (mayGiveBack && (work.isLeaving || !passage.stillHeld())) {
      isSeen = mailbox.post(() -> ended(work, giveBack));
    } else {
      DeliveryHandler<R> handler = Objects.requireNonNull(plan.handler());
      isSeen =
          mailbox.after(
              () -> driver.run(passage, attempt -> handler.handle(work.delivery(), attempt)),
              () -> ended(work, ran));
      Thread.interrupted(); // a handler that leaves its thread interrupted means itself only
    }
    if (!isSeen) {
      driver.finishAlone(passage);
    }
  }

  private void ended(Work<R> work, Consumer<Work<R>> then) {
    unfinished--;
    work.isAway = false;
    then.accept(work);
  }
}
