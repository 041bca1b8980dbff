package dev.onlyonce.internal;

import dev.onlyonce.Outcome;
import dev.onlyonce.Resolver;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The steps that every driver which really asks a store does alike. */
final class StoreSteps {

  private StoreSteps() {}

  /** Does a step that asks the store, and reports to the flow. */
  static <R extends @Nullable Object> Step<R> perform(Engine engine, Flow<R> flow, Step<R> step) {
    try {
      if (step instanceof Step.Ask<R> ask) {
        long asked = engine.time.nanoTime();
        Answer answer = first(() -> engine.store.claim(List.of(ask.request())));
        return flow.answered(answer, asked, engine.time.nanoTime());
      }
      if (step instanceof Step.Settle<R> settle) {
        return flow.settled(first(() -> engine.store.settle(List.of(settle.settlement()))));
      }
      if (step instanceof Step.GiveUp<R> giveUp) {
        return flow.settled(first(() -> engine.store.renew(List.of(giveUp.renewal()))));
      }
    } catch (StoreException e) {
      return flow.storeFailed(e, engine.time.nanoTime());
    }
    throw new IllegalStateException("not a step that asks the store: " + step);
  }

  /** Asks; what a store should not throw says as little about the outcome as a time-out. */
  private static <A> A first(Supplier<List<A>> call) {
    return all(1, call).get(0);
  }

  /** Asks for as many answers as there are requests. */
  static <A> List<A> all(int requests, Supplier<List<A>> call) {
    try {
      List<A> answers = call.get();
      if (answers.size() != requests) {
        throw new IllegalStateException(answers.size() + " answers to " + requests + " requests");
      }
      answers.forEach(it -> Objects.requireNonNull(it, "an answer is null"));
      return answers;
    } catch (StoreException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      throw unexpected(e);
    }
  }

  static StoreException unexpected(Throwable e) {
    return new StoreException(
        StoreException.Kind.UNAVAILABLE, "the store failed in a way that it should not: " + e, e);
  }

  static <R extends @Nullable Object> Resolver.Verdict<R> resolve(
      Plan<R> plan, Resolver.Doubt doubt) {
    Resolver<R> resolver = plan.resolver();
    try {
      return resolver == null ? new Resolver.Unknown<>() : resolver.resolve(doubt);
    } catch (Throwable e) {
      // An Error too: it says nothing about the effect either.
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
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
      Engine engine, Flow<?> flow, Outcome<?> outcome, long startedNanos, long handlingNanos) {
    if (outcome instanceof Outcome.Processed<?> processed && engine.events.on()) {
      engine.events.publish(
          new Event.Completed(
              processed.claim(),
              Duration.ofNanos(engine.eventNanos() - startedNanos),
              Duration.ofNanos(handlingNanos),
              flow.lease()));
    }
  }
}
