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
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs handlers: the first of each line whose key is claimed, so many at a time. Only the thread of
 * the loop calls.
 */
final class Handlers<R extends @Nullable Object> {

  private final BatchDriver<R> driver;
  private final ConsumerPlan<R> plan;
  private final Mailbox mailbox;
  private final Consumer<Work<R>> ran;
  private final Executor executor;
  private final Set<Line<R>> runnable = new LinkedHashSet<>();
  private int running;

  /**
   * @param ran is told of each delivery whose handler has ended
   */
  Handlers(BatchDriver<R> driver, ConsumerPlan<R> plan, Mailbox mailbox, Consumer<Work<R>> ran) {
    this.driver = driver;
    this.plan = plan;
    this.mailbox = mailbox;
    this.ran = ran;
    this.executor = Threads.forBlockingTasks(plan.concurrency(), "onlyonce-handler");
  }

  /** There may be something to run in a line. */
  void run(Line<R> line) {
    runnable.add(line);
  }

  /**
   * Runs as many as may run.
   *
   * @param giveBack is told of one whose claim was lost while it waited for its turn
   */
  void proceed(Consumer<Work<R>> giveBack) {
    while (running < plan.concurrency() && !runnable.isEmpty()) {
      Iterator<Line<R>> lines = runnable.iterator();
      Work<R> first = lines.next().first();
      lines.remove();
      if (first == null || first.state != State.CLAIMED) {
        continue;
      }
      Passage<R> passage = Objects.requireNonNull(first.passage);
      if (passage.stillHeld()) {
        run(first, passage);
      } else {
        giveBack.accept(first);
      }
    }
  }

  private void run(Work<R> work, Passage<R> passage) {
    DeliveryHandler<R> handler = Objects.requireNonNull(plan.handler());
    work.state = State.RUNNING;
    running++;
    executor.execute(
        () -> {
          boolean isSeen =
              mailbox.after(
                  () -> driver.run(passage, attempt -> handler.handle(work.delivery(), attempt)),
                  () -> {
                    running--;
                    ran.accept(work);
                  });
          Thread.interrupted(); // a handler that leaves its thread interrupted means itself only
          if (!isSeen) {
            settleAlone(passage);
          }
        });
  }

  /** The loop has ended before the handler did. */
  private void settleAlone(Passage<R> passage) {
    if (passage.step() instanceof Step.Settle<R> || passage.step() instanceof Step.GiveUp<R>) {
      driver.settle(List.of(passage));
    }
    driver.release(passage);
  }
}
