package dev.onlyonce.internal.messaging;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.OnFailure;
import dev.onlyonce.Outcome;
import dev.onlyonce.internal.BatchDriver;
import dev.onlyonce.internal.Events;
import dev.onlyonce.internal.Plan;
import dev.onlyonce.internal.Threads;
import dev.onlyonce.internal.messaging.Work.State;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.DeliveryTransaction;
import dev.onlyonce.spi.DeliveryTransaction.Handled;
import dev.onlyonce.spi.DeliveryTransaction.Item;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Claims keys and handles their deliveries in one transaction: one batch at a time, with what comes
 * up meanwhile in the next. Only the thread of the loop calls.
 *
 * <p>An attempt that fails leaves nothing in the database, so attempts are counted here, and anew
 * when the message is delivered anew.
 */
final class TransactionCalls<R extends @Nullable Object> implements Calls<R> {

  private static final System.Logger LOG = System.getLogger("dev.onlyonce.messaging");
  private static final Duration BUSY_PAUSE = Duration.ofMillis(200);
  private static final Duration RECORD_PAUSE = Duration.ofSeconds(1);

  private final DeliveryTransaction transaction;
  private final Plan<R> plan;
  private final Events events;
  private final Time time;
  private final int batch;
  private final Acknowledgements acknowledgements;
  private final boolean savesPositions;
  private final Timers timers;
  private final Mailbox mailbox;
  private final Ends<R> ends;
  private final Executor executor = Threads.pool(2, "onlyonce-transaction");
  private final Set<Line<R>> claimable = new LinkedHashSet<>();
  private final Map<String, Position> saved = new HashMap<>();
  private long notBeforeNanos;
  private boolean isHandling;
  private boolean isStopped;

  /** Is told what became of deliveries. */
  interface Ends<R extends @Nullable Object> {

    /** This came of it. */
    void ended(Work<R> work, Outcome<R> outcome);

    /** The store could not be asked, or nothing is known of it. */
    void storeFailed(Work<R> work, StoreException failure);
  }

  TransactionCalls(
      DeliveryTransaction transaction,
      BatchDriver<R> driver,
      Events events,
      ConsumerPlan<R> consumer,
      Acknowledgements acknowledgements,
      Timers timers,
      Mailbox mailbox,
      Ends<R> ends) {
    this.transaction = transaction;
    this.plan = driver.plan();
    this.events = events;
    this.time = driver.time();
    this.batch = consumer.batch();
    this.acknowledgements = acknowledgements;
    this.savesPositions = consumer.savesPositions();
    this.timers = timers;
    this.mailbox = mailbox;
    this.ends = ends;
  }

  @Override
  public void claim(Line<R> line) {
    claimable.add(line);
  }

  @Override
  public void settle(Work<R> work) {
    throw new IllegalStateException("in a transaction nothing is settled by itself");
  }

  @Override
  public void stopClaiming() {
    isStopped = true;
  }

  @Override
  public boolean isUrgent() {
    return !isHandling && !isStopped && !claimable.isEmpty();
  }

  @Override
  public void proceed() {
    if (isHandling || isStopped) {
      return;
    }
    List<Work<R>> next = next();
    Map<String, Position> positions = positions(next);
    if (next.isEmpty() && positions.isEmpty()) {
      return;
    }
    isHandling = true;
    List<Item> items = next.stream().map(TransactionCalls::item).toList();
    next.forEach(it -> it.isAway = true);
    long startedNanos = time.nanoTime();
    List<Handled> answers = new ArrayList<>();
    StoreException[] failure = new StoreException[1];
    executor.execute(
        () ->
            mailbox.after(
                () -> failure[0] = handle(items, positions, answers),
                () -> {
                  isHandling = false;
                  next.forEach(it -> it.isAway = false);
                  remember(positions, answers, failure[0]);
                  Duration taken = Duration.ofNanos(time.nanoTime() - startedNanos);
                  handled(next, answers, failure[0], taken);
                }));
  }

  private @Nullable StoreException handle(
      List<Item> items, Map<String, Position> positions, List<Handled> answers) {
    try {
      List<Handled> handled = transaction.handleAll(items, positions);
      if (handled.size() != items.size()) {
        throw new IllegalStateException(
            handled.size() + " answers to " + items.size() + " deliveries");
      }
      answers.addAll(handled);
      return null;
    } catch (StoreException e) {
      return e;
    } catch (RuntimeException | Error e) {
      return new StoreException(
          StoreException.Kind.UNAVAILABLE,
          "the transaction failed in a way that it should not: " + e,
          e);
    }
  }

  /** Returns what is to be saved: with deliveries, or since it has changed without any. */
  private Map<String, Position> positions(List<Work<R>> next) {
    if (!savesPositions || time.nanoTime() - notBeforeNanos < 0) {
      return Map.of();
    }
    Map<String, Position> positions =
        next.isEmpty() ? acknowledgements.positions() : acknowledgements.positionsWith(next);
    positions.entrySet().removeIf(it -> it.getValue().equals(saved.get(it.getKey())));
    return positions;
  }

  /** They are saved if everything in their batch is final. */
  private void remember(
      Map<String, Position> positions, List<Handled> answers, @Nullable StoreException failure) {
    if (failure != null) {
      notBeforeNanos = time.nanoTime() + BUSY_PAUSE.toNanos();
    } else if (answers.stream().allMatch(TransactionCalls::isFinal)) {
      saved.putAll(positions);
    }
  }

  private static boolean isFinal(Handled handled) {
    return handled instanceof DeliveryTransaction.Applied
        || (handled instanceof DeliveryTransaction.Answered answered
            && (answered.answer() instanceof Answer.Done
                || answered.answer() instanceof Answer.Failed));
  }

