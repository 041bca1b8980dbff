package dev.onlyonce.internal.messaging;

import dev.onlyonce.internal.BatchDriver;
import dev.onlyonce.internal.Passage;
import dev.onlyonce.internal.Step;
import dev.onlyonce.internal.Threads;
import dev.onlyonce.internal.messaging.Work.State;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store: one batch of claims and one of settlements is on its way at a time, and what
 * comes up meanwhile goes with the next. Only the thread of the loop calls.
 */
final class StoreCalls<R extends @Nullable Object> implements Calls<R> {

  private static final int CALLS = 2;

  private final BatchDriver<R> driver;
  private final int batch;
  private final boolean onlyFirst;
  private final Mailbox mailbox;
  private final Consumer<Work<R>> route;
  private final Executor executor = Threads.pool(CALLS, "onlyonce-claims");
  private final Set<Line<R>> claimable = new LinkedHashSet<>();
  private final List<Work<R>> settleable = new ArrayList<>();
  private boolean isClaiming;
  private boolean isSettling;
  private boolean isStopped;

  /**
   * @param onlyFirst whether only the first of a line is claimed
   * @param route is told of each delivery whose step has been done
   */
  StoreCalls(
      BatchDriver<R> driver,
      int batch,
      boolean onlyFirst,
      Mailbox mailbox,
      Consumer<Work<R>> route) {
    this.driver = driver;
    this.batch = batch;
    this.onlyFirst = onlyFirst;
    this.mailbox = mailbox;
    this.route = route;
  }

  @Override
  public void claim(Line<R> line) {
    claimable.add(line);
  }

  @Override
  public void settle(Work<R> work) {
    settleable.add(work);
  }

  /** What is at the step that settles it as failed is settled; the rest has no claim. */
  @Override
  public void fail(Work<R> work, String reason, Runnable then) {
    then.run();
  }

  @Override
  public void stopClaiming() {
    isStopped = true;
  }

  @Override
  public boolean isUrgent() {
    return (!isClaiming && !isStopped && !claimable.isEmpty())
        || (!isSettling && !settleable.isEmpty());
  }

  @Override
  public void proceed() {
    if (!isClaiming && !isStopped) {
      claimNext();
    }
    if (!isSettling && !settleable.isEmpty()) {
      settleNext();
    }
  }

  private void claimNext() {
    List<Work<R>> asked = nextToAsk();
    if (asked.isEmpty()) {
      return;
    }
    isClaiming = true;
    List<Passage<R>> passages = passages(asked);
    executor.execute(
        () ->
            mailbox.after(
                () -> driver.claim(passages),
                () -> {
                  isClaiming = false;
                  asked.forEach(route);
                }));
  }

  private List<Work<R>> nextToAsk() {
    List<Work<R>> asked = new ArrayList<>();
    Iterator<Line<R>> lines = List.copyOf(claimable).iterator();
    while (lines.hasNext() && asked.size() < batch) {
      Line<R> line = lines.next();
      claimable.remove(line);
      for (Work<R> work : line.claimable(onlyFirst)) {
        if (asked.size() == batch) {
          claimable.add(line); // the rest of it goes with the next batch
          break;
        }
        if (isToBeAsked(work)) {
          work.state = State.ASKED;
          asked.add(work);
        } else {
          route.accept(work);
        }
      }
    }
    return asked;
  }

  /** Where nothing is claimed, the handler is next at once. */
  private boolean isToBeAsked(Work<R> work) {
    Passage<R> passage = work.passage;
    if (passage == null) {
      passage = driver.begin(Objects.requireNonNull(work.key), work.fingerprint);
      work.passage = passage;
    }
    return passage.step() instanceof Step.Ask<R>;
  }

  private void settleNext() {
    List<Work<R>> part = settleable.subList(0, Math.min(batch, settleable.size()));
    List<Work<R>> settled = List.copyOf(part);
    part.clear();
    isSettling = true;
    List<Passage<R>> passages = passages(settled);
    executor.execute(
        () ->
            mailbox.after(
                () -> driver.settle(passages),
                () -> {
                  isSettling = false;
                  settled.forEach(route);
                }));
  }

  private List<Passage<R>> passages(List<Work<R>> works) {
    return works.stream().map(it -> Objects.requireNonNull(it.passage)).toList();
  }
}
