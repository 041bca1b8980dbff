package dev.onlyonce.internal;

import dev.onlyonce.Attempt;
import dev.onlyonce.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Takes a flow through its steps without keeping a thread while its handler runs or while it waits.
 * One driver serves one message.
 */
public final class AsyncDriver<R extends @Nullable Object> {

  private final Engine engine;
  private final Plan<R> plan;
  private final Flow<R> flow;
  private final Function<Attempt, ? extends CompletionStage<R>> handler;
  private final Executor executor;
  private final CompletableFuture<Outcome<R>> future = new CompletableFuture<>();
  private @Nullable HeldClaim held;
  private long startedNanos;
  private long askedNanos;
  private long handlingNanos;

  /** Makes the driver of one flow. */
  public AsyncDriver(
      Engine engine,
      Plan<R> plan,
      Flow<R> flow,
      Function<Attempt, ? extends CompletionStage<R>> handler) {
    this.engine = engine;
    this.plan = plan;
    this.flow = flow;
    this.handler = handler;
    this.executor = engine.executor();
  }

  /** Starts; the future is completed with the outcome, or with the failure of the store. */
  public CompletableFuture<Outcome<R>> start() {
    engine.enter();
    startedNanos = engine.time.nanoTime();
    try {
      executor.execute(() -> drive(flow.start()));
    } catch (RejectedExecutionException e) {
      fail(e);
    }
    return future.copy();
  }

  private void drive(Step<R> from) {
    try {
      Step<R> step = from;
      while (isImmediate(step)) {
        askedNanos = engine.time.nanoTime();
        step =
            step instanceof Step.Resolve<R> resolve
                ? flow.resolved(StoreSteps.resolve(plan, resolve.doubt()))
                : StoreSteps.perform(engine.store, flow, step);
      }
      if (step instanceof Step.End<R> end) {
        StoreSteps.publishCompleted(engine, end.outcome(), startedNanos, handlingNanos);
        release();
        future.complete(end.outcome());
      } else if (step instanceof Step.Fault<R> fault) {
        fail(StoreSteps.fault(fault));
      } else if (step instanceof Step.Wait<R> wait) {
        after(wait.duration()).execute(() -> drive(flow.waited(false)));
      } else {
        handle((Step.Run<R>) step);
      }
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private void fail(RuntimeException failure) {
    release();
    future.completeExceptionally(failure);
  }

  private void release() {
    if (held != null) {
      engine.renewals.remove(held);
    }
    engine.leave();
  }

  private static boolean isImmediate(Step<?> step) {
    return !(step instanceof Step.End
        || step instanceof Step.Fault
        || step instanceof Step.Wait
        || step instanceof Step.Run);
  }

  private Executor after(Duration duration) {
    return CompletableFuture.delayedExecutor(duration.toNanos(), TimeUnit.NANOSECONDS, executor);
  }

  private void handle(Step.Run<R> run) {
    boolean leased = !run.lease().isZero();
    HeldClaim attempt =
        new HeldClaim(
            engine.renewals,
            run.claim(),
            leased ? plan.lease() : Duration.ZERO,
            askedNanos + run.lease().toNanos(),
            run.checkpoint(),
            null,
            false);
    if (leased) {
      held = attempt;
      engine.renewals.add(attempt);
    }
    long handledNanos = engine.time.nanoTime();
    CompletionStage<R> stage;
    try {
      stage = handler.apply(attempt);
    } catch (Throwable thrown) {
      drive(flow.threw(thrown, attempt.handlerEnded()));
      return;
    }
    stage.whenComplete(
        (result, thrown) ->
            executor.execute(
                () -> {
                  handlingNanos = engine.time.nanoTime() - handledNanos;
                  boolean leaving = attempt.handlerEnded();
                  drive(
                      thrown == null
                          ? flow.returned(result)
                          : flow.threw(unwrapped(thrown), leaving));
                }));
  }

  private static Throwable unwrapped(Throwable thrown) {
    return thrown instanceof CompletionException && thrown.getCause() != null
        ? thrown.getCause()
        : thrown;
  }
}
