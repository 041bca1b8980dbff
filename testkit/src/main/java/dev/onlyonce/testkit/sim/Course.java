package dev.onlyonce.testkit.sim;

import dev.onlyonce.Key;
import dev.onlyonce.Outcome;
import dev.onlyonce.Resolver;
import dev.onlyonce.internal.Events;
import dev.onlyonce.internal.Flow;
import dev.onlyonce.internal.Step;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.testkit.sim.Broker.Message;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One delivery on its way through the production engine's {@link Flow}: the simulated driver, and
 * the handler that it runs.
 */
final class Course {

  private static final long BANK_TIME_OUT_MICROS = 700_000;
  private static final Events NO_EVENTS = new Events(List.of());

  private final World world;
  private final Worker worker;
  private final Message message;
  private final Flow<String> flow;
  private Step.@Nullable Run<String> running;
  private boolean renewing;
  private long mayStillSend;
  private boolean toldLost;
  private long leaseEndNanos;

  Course(World world, Worker worker, Message message) {
    this.world = world;
    this.worker = worker;
    this.message = message;
    this.flow = new Flow<>(world.plan(), NO_EVENTS, message.key(), null, world.dice().id());
  }

  Message message() {
    return message;
  }

  boolean mayStillSend(Key key, long token) {
    return mayStillSend != 0 && mayStillSend <= token && message.key().equals(key);
  }

  void begin() {
    world.say("%s gets %s", worker, message);
    report(flow::start);
  }

  /** Tells the flow, and takes the next step a moment later. */
  private void report(Supplier<Step<String>> input) {
    Step<String> step = input.get();
    world.say("%s %s: %s", worker, message, step);
    if (world.habits().acknowledges(step)) {
      world.acknowledge(message, step);
    }
    worker.after(world.dice().between(10, 200), () -> take(step));
  }

  private void take(Step<String> step) {
    long asked = nanos();
    if (step instanceof Step.Ask<String> ask) {
      world
          .wire()
          .send(
              worker,
              () -> granted(world.ledger().claim(ask.request())),
              answer -> report(() -> flow.answered(answer, asked, nanos())),
              failure -> report(() -> flow.storeFailed(failure, nanos())));
    } else if (step instanceof Step.Settle<String> settle) {
      world
          .wire()
          .send(
              worker,
              () -> world.ledger().settle(settle.settlement()),
              held -> report(() -> flow.settled(held)),
              failure -> report(() -> flow.storeFailed(failure, nanos())));
    } else if (step instanceof Step.GiveUp<String> giveUp) {
      renewing = false;
      world
          .wire()
          .send(
              worker,
              () -> world.ledger().renew(giveUp.renewal()),
              held -> report(() -> flow.settled(held)),
              failure -> report(() -> flow.storeFailed(failure, nanos())));
    } else if (step instanceof Step.Wait<String> wait) {
      boolean hurried = world.dice().happens(world.dice().waiterHurried);
      worker.after(micros(wait.duration()), () -> report(() -> flow.waited(hurried)));
    } else if (step instanceof Step.Resolve<String> resolve) {
      resolve(resolve.doubt());
    } else if (step instanceof Step.Run<String> run) {
      handle(run);
    } else {
      end(step);
    }
  }

  /** From here on, not only from when it hears of it, this attempt may come to send something. */
  private Answer granted(Answer answer) {
    if (answer instanceof Answer.Claimed claimed) {
      mayStillSend = claimed.claim().token();
    }
    return answer;
  }

  private void resolve(Resolver.Doubt doubt) {
    world.tally().inDoubt++;
    world
        .schedule()
        .after(
            world.dice().between(1_000, 30_000),
            () -> {
              Resolver.Verdict<String> verdict = verdict(doubt);
              world.say("resolver says %s of %s", verdict, doubt);
              worker.after(
                  world.dice().between(1_000, 100_000), () -> report(() -> flow.resolved(verdict)));
            });
  }

  private Resolver.Verdict<String> verdict(Resolver.Doubt doubt) {
    boolean mayDeny = world.habits().mayDeny(world, doubt.key(), doubt.token());
    if (world.bank().hasHappened(doubt.key())) {
      return new Resolver.Happened<>(World.receiptOf(doubt.key()));
    }
    return mayDeny ? new Resolver.DidNotHappen<>() : new Resolver.Unknown<>();
  }

  // The handler.

