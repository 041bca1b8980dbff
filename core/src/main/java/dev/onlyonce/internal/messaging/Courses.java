package dev.onlyonce.internal.messaging;

import dev.onlyonce.Backoff;
import dev.onlyonce.Claim;
import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Outcome;
import dev.onlyonce.internal.BatchDriver;
import dev.onlyonce.internal.Events;
import dev.onlyonce.internal.Passage;
import dev.onlyonce.internal.Step;
import dev.onlyonce.internal.Threads;
import dev.onlyonce.internal.messaging.Work.State;
import dev.onlyonce.messaging.DeadLetters.Reason;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Source.Arrival;
import dev.onlyonce.spi.StoreException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of each delivery, from its arrival to its end. Only the thread of the loop calls;
 * stores, handlers and publishers work on other threads, and post what came of it.
 *
 * <h2>The course of a delivery</h2>
 *
 * <pre>
 *   READY ── a batch of claims ── ASKED ── CLAIMED ── its turn, a free place ── RUNNING
 *     ▲                             │         │                                    │
 *     │                             │         └── given back ──┐                   ▼
 *     │                             ▼                          ├─────────────── SETTLING ── finished
 *   WAITING ◄── not now, or failed ─┴──────────────────────────┘   BURYING ────────┘
 * </pre>
 *
 * <p>Instead of WAITING, one that failed may be RETURNING: a copy is published that the broker
 * brings back later, and it is finished.
 *
 * <p>A dead letter is published before the key is settled as failed: if the process dies in
 * between, the key is claimed again, has no attempts left, and a second letter is published. The
 * other way round, the message would be taken for a copy of a failed key, and the letter be
 * missing.
 */
final class Courses<R extends @Nullable Object> {

  private static final System.Logger LOG = System.getLogger("dev.onlyonce.messaging");
  private static final Duration LOST_PAUSE = Duration.ofSeconds(1);
  private static final Duration IN_DOUBT_PAUSE = Duration.ofSeconds(30);
  private static final Backoff STORE_AWAY =
      Backoff.exponential(Duration.ofMillis(100), 2, Duration.ofSeconds(10));

  private final BatchDriver<R> driver;
  private final Events events;
  private final Traffic<R> traffic;
  private final Acknowledgements acknowledgements;
  private final Timers timers;
  private final Mailbox mailbox;
  private final Intake<R> intake;
  private final DeadLetterDesk<R> desk;
  private final RetryDesk<R> retries;
  private final boolean mayGiveBack;

  private final Calls<R> store;
  private final Handlers<R> handlers;
  private final Executor resolvers = Threads.pool(1, "onlyonce-resolver");

  Courses(
      BatchDriver<R> driver,
      Events events,
      ConsumerPlan<R> plan,
      Traffic<R> traffic,
      Acknowledgements acknowledgements,
      Timers timers,
      Mailbox mailbox) {
    this.driver = driver;
    this.events = events;
    this.traffic = traffic;
    this.acknowledgements = acknowledgements;
    this.timers = timers;
    this.mailbox = mailbox;
    this.intake = new Intake<>(driver.plan().scope(), plan, events);
    this.desk =
        new DeadLetterDesk<>(plan.deadLetters(), events, mailbox, timers, this::leaveUnburied);
    this.retries = new RetryDesk<>(plan.retries(), driver.plan().scope(), mailbox);
    this.mayGiveBack = driver.plan().mode() != DeliveryMode.AT_MOST_ONCE;
    this.store = calls(driver, plan, acknowledgements);
    this.handlers = new Handlers<>(driver, plan, mailbox, this::ran, this::giveBack, mayGiveBack);
  }

  private Calls<R> calls(
      BatchDriver<R> driver, ConsumerPlan<R> plan, Acknowledgements acknowledgements) {
    if (plan.transaction() == null) {
      return new StoreCalls<>(driver, plan.batch(), !mayGiveBack, mailbox, this::route);
    }
    return new TransactionCalls<>(
        plan.transaction(),
        driver,
        events,
        plan,
        acknowledgements,
        timers,
        mailbox,
        new TransactionCalls.Ends<>() {
          @Override
          public void ended(Work<R> work, Outcome<R> outcome) {
            Courses.this.ended(work, outcome);
          }

          @Override
          public void storeFailed(Work<R> work, StoreException failure) {
            Courses.this.storeFailed(work, failure);
          }
        });
  }

  // ---- arrival

  void accept(Arrival arrival, long poll) {
    Work<R> work = new Work<>(arrival, poll);
    acknowledgements.arrived(arrival, poll);
    traffic.add(work);
    Intake.Refused refused = intake.read(work);
    if (refused == null) {
      begin(work);
    } else if (refused.isBypassed()) {
      work.isUnprotected = true;
      enqueue(work);
    } else {
      bury(work, Reason.UNKEYED, refused.detail(), null, () -> finish(work, false));
    }
  }

