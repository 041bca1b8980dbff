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
        || (!isSettling && settleable.stream().anyMatch(it -> it.before == null));
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
    call(asked, driver::claim, () -> isClaiming = false);
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
      passage =
          work.isUnprotected
              ? driver.beginUnprotected(work.attempts)
              : driver.begin(Objects.requireNonNull(work.key), work.fingerprint, work.attempts);
      work.passage = passage;
    }
    return passage.step() instanceof Step.Ask<R>;
  }

  private void settleNext() {
    List<Work<R>> settled = nextToSettle();
    if (!settled.isEmpty()) {
      isSettling = true;
      call(settled, driver::settle, () -> isSettling = false);
    }
  }

  /** Of one line, the earlier is settled before the later, or in the same call. */
  private List<Work<R>> nextToSettle() {
    Set<Work<R>> next = new LinkedHashSet<>();
    Iterator<Work<R>> works = settleable.iterator();
    while (works.hasNext() && next.size() < batch) {
      Work<R> work = works.next();
      Work<R> before = work.before;
      if (before == null || before.state == State.GONE || next.contains(before)) {
        next.add(work);
        works.remove();
      }
    }
    return List.copyOf(next);
  }

  private void call(List<Work<R>> works, Consumer<List<Passage<R>>> verb, Runnable ended) {
    List<Passage<R>> passages =
        works.stream().map(it -> Objects.requireNonNull(it.passage)).toList();
    works.forEach(it -> it.isAway = true);
    executor.execute(
        () -> {
          boolean isSeen =
              mailbox.after(
                  () -> verb.accept(passages),
                  () -> {
                    ended.run();
                    works.forEach(it -> it.isAway = false);
                    works.forEach(route);
                  });
          if (!isSeen) {
            passages.forEach(driver::finishAlone);
          }
        });
  }

  @Override
  public void end() {
    // What is at hand is ended with all the rest, see Courses.
  }

  @Override
  public void leave(Set<String> lanes) {
    // Nothing is kept for lanes.
  }

  @Override
  public boolean isIdle() {
    return !isClaiming && !isSettling;
  }
}
