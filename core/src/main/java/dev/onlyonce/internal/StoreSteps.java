package dev.onlyonce.internal;

import dev.onlyonce.Outcome;
import dev.onlyonce.Resolver;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The steps that every driver which really asks a store does alike. */
final class StoreSteps {

  private StoreSteps() {}

  /** Does a step that asks the store, and reports to the flow. */
  static <R extends @Nullable Object> Step<R> perform(
      ClaimStore store, Flow<R> flow, Step<R> step) {
    try {
      if (step instanceof Step.Ask<R> ask) {
        return flow.answered(store.claim(List.of(ask.request())).get(0));
      }
      if (step instanceof Step.Settle<R> settle) {
        return flow.settled(store.settle(List.of(settle.settlement())).get(0));
      }
      if (step instanceof Step.GiveUp<R> giveUp) {
        return flow.settled(store.renew(List.of(giveUp.renewal())).get(0));
      }
    } catch (StoreException e) {
      return flow.storeFailed(e);
    }
    throw new IllegalStateException("not a step that asks the store: " + step);
  }

  static <R extends @Nullable Object> Resolver.Verdict<R> resolve(
      Plan<R> plan, Resolver.Doubt doubt) {
    Resolver<R> resolver = plan.resolver();
    try {
      return resolver == null ? new Resolver.Unknown<>() : resolver.resolve(doubt);
    } catch (Exception e) {
      return new Resolver.Unknown<>();
    }
  }

  static StoreException fault(Step.Fault<?> fault) {
    if (fault.thrown() != null) {
      fault.cause().addSuppressed(fault.thrown());
    }
    return fault.cause();
  }

  static void publishCompleted(
      Engine engine, Outcome<?> outcome, long startedNanos, long handlingNanos) {
    if (outcome instanceof Outcome.Processed<?> processed && engine.events.on()) {
      engine.events.publish(
          new Event.Completed(
              processed.claim(),
              Duration.ofNanos(engine.time.nanoTime() - startedNanos),
              Duration.ofNanos(handlingNanos)));
    }
  }
}
