package dev.onlyonce.internal;

import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Handler;
import dev.onlyonce.Key;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Takes many flows through their steps together: one call of the store claims a batch of keys, one
 * settles a batch of claims. From the moment that a key is claimed its lease is renewed, also while
 * its handler waits for its turn.
 *
 * <p>Each method does one step of what it is given; who calls decides when and on which thread. Any
 * number of threads, each with passages of its own.
 */
public final class BatchDriver<R extends @Nullable Object> {

  private final Engine engine;
  private final Plan<R> plan;
  private final Events events;
  private final boolean interruptWhenLost;

  /** Makes a driver for all flows of one consumer. */
  public BatchDriver(Engine engine, Plan<R> plan, Events events, boolean interruptWhenLost) {
    this.engine = engine;
    this.plan = plan;
    this.events = events;
    this.interruptWhenLost = interruptWhenLost;
  }

  /** Returns the settings that the flows follow. */
  public Plan<R> plan() {
    return plan;
  }

  /** Returns the clocks of the engine. */
  public Time time() {
    return engine.time;
  }

  /**
   * A consumer begins, for which the engine waits when it is closed.
   *
   * @param onClose called when the engine is closed, while it waits
   * @throws IllegalStateException if the engine has been closed
   */
  public void enter(Runnable onClose) {
    engine.enter();
    engine.whenClosed(onClose);
  }

  /** The consumer has ended. */
  public void leave() {
    engine.leave();
  }

  /** Tells whether the engine has been closed, so that the consumer has to end. */
  public boolean isClosed() {
    return engine.isClosed();
  }

  /**
   * Begins with a message.
   *
   * @param attempts how many there were before, as far as the store does not count them
   */
  public Passage<R> begin(Key key, @Nullable Fingerprint fingerprint, int attempts) {
    return begin(plan, key, fingerprint, ThreadLocalRandom.current().nextLong(), attempts);
  }

