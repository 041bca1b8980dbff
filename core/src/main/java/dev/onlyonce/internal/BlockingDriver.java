package dev.onlyonce.internal;

import dev.onlyonce.Handler;
import dev.onlyonce.Outcome;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
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

  /**
   * The driver that this thread is in, innermost first. The reference stays with the thread, empty:
   * that costs a tenth of removing it, and keeps no class of ours alive.
   */
  private static final ThreadLocal<AtomicReference<@Nullable BlockingDriver<?>>> INNERMOST =
      ThreadLocal.withInitial(AtomicReference::new);

  private final Engine engine;
  private final Plan<R> plan;
  private final Flow<R> flow;
  private final Handler<R, ?> handler;
  private final boolean interruptWhenLost;
  private @Nullable BlockingDriver<?> outer;
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
  public Outcome<R> run() {
    AtomicReference<@Nullable BlockingDriver<?>> innermost = INNERMOST.get();
    outer = innermost.getPlain();
    refuseNesting();
    engine.enter();
    innermost.setPlain(this);
    long startedNanos = engine.eventNanos();
    try {
      Step<R> step = flow.start();
      while (!(step instanceof Step.End<R> end)) {
        step = perform(step);
      }
      StoreSteps.publishCompleted(engine, flow, end.outcome(), startedNanos, handlingNanos);
      return end.outcome();
    } finally {
      stopRenewing();
      innermost.setPlain(outer);
      engine.leave();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void refuseNesting() {
    for (BlockingDriver<?> other = outer; other != null; other = other.outer) {
      if (other.engine.store == engine.store
          && other.flow.key().equals(flow.key())
          && other.plan.scope().equals(plan.scope())) {
        throw new IllegalStateException(
            "this thread is handling key "
                + flow.key()
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
    long startedNanos = engine.eventNanos();
    R result;
    try {
      result = handler.handle(attempt);
    } catch (Throwable thrown) {
      handlingNanos = engine.eventNanos() - startedNanos;
      HeldClaim.Interrupt sent = attempt.handlerEnded();
      interrupted |= thrown instanceof InterruptedException && sent == HeldClaim.Interrupt.NONE;
      return flow.threw(thrown, sent == HeldClaim.Interrupt.TO_LEAVE);
    }
    handlingNanos = engine.eventNanos() - startedNanos;
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