  @Override
  public void leave(Set<String> lanes) {
    save(lanes);
    saved.keySet().removeAll(lanes);
  }

  @Override
  public void end() {
    save(acknowledgements.lanes());
  }

  /** Saves what has changed since the last transaction, while the loop waits. */
  private void save(Set<String> lanes) {
    if (!savesPositions || isHandling) {
      return;
    }
    Map<String, Position> positions = acknowledgements.positions();
    positions.keySet().retainAll(lanes);
    positions.entrySet().removeIf(it -> it.getValue().equals(saved.get(it.getKey())));
    if (!positions.isEmpty()) {
      handle(List.of(), positions, new ArrayList<>());
    }
  }

  @Override
  public boolean isIdle() {
    return !isHandling;
  }

  private List<Work<R>> next() {
    List<Work<R>> next = new ArrayList<>();
    for (Line<R> line : List.copyOf(claimable)) {
      if (next.size() == batch) {
        break;
      }
      claimable.remove(line);
      for (Work<R> work : line.claimable(false)) {
        if (next.size() == batch) {
          claimable.add(line); // the rest of it goes with the next batch
          break;
        }
        work.state = State.ASKED;
        next.add(work);
      }
    }
    return next;
  }

  private static Item item(Work<?> work) {
    return new Item(
        work.delivery(), Objects.requireNonNull(work.key), work.fingerprint, work.orderingKey);
  }

  private void handled(
      List<Work<R>> works,
      List<Handled> answers,
      @Nullable StoreException failure,
      Duration taken) {
    for (int i = 0; i < works.size(); i++) {
      Work<R> work = works.get(i);
      if (failure != null) {
        events.publish(
            new Event.StoreFailed(plan.scope(), Objects.requireNonNull(work.key), failure));
        ends.storeFailed(work, failure);
      } else {
        ends.ended(work, outcome(work, answers.get(i), taken));
      }
    }
  }

  @SuppressWarnings("NullAway") // a transaction has no result that a handler would return
  private Outcome<R> outcome(Work<R> work, Handled handled, Duration taken) {
    if (handled instanceof DeliveryTransaction.Threw threw) {
      return failure(work, threw.cause());
    }
    if (handled instanceof DeliveryTransaction.Answered answered) {
      return turnedAway(Objects.requireNonNull(work.key), answered.answer());
    }
    Claim claim = claim(work, work.attempts + 1);
    events.publish(new Event.Completed(claim, taken, taken, Duration.ZERO));
    return new Outcome.Processed<>(null, claim);
  }

  private Claim claim(Work<R> work, int attempt) {
    return new Claim(plan.scope(), Objects.requireNonNull(work.key), 0, attempt);
  }

  private Outcome<R> failure(Work<R> work, Throwable cause) {
    work.attempts++;
    OnFailure policy = plan.onFailure();
    if (policy.verdict(cause, work.attempts) == OnFailure.Verdict.FAIL) {
      return new Outcome.Failed<>(Events.text(cause), Duration.ZERO, cause);
    }
    Duration after = policy.backoff(cause).delay(work.attempts);
    events.publish(new Event.Released(claim(work, work.attempts), cause, after));
    return new Outcome.Released<>(cause, work.attempts, after);
  }

  private Outcome<R> turnedAway(Key key, Answer answer) {
    if (answer instanceof Answer.Done done) {
      events.publish(new Event.Duplicate(plan.scope(), key, done.age()));
      return new Outcome.Duplicate<>(done.result(), done.age(), plan.codec());
    }
    if (answer instanceof Answer.Failed failed) {
      events.publish(new Event.FailedBefore(plan.scope(), key, failed.reason()));
      return new Outcome.Failed<>(failed.reason(), failed.age(), null);
    }
    if (answer instanceof Answer.InProgress busy) {
      events.publish(new Event.InProgress(plan.scope(), key, busy.leaseLeft()));
      return new Outcome.InProgress<>(busy.leaseLeft(), BUSY_PAUSE);
    }
    if (answer instanceof Answer.Mismatch mismatch) {
      events.publish(new Event.Mismatch(plan.scope(), key));
      return new Outcome.Mismatch<>(mismatch.stored());
    }
    if (answer instanceof Answer.InDoubt doubt) {
      events.publish(new Event.InDoubt(plan.scope(), key, doubt.token(), doubt.attempt()));
      return new Outcome.InDoubt<>(doubt.token(), doubt.attempt(), null, null);
    }
    if (answer instanceof Answer.Deferred deferred) {
      return new Outcome.Deferred<>(deferred.left());
    }
    throw new IllegalStateException("a delivery that was not handled was answered " + answer);
  }

  /** The letter is published; the key is recorded as failed, so that copies are not run. */
  @Override
  public void fail(Work<R> work, String reason, Runnable then) {
    Key key = Objects.requireNonNull(work.key);
    StoreException[] failure = new StoreException[1];
    executor.execute(
        () ->
            mailbox.after(
                () -> {
                  try {
                    transaction.fail(key, reason);
                  } catch (StoreException e) {
                    failure[0] = e;
                    LOG.log(Level.WARNING, "that a key has failed waits for the store", e);
                  }
                },
                () -> {
                  if (failure[0] != null) {
                    // Its letter is out: only this is repeated, and not its effect.
                    timers.after(RECORD_PAUSE, () -> fail(work, reason, then));
                  } else {
                    events.publish(new Event.Failed(claim(work, work.attempts), reason));
                    then.run();
                  }
                }));
  }
}
