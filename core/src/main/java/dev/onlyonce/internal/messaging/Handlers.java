package dev.onlyonce.internal.messaging;

import dev.onlyonce.internal.BatchDriver;
import dev.onlyonce.internal.Passage;
import dev.onlyonce.internal.Step;
import dev.onlyonce.internal.Threads;
import dev.onlyonce.internal.messaging.Work.State;
import dev.onlyonce.messaging.DeliveryHandler;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
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
 * ready, so that no handler's thread waits for the loop. Only the thread of the loop calls.
 */
final class Handlers<R extends @Nullable Object> {

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

  /** There may be something to run in a line. */
  void run(Line<R> line) {
    runnable.add(line);
  }

  /** Hands out as many as may be. */
  void proceed() {
    while (unfinished < 2 * plan.concurrency() && !runnable.isEmpty()) {
      Iterator<Line<R>> lines = runnable.iterator();
      Work<R> first = lines.next().first();
      lines.remove();
      if (first != null && first.state == State.CLAIMED) {
        first.state = State.RUNNING;
        unfinished++;
        handedOut.add(first);
        startThread();
      }
    }
  }

  private void startThread() {
    if (mayStartThread()) {
      executor.execute(this::runHandlers);
    }
  }

  private boolean mayStartThread() {
    int most = plan.concurrency();
    return threads.getAndUpdate(running -> Math.min(running + 1, most)) < most;
  }

  /** Runs on a thread of its own until there is nothing left to be run. */
  private void runHandlers() {
    do {
      for (Work<R> work = handedOut.poll(); work != null; work = handedOut.poll()) {
        run(work, Objects.requireNonNull(work.passage));
      }
      threads.decrementAndGet();
      // What was handed out just now may have found all threads busy.
    } while (!handedOut.isEmpty() && mayStartThread());
  }

  private void run(Work<R> work, Passage<R> passage) {
    boolean isSeen;
    if (mayGiveBack && (work.isLeaving || !passage.stillHeld())) {
      isSeen = mailbox.post(() -> ended(work, giveBack));
      if (!isSeen) {
        driver.withdraw(passage);
      }
    } else {
      DeliveryHandler<R> handler = Objects.requireNonNull(plan.handler());
      isSeen =
          mailbox.after(
              () -> driver.run(passage, attempt -> handler.handle(work.delivery(), attempt)),
              () -> ended(work, ran));
      Thread.interrupted(); // a handler that leaves its thread interrupted means itself only
    }
    if (!isSeen) {
      settleAlone(passage);
    }
  }

  private void ended(Work<R> work, Consumer<Work<R>> then) {
    unfinished--;
    then.accept(work);
  }

  /** The loop has ended before the handler did. */
  private void settleAlone(Passage<R> passage) {
    if (passage.step() instanceof Step.Settle<R> || passage.step() instanceof Step.GiveUp<R>) {
      driver.settle(List.of(passage));
    }
    driver.release(passage);
  }
}