  private void handle(Step.Run<String> run) {
    Dice dice = world.dice();
    running = run;
    toldLost = false;
    leaseEndNanos = run.leaseEndNanos();
    renewing = run.leased();
    if (renewing) {
      worker.after(World.LEASE_MICROS / 3, this::renew);
    }
    long work =
        dice.happens(dice.slow)
            ? dice.between(50_000, 4 * World.LEASE_MICROS)
            : dice.between(500, 100_000);
    worker.after(work, this::goToTheBank);
  }

  private void goToTheBank() {
    Dice dice = world.dice();
    boolean leased = running().leased();
    boolean isLost = leased && (toldLost || leaseEndNanos - nanos() <= 0);
    if (isLost && dice.happens(dice.looksAtItsLease)) {
      threw(new World.Clean("saw that its lease is lost"), false);
    } else if (dice.happens(dice.interrupted)) {
      threw(new World.Clean("interrupted since its worker shuts down"), true);
    } else if (dice.happens(dice.failsForGood)) {
      threw(new World.Final("the card does not exist"), false);
    } else if (dice.happens(dice.failsCleanly)) {
      threw(new World.Clean("not today"), false);
    } else {
      askTheBank();
    }
  }

  private void askTheBank() {
    Dice dice = world.dice();
    mayStillSend = 0;
    boolean[] heard = new boolean[1];
    world
        .bank()
        .send(
            worker,
            message.key(),
            running().claim().token(),
            reply -> {
              if (!heard[0]) {
                heard[0] = true;
                replied(reply);
              }
            });
    boolean leaving = dice.happens(dice.interrupted);
    worker.after(
        leaving ? dice.between(1_000, 50_000) : BANK_TIME_OUT_MICROS,
        () -> {
          if (!heard[0]) {
            heard[0] = true;
            threw(unanswered(leaving), leaving);
          }
        });
  }

  /**
   * A handler that is interrupted need not know what that means for its effect, except to rerun.
   */
  private World.Failure unanswered(boolean leaving) {
    return leaving && world.setup().doubt() != Setup.Doubt.RERUN
        ? new World.CutShort("interrupted while the bank was asked")
        : new World.Doubtful("the bank has not answered");
  }

  private void replied(SimulatedBank.Reply reply) {
    if (reply == SimulatedBank.Reply.STALE) {
      threw(new World.Clean("the bank says that the token is too small"), false);
    } else {
      worker.after(
          world.dice().between(500, 20_000),
          () -> report(() -> flow.returned(World.receiptOf(message.key()))));
    }
  }

  private void threw(Throwable thrown, boolean leaving) {
    mayStillSend = 0;
    report(() -> flow.threw(thrown, leaving));
  }

  private Step.Run<String> running() {
    return Objects.requireNonNull(running);
  }

  private void renew() {
    if (!renewing) {
      return;
    }
    worker.after(World.LEASE_MICROS / 3, this::renew);
    if (world.dice().happens(world.dice().renewalSkipped)) {
      return;
    }
    long asked = nanos();
    Renewal renewal = new Renewal(running().claim(), World.LEASE, null);
    world
        .wire()
        .send(
            worker,
            () -> world.ledger().renew(renewal),
            held -> {
              toldLost |= held == Held.LOST;
              leaseEndNanos = held == Held.HELD ? asked + World.LEASE.toNanos() : leaseEndNanos;
            },
            failure -> {});
  }

  // The end.

  private void end(Step<String> step) {
    renewing = false;
    mayStillSend = 0;
    worker.ended(this);
    if (step instanceof Step.End<String> end) {
      world.check(message, end.outcome());
      deliverAgain(end.outcome());
    } else {
      world.broker().deliverAgain(message);
    }
  }

  private void deliverAgain(Outcome<String> outcome) {
    Duration after = null;
    if (outcome instanceof Outcome.Released<String> released) {
      after = released.retryAfter();
    } else if (outcome instanceof Outcome.InProgress<String> busy) {
      after = busy.retryAfter() == null ? Duration.ofSeconds(1) : busy.retryAfter();
    } else if (outcome instanceof Outcome.Deferred<String> deferred) {
      after = deferred.left();
    } else if (outcome instanceof Outcome.InDoubt<String> doubt) {
      after = doubt.askAgainAfter();
    } else if (outcome instanceof Outcome.Lost) {
      after = Duration.ofMillis(100);
    }
    if (after != null) {
      world.broker().deliverAfter(message, micros(after) + world.dice().upTo(10_000));
    }
  }

  private long nanos() {
    return world.schedule().time().nanoTime();
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }
}