  /** Begins with a delivery that has a key, unless it is the copy of one that is under way. */
  private void begin(Work<R> work) {
    if (isRemembered(work) && !traffic.takeKey(work, Objects.requireNonNull(work.key))) {
      return; // it is the copy of one that is under way
    }
    enqueue(work);
  }

  private boolean isRemembered(Work<R> work) {
    return !work.isUnprotected && driver.plan().mode() != DeliveryMode.AT_LEAST_ONCE;
  }

  private void enqueue(Work<R> work) {
    work.state = State.READY;
    store.claim(traffic.enqueue(work));
  }

  // ---- a turn

  /** Begins everything that can be begun. */
  void proceed() {
    store.proceed();
    handlers.proceed();
  }

  /** Tells whether there is more to begin at once. */
  boolean isUrgent() {
    return store.isUrgent();
  }

  private void ran(Work<R> work) {
    if (hasReturned(Objects.requireNonNull(work.passage).step())) {
      next(traffic.returned(work)); // the effect has happened: those behind it need not wait
    }
    route(work);
  }

  private static boolean hasReturned(Step<?> step) {
    return (step instanceof Step.Settle<?> settle
            && settle.settlement() instanceof Settlement.Complete)
        || (step instanceof Step.End<?> end && end.outcome() instanceof Outcome.Processed);
  }

  private void next(@Nullable Line<R> line) {
    if (line != null) {
      store.claim(line);
      handlers.run(line);
    }
  }

  // ---- steps

  private void route(Work<R> work) {
    Passage<R> passage = Objects.requireNonNull(work.passage);
    Step<R> step = passage.step();
    if (step instanceof Step.Run<R>) {
      claimed(work);
    } else if (step instanceof Step.Ask<R>) {
      ready(work);
    } else if (step instanceof Step.Settle<R> settle) {
      settling(work, settle.settlement());
    } else if (step instanceof Step.GiveUp<R>) {
      holdBack(work, State.SETTLING);
      store.settle(work);
    } else if (step instanceof Step.Resolve<R>) {
      holdBack(work, State.SETTLING);
      resolve(work, passage);
    } else if (step instanceof Step.Wait<R> wait) {
      holdBack(work, State.SETTLING);
      timers.after(
          wait.duration(),
          () -> {
            driver.waited(passage, work.isLeaving);
            retryStep(work);
          });
    } else if (step instanceof Step.Fault<R> fault) {
      work.passage = driver.beginAgain(passage, Objects.requireNonNull(work.key), work.fingerprint);
      storeFailed(work, fault.cause());
    } else {
      ended(work, ((Step.End<R>) step).outcome());
    }
  }

  private void resolve(Work<R> work, Passage<R> passage) {
    work.isAway = true;
    resolvers.execute(
        () -> {
          boolean isSeen =
              mailbox.after(
                  () -> driver.resolve(passage),
                  () -> {
                    work.isAway = false;
                    route(work);
                  });
          if (!isSeen) {
            driver.finishAlone(passage);
          }
        });
  }

  /** Repeats a step that the store has failed at; a dead letter is not published again. */
  private void retryStep(Work<R> work) {
    Step<R> step = Objects.requireNonNull(work.passage).step();
    if (step instanceof Step.Settle<R> || step instanceof Step.GiveUp<R>) {
      store.settle(work);
    } else {
      route(work);
    }
  }

  private void claimed(Work<R> work) {
    Line<R> line = Objects.requireNonNull(work.line);
    work.state = State.CLAIMED;
    if (mayGiveBack && (work.isLeaving || line.isHeldBack(work))) {
      giveBack(work);
    } else {
      handlers.run(line);
    }
  }

  private void giveBack(Work<R> work) {
    work.state = State.SETTLING;
    Passage<R> passage = Objects.requireNonNull(work.passage);
    driver.withdraw(passage);
    if (passage.step() instanceof Step.Settle<R>) {
      store.settle(work);
    } else {
      route(work);
    }
  }

  private void settling(Work<R> work, Settlement settlement) {
    if (settlement instanceof Settlement.Fail fail && !work.isBuried) {
      bury(work, Reason.FAILED, fail.reason(), fail.claim(), () -> store.settle(work));
      return;
    }
    holdBack(work, State.SETTLING);
    store.settle(work);
  }

  private void storeFailed(Work<R> work, StoreException failure) {
    work.failures++;
    if (Integer.bitCount(work.failures) == 1) {
      LOG.log(Level.WARNING, "a message waits for the store: " + failure.getMessage());
    }
    pauses(work, STORE_AWAY.delay(work.failures));
  }

