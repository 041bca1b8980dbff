package dev.onlyonce.internal;

import dev.onlyonce.Handler;
import dev.onlyonce.Key;
import dev.onlyonce.Outcome;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Takes a flow through its steps on the caller's thread: it asks the store, runs the handler,
 * waits. One driver serves one message.
 *
 * <p>An interrupt of the caller's does not end it early, except for a wait for another holder, and
 * is there again when it returns. One that the engine sent to the handler is not.
 */
public final class BlockingDriver<R extends @Nullable Object> {

  /** The keys that this thread is handling, innermost first. */
  private static final ThreadLocal<@Nullable Nested> NESTED = new ThreadLocal<>();

  private record Nested(ClaimStore store, Scope scope, Key key, @Nullable Nested outer) {}

  private final Engine engine;
  private final Plan<R> plan;
  private final Flow<R> flow;
  private final Handler<R, ?> handler;
  private final boolean interruptWhenLost;
  private @Nullable HeldClaim held;
  private long handlingNanos;
  private boolean interrupted;

  /** Makes the driver of one flow. */
  public BlockingDriver(
      Engine engine, Plan<R> plan, Flow<R> flow, Handler<R, ?> handler, boolean interruptWhenLost) {
    this.engine = engine;
    this.plan = plan;
    this.flow = flow;
    this.handler = handler;
    this.interruptWhenLost = interruptWhenLost;
  }

  /**
   * Drives the flow to its end.
   *
   * @throws StoreException if the store failed
   * @throws IllegalStateException if this thread is handling the same key already
   */
  public Outcome<R> run(Key key) {
    Nested outer = NESTED.get();
    refuseNesting(outer, key);
    engine.enter();
    NESTED.set(new Nested(engine.store, plan.scope(), key, outer));
    long startedNanos = engine.time.nanoTime();
    try {
      Step<R> step = flow.start();
      while (!(step instanceof Step.End<R> end)) {
        step = perform(step);
      }
      StoreSteps.publishCompleted(engine, end.outcome(), startedNanos, handlingNanos);
      return end.outcome();
    } finally {
      stopRenewing();
      if (outer == null) {
        NESTED.remove();
      } else {
        NESTED.set(outer);
      }
      engine.leave();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void refuseNesting(@Nullable Nested innermost, Key key) {
    for (Nested nested = innermost; nested != null; nested = nested.outer()) {
      if (nested.store() == engine.store
          && nested.key().equals(key)
          && nested.scope().equals(plan.scope())) {
        throw new IllegalStateException(
            "this thread is handling key "
                + key
                + " of scope "
                + plan.scope()
                + " already: a handler must not process its own key");
      }
    }
  }

  private Step<R> perform(Step<R> step) {
    if (step instanceof Step.Run<R> run) {
      return handle(run);
    }
    if (step instanceof Step.Resolve<R> resolve) {
      return flow.resolved(StoreSteps.resolve(plan, resolve.doubt()));
    }
    if (step instanceof Step.Wait<R> wait) {
      pause(wait.duration());
      return flow.waited(interrupted || engine.isClosed());
    }
    if (step instanceof Step.Fault<R> fault) {
      throw StoreSteps.fault(fault);
    }
    if (step instanceof Step.GiveUp<R>) {
      stopRenewing();
    }
    return StoreSteps.perform(engine, flow, step);
  }

  private Step<R> handle(Step.Run<R> run) {
    HeldClaim attempt =
        new HeldClaim(
            engine.renewals, run, plan.lease(), Thread.currentThread(), interruptWhenLost);
    held = attempt;
    engine.renewals.add(attempt);
    long startedNanos = engine.time.nanoTime();
    R result;
    try {
      result = handler.handle(attempt);
    } catch (Throwable thrown) {
      handlingNanos = engine.time.nanoTime() - startedNanos;
      HeldClaim.Interrupt sent = attempt.handlerEnded();
      interrupted |= thrown instanceof InterruptedException && sent == HeldClaim.Interrupt.NONE;
      return flow.threw(thrown, sent == HeldClaim.Interrupt.TO_LEAVE);
    }
    handlingNanos = engine.time.nanoTime() - startedNanos;
    attempt.handlerEnded();
    return flow.returned(result);
  }

  private void stopRenewing() {
    if (held != null) {
      engine.renewals.remove(held);
      held = null;
    }
  }

  /** Waits all of it; an interrupt is kept for the end. */
  private void pause(Duration duration) {
    long endNanos = engine.time.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = endNanos - engine.time.nanoTime()) {
      LockSupport.parkNanos(this, left);
      interrupted |= Thread.interrupted();
    }
  }
}