  /** Begins with a message that has no key and is handled without a claim. */
  public Passage<R> beginUnprotected(int attempts) {
    Plan<R> unclaimed = plan.in(DeliveryMode.AT_LEAST_ONCE);
    Key none = Key.of("unkeyed-" + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    return begin(unclaimed, none, null, 0, attempts);
  }

  /**
   * Begins anew with a message that the store has failed. While its handler has not run, it asks
   * with the same request id, so that a claim whose answer was lost is found again.
   */
  public Passage<R> beginAgain(Passage<R> failed, Key key, @Nullable Fingerprint fingerprint) {
    return failed.flow.hasRun()
        ? begin(key, fingerprint, 0)
        : begin(plan, key, fingerprint, failed.flow.requestId(), 0);
  }

  private Passage<R> begin(
      Plan<R> plan, Key key, @Nullable Fingerprint fingerprint, long requestId, int attempts) {
    Flow<R> flow = new Flow<>(plan, events, key, fingerprint, requestId);
    flow.attemptsBefore(attempts);
    Passage<R> passage = new Passage<>(flow, engine.eventNanos());
    hold(passage);
    return passage;
  }

  /** Asks the store for the claims of these, which are all at {@link Step.Ask}. */
  public void claim(List<Passage<R>> batch) {
    List<ClaimRequest> requests = new ArrayList<>(batch.size());
    batch.forEach(it -> requests.add(((Step.Ask<R>) it.step).request()));
    long askedNanos = engine.time.nanoTime();
    List<Answer> answers;
    try {
      answers = StoreSteps.all(batch.size(), () -> engine.store.claim(requests));
    } catch (StoreException e) {
      if (isForOneOf(batch, e)) {
        batch.forEach(it -> claim(List.of(it)));
      } else {
        failed(batch, e);
      }
      return;
    }
    long nowNanos = engine.time.nanoTime();
    for (int i = 0; i < batch.size(); i++) {
      Passage<R> passage = batch.get(i);
      passage.step = passage.flow.answered(answers.get(i), askedNanos, nowNanos);
      hold(passage);
    }
  }

  /** Settles the claims of these, which are all at {@link Step.Settle} or {@link Step.GiveUp}. */
  public void settle(List<Passage<R>> batch) {
    List<Passage<R>> settling = new ArrayList<>(batch.size());
    List<Settlement> settlements = new ArrayList<>(batch.size());
    for (Passage<R> passage : batch) {
      if (passage.step instanceof Step.Settle<R> settle) {
        settling.add(passage);
        settlements.add(settle.settlement());
      } else {
        release(passage);
        passage.step = StoreSteps.perform(engine, passage.flow, passage.step);
      }
    }
    if (!settling.isEmpty()) {
      settle(settling, settlements);
    }
  }

  private void settle(List<Passage<R>> batch, List<Settlement> settlements) {
    List<Held> answers;
    try {
      answers = StoreSteps.all(batch.size(), () -> engine.store.settleFree(settlements));
    } catch (StoreException e) {
      if (isForOneOf(batch, e)) {
        batch.forEach(it -> settle(List.of(it)));
      } else {
        failed(batch, e);
      }
      return;
    }
    for (int i = 0; i < batch.size(); i++) {
      Passage<R> passage = batch.get(i);
      if (answers.get(i) == Held.UNKNOWN) {
        failed(List.of(passage), locked(passage));
      } else {
        passage.step = passage.flow.settled(answers.get(i));
        after(passage);
      }
    }
  }

  private StoreException locked(Passage<R> passage) {
    return new StoreException(
        StoreException.Kind.UNAVAILABLE,
        "the record of key %s in scope %s is locked by another transaction, or was not reached: it"
                .formatted(passage.flow.key(), plan.scope().name())
            + " is tried again");
  }

  /** One item that the store refuses must not keep the others of its batch from being served. */
  private boolean isForOneOf(List<Passage<R>> batch, StoreException failure) {
    boolean mayConcernOne =
        failure.kind() == StoreException.Kind.REJECTED
            || failure.kind() == StoreException.Kind.FULL;
    return mayConcernOne && batch.size() > 1;
  }

  private void failed(List<Passage<R>> batch, StoreException failure) {
    long nowNanos = engine.time.nanoTime();
    for (Passage<R> passage : batch) {
      passage.step = passage.flow.storeFailed(failure, nowNanos);
      after(passage);
    }
  }

  /** Runs the handler of one that is at {@link Step.Run}, on this thread. */
  public void run(Passage<R> passage, Handler<R, ?> handler) {
    HeldClaim attempt = passage.held;
    if (attempt == null) {
      throw new IllegalStateException("nothing is to be run at " + passage.step);
    }
    attempt.handledBy(Thread.currentThread());
    long startedNanos = engine.eventNanos();
    try {
      R result = handler.handle(attempt);
      passage.handlingNanos = engine.eventNanos() - startedNanos;
      attempt.handlerEnded();
      passage.step = passage.flow.returned(result);
    } catch (Throwable thrown) {
      passage.handlingNanos = engine.eventNanos() - startedNanos;
      HeldClaim.Interrupt sent = attempt.handlerEnded();
      passage.step = passage.flow.threw(thrown, sent == HeldClaim.Interrupt.TO_LEAVE);
    }
    after(passage);
  }

  /** Gives back the claim of one that is at {@link Step.Run}, or is to be settled as failed. */
  public void withdraw(Passage<R> passage) {
    passage.step = passage.flow.withdrawn();
    after(passage);
  }

  /**
   * Ends one that nobody goes on with: what has been done is settled, a claim is given back whose
   * handler was not begun, or has failed for good and has no dead letter, and nothing is renewed
   * any more. Where the store does not answer, the claim is left to its lease.
   */
  public void finishAlone(Passage<R> passage) {
    if (passage.step instanceof Step.Wait<R>) {
      waited(passage, true);
    }
    boolean isFailed =
        passage.step instanceof Step.Settle<R> settle
            && settle.settlement() instanceof Settlement.Fail;
    if (passage.step instanceof Step.Run<R> || isFailed) {
      withdraw(passage);
    }
    if (passage.step instanceof Step.Settle<R> || passage.step instanceof Step.GiveUp<R>) {
      settle(List.of(passage));
    }
    release(passage);
  }

  /** Asks the resolver about one that is at {@link Step.Resolve}. */
  public void resolve(Passage<R> passage) {
    Step.Resolve<R> resolve = (Step.Resolve<R>) passage.step;
    passage.step = passage.flow.resolved(StoreSteps.resolve(plan, resolve.doubt()));
  }

  /**
   * The time is over that one at {@link Step.Wait} had to wait.
   *
   * @param hurried whether its key is not to be claimed any more
   */
  public void waited(Passage<R> passage, boolean hurried) {
    passage.step = passage.flow.waited(hurried);
  }

  /** Starts to renew a claim that has just been granted, before anything else can take long. */
  private void hold(Passage<R> passage) {
    if (passage.step instanceof Step.Run<R> run) {
      HeldClaim held = new HeldClaim(engine.renewals, run, plan.lease(), null, interruptWhenLost);
      passage.held = held;
      engine.renewals.add(held);
    }
  }

  /** Ends what belongs to a passage that has come to its end. */
  private void after(Passage<R> passage) {
    if (passage.step instanceof Step.End<R> end) {
      release(passage);
      StoreSteps.publishCompleted(
          engine, passage.flow, end.outcome(), passage.startedNanos, passage.handlingNanos);
    } else if (passage.step instanceof Step.Fault<R> || passage.step instanceof Step.Ask<R>) {
      release(passage);
    } else {
      hold(passage);
    }
  }

  /** Stops renewing the claim of one that nothing more is done with. */
  public void release(Passage<R> passage) {
    HeldClaim held = passage.held;
    if (held != null) {
      engine.renewals.remove(held);
      passage.held = null;
    }
  }
}
