package dev.onlyonce.internal.messaging;

import dev.onlyonce.Backoff;
import dev.onlyonce.internal.BatchDriver;
import dev.onlyonce.internal.Events;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Source;
import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.Time;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A consumer: one thread, which polls the source and does everything that changes what is under
 * way. It never waits for a store, a handler or a publisher: these work elsewhere and post what
 * came of it. So a source is polled in time, however long a handler takes.
 *
 * <h2>A turn</h2>
 *
 * <p>What was posted, and timers that are due; then a batch of claims, a batch of settlements, as
 * many handlers as may run, the acknowledgements; then a poll, which ends as soon as anything is
 * posted.
 *
 * <h2>Lanes that go</h2>
 *
 * <p>The source tells so from inside a poll. There the loop takes turns without polling until
 * nothing of these lanes is under way, or the grace is over. What had not been begun is given back
 * with its attempt; a handler that goes on all the same settles by its token, and is not
 * acknowledged.
 */
public final class ConsumerLoop<R extends @Nullable Object> implements Source.Ownership {

  private static final System.Logger LOG = System.getLogger("dev.onlyonce.messaging");
  private static final Backoff AWAY =
      Backoff.exponential(Duration.ofMillis(100), 2, Duration.ofSeconds(3));
  private static final long IDLE_NANOS = Duration.ofMillis(500).toNanos();

  /** How many finished deliveries of a lane may wait for an earlier one, for each under way. */
  private static final int AHEAD = 10;

  private final Source source;
  private final BatchDriver<R> driver;
  private final Events events;
  private final ConsumerPlan<R> plan;
  private final Time time;
  private final Timers timers;
  private final Mailbox mailbox;
  private final Acknowledgements acknowledgements;
  private final Traffic<R> traffic = new Traffic<>();
  private final Courses<R> courses;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Thread thread;

  // Of the loop's thread.
  private long polls;
  private long polledNanos;
  private int failedPolls;
  private boolean isAway;
  private @Nullable Duration grace;
  private long graceEndNanos;
  private boolean isInterrupted;
  private @Nullable RuntimeException failure;

  /** Makes a loop, which begins with {@link #start()}. */
  public ConsumerLoop(Source source, BatchDriver<R> driver, Events events, ConsumerPlan<R> plan) {
    this.source = source;
    this.driver = driver;
    this.events = events;
    this.plan = plan;
    this.time = driver.time();
    this.timers = new Timers(time);
    this.mailbox = new Mailbox(source::wakeUp);
    this.acknowledgements = new Acknowledgements(plan.acknowledge(), AHEAD * plan.mostUnderWay());
    this.courses = new Courses<>(driver, events, plan, traffic, acknowledgements, timers, mailbox);
    this.thread = new Thread(this::run, "onlyonce-consumer-" + driver.plan().scope());
    thread.setDaemon(false); // a program that consumes does not end by itself
  }

  /**
   * Starts the thread.
   *
   * @throws IllegalStateException if the engine has been closed
   */
  public void start() {
    String reads = source.description();
    driver.enter(() -> mailbox.post(() -> {}));
    LOG.log(
        Level.INFO,
        "consumer of scope "
            + driver.plan().scope()
            + ": "
            + Guarantee.of(driver.plan(), plan)
            + "; reads "
            + reads);
    thread.start();
  }

  /** Returns what is completed when the loop has ended. */
  public CompletableFuture<Void> ended() {
    return ended;
  }

  /** Returns how many deliveries are under way. */
  public int underWay() {
    return traffic.size();
  }

  /** Acknowledges a delivery in mode manual. */
  public void acknowledgeManually(Delivery delivery) {
    mailbox.post(() -> acknowledgements.acknowledged(delivery));
  }

  /** Ends the loop and waits for that. */
  public void close() {
    close(plan.grace());
  }

  /** Ends the loop and waits for that, with another grace for handlers. */
  public void close(Duration otherGrace) {
    mailbox.post(() -> leave(otherGrace));
    if (Thread.currentThread() != thread) {
      ended.exceptionally(thrown -> null).join();
    }
  }

  private void run() {
    try {
      while (!isOver()) {
        turn();
        poll();
      }
    } catch (Throwable e) {
      failure = new IllegalStateException("the consumer has failed and ends: " + e, e);
      LOG.log(Level.ERROR, failure.getMessage(), e);
    } finally {
      end();
    }
  }

  /** Does everything that can be done now, but for polling. */
  private void turn() {
    Thread.interrupted(); // whoever has interrupted this thread has not meant the source
    mailbox.run();
    timers.run();
    if (driver.isClosed()) {
      leave(plan.grace());
    }
    courses.proceed();
    acknowledge();
  }