  private void ended(Work<R> work, Outcome<R> outcome) {
    work.failures = 0;
    work.outcome = outcome;
    if (outcome instanceof Outcome.Processed<R>) {
      finish(work, true);
    } else if (outcome instanceof Outcome.Duplicate<R>) {
      finish(work, false);
    } else if (outcome instanceof Outcome.Failed<R> failed) {
      failed(work, failed);
    } else if (outcome instanceof Outcome.Mismatch<R> mismatch) {
      String detail = "the key is known with another payload, of fingerprint " + mismatch.stored();
      bury(work, Reason.MISMATCH, detail, null, () -> finish(work, false));
    } else if (outcome instanceof Outcome.InDoubt<R> doubt) {
      inDoubt(work, doubt);
    } else if (outcome instanceof Outcome.Released<R> released) {
      released(work, released);
    } else if (outcome instanceof Outcome.Deferred<R> deferred) {
      waits(work, deferred.left());
    } else if (outcome instanceof Outcome.InProgress<R> busy) {
      waits(work, Objects.requireNonNull(busy.retryAfter()));
    } else {
      waits(work, LOST_PAUSE); // another has taken over, and what that one says counts
    }
  }

  /** Failed now, without a claim that was settled so; or before, when its letter was written. */
  private void failed(Work<R> work, Outcome.Failed<R> failed) {
    Runnable end = () -> store.fail(work, failed.reason(), () -> finish(work, false));
    if (failed.cause() == null || (work.passage != null && work.isBuried)) {
      finish(work, false);
    } else if (work.isBuried) {
      end.run();
    } else {
      bury(work, Reason.FAILED, failed.reason(), uncounted(work), end);
    }
  }

  /** Returns the claim of an attempt that the store does not count. */
  private @Nullable Claim uncounted(Work<R> work) {
    return work.key == null
        ? null
        : new Claim(driver.plan().scope(), work.key, 0, Math.max(1, work.attempts));
  }

  /** The next attempt is waited for, here or at the broker. */
  private void released(Work<R> work, Outcome.Released<R> released) {
    Duration delay = released.retryAfter();
    work.attempts = released.attempt();
    boolean isCounted = driver.plan().mode() == DeliveryMode.EFFECTIVELY_ONCE;
    Optional<String> destination =
        isCounted && !work.isLeaving ? retries.destination(work, delay) : Optional.empty();
    if (destination.isEmpty()) {
      waits(work, delay);
      return;
    }
    work.passage = null;
    holdBack(work, State.RETURNING);
    retries.handOver(
        work,
        destination.get(),
        released.attempt(),
        () -> finish(work, false),
        () -> waits(work, delay));
  }

  private void inDoubt(Work<R> work, Outcome.InDoubt<R> doubt) {
    if (doubt.askAgainAfter() != null) {
      waits(work, doubt.askAgainAfter());
    } else if (!desk.isOpen()) {
      waits(work, IN_DOUBT_PAUSE);
    } else {
      Claim claim =
          new Claim(
              driver.plan().scope(),
              Objects.requireNonNull(work.key),
              doubt.token(),
              doubt.attempt());
      String detail = "whether the effect of attempt " + doubt.attempt() + " happened is not known";
      bury(work, Reason.IN_DOUBT, detail, claim, () -> finish(work, false));
    }
  }

  // ---- waiting

  /** Those behind it in its line must not be handled before it: they give back their claims. */
  private void holdBack(Work<R> work, State state) {
    work.state = state;
    Line<R> line = work.line;
    if (line != null && mayGiveBack) {
      line.claimedBehind(work).forEach(this::giveBack);
    }
  }

  /** Its key is asked for anew after this time. */
  private void waits(Work<R> work, Duration duration) {
    work.passage = null;
    pauses(work, duration);
  }

  private void pauses(Work<R> work, Duration duration) {
    if (work.isLeaving) {
      drop(work);
      return;
    }
    if (duration.isZero()) {
      ready(work);
      return;
    }
    holdBack(work, State.WAITING);
    if (work.line != null) {
      work.line.waits();
    }
    timers.after(
        duration,
        () -> {
          if (work.state == State.WAITING) {
            ready(work);
          }
        });
  }

  private void ready(Work<R> work) {
    if (work.isLeaving) {
      drop(work);
    } else if (work.line == null) {
      enqueue(work);
    } else {
      work.state = State.READY;
      next(work.line);
    }
  }

  // ---- dead letters

  private void bury(
      Work<R> work, Reason reason, String detail, @Nullable Claim claim, Runnable then) {
    DeadLetterMessage letter =
        new DeadLetterMessage(
            work.delivery(), driver.plan().scope(), work.key, claim, reason, detail);
    holdBack(work, State.BURYING);
    desk.bury(work, letter, then);
  }

