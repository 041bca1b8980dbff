package dev.onlyonce.internal;

import dev.onlyonce.Attempt;
import dev.onlyonce.Outcome;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
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
    engine.enterAsync();
    startedNanos = engine.eventNanos();
    proceed(flow::start);
    return future;
  }

  /** A report to the flow, which answers with the next step. */
  private interface Report<R extends @Nullable Object> {
    Step<R> make();
  }

  /** Reports and takes the steps that follow, on a thread of the executor. */
  private void proceed(Report<R> report) {
    try {
      executor.execute(() -> take(report));
    } catch (Throwable e) {
      fail(e); // there is no thread to be had
    }
  }

  private void take(Report<R> report) {
    try {
      drive(report.make());
    } catch (Throwable e) {
      fail(e);
    }
  }

  private void drive(Step<R> from) {
    Step<R> step = from;
    while (isImmediate(step)) {
      if (step instanceof Step.Resolve<R> resolve) {
        step = flow.resolved(StoreSteps.resolve(plan, resolve.doubt()));
        continue;
      }
      if (step instanceof Step.GiveUp<R>) {
        stopRenewing();
      }
      step = StoreSteps.perform(engine, flow, step);
    }
    if (step instanceof Step.End<R> end) {
      StoreSteps.publishCompleted(engine, flow, end.outcome(), startedNanos, handlingNanos);
      leave();
      future.complete(end.outcome());
    } else if (step instanceof Step.Fault<R> fault) {
      fail(StoreSteps.fault(fault));
    } else if (step instanceof Step.Wait<R> wait) {
      after(wait.duration(), () -> flow.waited(engine.isClosed()));
    } else {
      handle((Step.Run<R>) step);
    }
  }

  private void fail(Throwable failure) {
    leave();
    future.completeExceptionally(failure);
  }

  private void leave() {
    stopRenewing();
    engine.leave();
  }

  private void stopRenewing() {
    if (held != null) {
      engine.renewals.remove(held);
      held = null;
    }
  }

  private static boolean isImmediate(Step<?> step) {
    return !(step instanceof Step.End
        || step instanceof Step.Fault
        || step instanceof Step.Wait
        || step instanceof Step.Run);
  }

  private void after(Duration duration, Report<R> report) {
    Executor later =
        CompletableFuture.delayedExecutor(duration.toNanos(), TimeUnit.NANOSECONDS, Runnable::run);
    later.execute(() -> proceed(report));
  }

  private void handle(Step.Run<R> run) {
    HeldClaim attempt = new HeldClaim(engine.renewals, run, plan.lease(), null, false);
    held = attempt;
    engine.renewals.add(attempt);
    long handledNanos = engine.eventNanos();
    CompletionStage<R> stage;
    try {
      stage = Objects.requireNonNull(handler.apply(attempt), "the handler's stage is null");
    } catch (Throwable thrown) {
      stage = CompletableFuture.failedStage(thrown);
    }
    stage.whenComplete(
        (result, thrown) ->
            proceed(
                () -> {
                  handlingNanos = engine.eventNanos() - handledNanos;
                  attempt.handlerEnded();
                  return thrown == null
                      ? flow.returned(result)
                      : flow.threw(unwrapped(thrown), false);
                }));
  }

  private static Throwable unwrapped(Throwable thrown) {
    return thrown instanceof CompletionException && thrown.getCause() != null
        ? thrown.getCause()
        : thrown;
  }
}