  private void acknowledge() {
    try {
      acknowledgements.send(source);
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "acknowledgements were not taken, these messages come again", e);
    }
  }

  private boolean isOver() {
    if (grace == null) {
      return false;
    }
    if (traffic.isEmpty() && courses.isIdle()) {
      return true;
    }
    if (time.nanoTime() - graceEndNanos < 0) {
      return false;
    }
    if (isInterrupted) {
      return true;
    }
    isInterrupted = true;
    graceEndNanos = time.nanoTime() + grace.toNanos();
    courses.interrupt();
    return false;
  }

  /** Takes no more messages, and gives back what was not begun. */
  private void leave(Duration given) {
    boolean isNews = grace == null;
    if (isNews || (!isInterrupted && given.compareTo(grace) < 0)) {
      grace = given;
      graceEndNanos = time.nanoTime() + given.toNanos();
    }
    if (isNews) {
      courses.stopClaiming();
      courses.leave(acknowledgements.lanes());
    }
  }

  private void poll() {
    int most = room();
    boolean isWorthIt = most >= leastRoom();
    long sincePoll = time.nanoTime() - polledNanos;
    if (isAway || failure != null || (!isWorthIt && sincePoll < IDLE_NANOS)) {
      long nanos = isAway || failure != null ? IDLE_NANOS : IDLE_NANOS - sincePoll;
      mailbox.await(isOver() || courses.isUrgent() ? 0 : timers.nanosToNext(nanos));
      return;
    }
    Set<String> full = acknowledgements.full();
    full.addAll(traffic.lanesWith(share()));
    boolean isBusy = mailbox.polls();
    long waitNanos = isBusy || isOver() || courses.isUrgent() ? 0 : timers.nanosToNext(IDLE_NANOS);
    List<Source.Arrival> arrivals;
    try {
      arrivals =
          source.poll(
              new Source.Demand(isWorthIt ? most : 0, Duration.ofNanos(waitNanos), full), this);
      failedPolls = 0;
    } catch (SourceException e) {
      pollFailed(e);
      return;
    } finally {
      mailbox.polled();
      polledNanos = time.nanoTime();
    }
    // What came while the consumer was closed, from within the poll, is left to the next one.
    if (!arrivals.isEmpty() && grace == null) {
      polls++;
      for (Source.Arrival arrival : arrivals) {
        courses.accept(arrival, polls);
      }
    }
  }

  private int room() {
    int room = plan.mostUnderWay() - traffic.size() - acknowledgements.withheld();
    return grace == null ? Math.max(0, Math.min(room, plan.batch())) : 0;
  }

  /** A poll for few is worth it only if there is nothing else to do. */
  private int leastRoom() {
    return courses.isIdle() ? 1 : Math.max(1, Math.min(plan.batch(), plan.mostUnderWay()) / 4);
  }

  /** One lane cannot take all the room from the others, also not from those not seen yet. */
  private int share() {
    long most = plan.mostUnderWay();
    int lanes = Math.max(1, acknowledgements.lanes().size());
    return (int) Math.max(1, Math.min(3 * most / 4, 2 * most / (lanes + 1)));
  }

  private void pollFailed(SourceException e) {
    events.publish(new Event.SourceFailed(driver.plan().scope(), e));
    failedPolls++;
    if (e.kind() == SourceException.Kind.FINAL) {
      failure = e;
      LOG.log(Level.ERROR, "the consumer ends: " + e.getMessage());
      leave(plan.grace());
      return;
    }
    if (Integer.bitCount(failedPolls) == 1) {
      LOG.log(Level.WARNING, "messages cannot be received, this is tried again: " + e.getMessage());
    }
    isAway = true;
    timers.after(AWAY.delay(failedPolls), () -> isAway = false);
  }

  @Override
  public void revoked(Set<String> lanes) {
    courses.leave(lanes);
    long endNanos = time.nanoTime() + plan.grace().toNanos();
    turn();
    while (courses.isUnderWay(lanes) && endNanos - time.nanoTime() > 0) {
      mailbox.await(courses.isUrgent() ? 0 : timers.nanosToNext(endNanos - time.nanoTime()));
      turn();
    }
    courses.abandon(lanes);
    acknowledgements.forget(lanes);
    if (mailbox.polls()) {
      source.wakeUp(); // the poll goes on
    }
  }

  @Override
  public void lost(Set<String> lanes) {
    courses.leave(lanes);
    courses.abandon(lanes);
    acknowledgements.forget(lanes);
  }

  private void end() {
    mailbox.close();
    unlessItFails("ending what is under way", courses::end);
    acknowledge();
    unlessItFails("closing the source", source::close);
    driver.leave();
    if (failure == null) {
      ended.complete(null);
    } else {
      ended.completeExceptionally(failure);
    }
  }

  private static void unlessItFails(String what, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "a consumer ends, and " + what + " failed", e);
    }
  }
}