  /** It stays unacknowledged, and whoever gets it next publishes its letter. */
  private void leaveUnburied(Work<R> work) {
    if (work.passage != null && work.passage.step() instanceof Step.Settle<R>) {
      work.isBuried = true;
      giveBack(work);
    } else {
      drop(work);
    }
  }

  // ---- the end

  private void finish(Work<R> work, boolean byHandler) {
    Outcome<R> outcome = work.outcome;
    List<Work<R>> others = new ArrayList<>();
    List<Work<R>> followers = new ArrayList<>();
    for (Work<R> copy : work.copies) {
      boolean follows = !copy.isLeaving && outcome != null && intake.follows(copy, work, outcome);
      (follows ? followers : others).add(copy);
    }
    remove(work, others);
    if (work.isAbandoned) {
      acknowledgements.abandoned(work.poll);
    } else {
      acknowledgements.finished(work.arrival, work.poll, byHandler);
    }
    followers.forEach(it -> finish(it, false));
  }

  private void drop(Work<R> work) {
    if (work.state == State.GONE) {
      return;
    }
    if (work.passage != null) {
      driver.release(work.passage);
    }
    remove(work, List.copyOf(work.copies));
    if (work.isAbandoned) {
      acknowledgements.abandoned(work.poll);
    } else {
      acknowledgements.dropped(work.arrival, work.poll);
    }
  }

  /**
   * Knows a delivery no more. The first of its copies that stays takes its key, and its place in
   * the line, so that nobody behind overtakes; the other copies are copies of that one.
   */
  private void remove(Work<R> work, List<Work<R>> copies) {
    work.state = State.GONE;
    Line<R> line = work.line;
    List<Work<R>> staying = copies.stream().filter(it -> !it.isLeaving).toList();
    Work<R> heir = staying.isEmpty() ? null : staying.get(0);
    if (line != null && heir != null) {
      line.replace(work, heir);
      traffic.remove(work);
      traffic.takeKey(heir, Objects.requireNonNull(heir.key));
      heir.state = State.READY;
      next(line);
      staying = staying.subList(1, staying.size());
    } else {
      next(traffic.dequeue(work));
      traffic.remove(work);
    }
    staying.forEach(this::begin);
    copies.stream().filter(it -> it.isLeaving).forEach(this::drop);
  }

  // ---- lanes that go, and the end

  void stopClaiming() {
    store.stopClaiming();
  }

  /** Gives back what is under way in these lanes, as far as it has not been begun. */
  void leave(Set<String> lanes) {
    List<Work<R>> leaving = those(lanes);
    leaving.forEach(it -> it.isLeaving = true);
    for (Work<R> work : leaving) {
      switch (work.state) {
        case READY, WAITING -> drop(work);
        case CLAIMED -> {
          if (mayGiveBack) {
            giveBack(work);
          }
        }
        case BURYING -> {
          if (work.failures > 0) {
            leaveUnburied(work);
          }
        }
        case RUNNING -> {
          if (mayGiveBack && handlers.takeBack(work)) {
            work.isAway = false;
            giveBack(work);
          }
        }
        case ASKED, SETTLING, RETURNING, GONE -> {}
      }
    }
  }

  private List<Work<R>> those(Set<String> lanes) {
    return traffic.those(it -> lanes.contains(it.arrival.lane()));
  }

  boolean isUnderWay(Set<String> lanes) {
    return traffic.any(it -> lanes.contains(it.arrival.lane()));
  }

  /** What is under way in these lanes still goes on, and is not acknowledged. */
  void abandon(Set<String> lanes) {
    store.leave(lanes);
    those(lanes).forEach(it -> it.isAbandoned = true);
  }

  /** Tells whether nothing is on its way: no call of the store, no handler. */
  boolean isIdle() {
    return store.isIdle() && handlers.isIdle();
  }

  /** Interrupts the handlers that run. */
  void interrupt() {
    for (Work<R> work : traffic.those(it -> it.state == State.RUNNING)) {
      if (work.passage != null) {
        work.passage.leave();
      }
    }
  }

  /**
   * Nothing more will be done here: settles what is done, gives back the rest. What another thread
   * has at the moment, that thread ends.
   */
  void end() {
    int left = traffic.those(it -> it.state == State.RUNNING).size();
    if (left > 0) {
      LOG.log(
          Level.WARNING,
          "handlers that do not end: "
              + left
              + "; their claims are renewed and settled when they do, but their messages come"
              + " again");
    }
    for (Work<R> work : traffic.those(it -> !it.isAway && it.passage != null)) {
      try {
        driver.finishAlone(Objects.requireNonNull(work.passage));
      } catch (RuntimeException | Error e) {
        LOG.log(Level.WARNING, "a message could not be ended, its claim is left to its lease", e);
      }
    }
    store.end();
  }
}
