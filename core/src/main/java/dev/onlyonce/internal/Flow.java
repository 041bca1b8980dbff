package dev.onlyonce.internal;

import dev.onlyonce.Claim;
import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInProgress;
import dev.onlyonce.Outcome;
import dev.onlyonce.Resolver;
import dev.onlyonce.Result;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The way of one message through the engine, as a state machine without I/O, clock or threads: it
 * says which {@link Step} is next, a driver does it and reports what came of it. Blocking, async
 * and simulated drivers run this same code. Not safe for use by several threads at once.
 *
 * <p>Moments are nanoseconds by the driver's monotonic clock.
 *
 * <h2>Stages</h2>
 *
 * <pre>
 *   stage      report         next
 *   NEW        start          ASKING, or RUNNING (at-least-once)
 *   ASKING     answered       RUNNING, WAITING, RESOLVING, SETTLING (attempts used up), ENDED;
 *                             CLEARING if the lease was over before the answer came
 *              storeFailed    ASKING once more; then RUNNING (fail-open) or ENDED
 *   WAITING    waited         what the wait was for; ENDED if hurried and that was ASKING
 *   RESOLVING  resolved       CLEARING, ENDED (nobody knows)
 *   CLEARING   settled        ENDED (the effect had happened), else ASKING anew
 *              storeFailed    CLEARING once more; then RUNNING (fail-open) or ENDED
 *   RUNNING    returned       SETTLING, ENDED (nothing to settle)
 *              threw          SETTLING, ENDED (nothing to settle)
 *              withdrawn      SETTLING, ENDED (nothing to settle)
 *   SETTLING   settled        ENDED; ASKING anew if it was overtaken before the handler ran
 *              withdrawn      SETTLING, as released
 *              storeFailed    SETTLING once more without the result, if the store refuses it; else
 *                             WAITING, ENDED when that takes longer than a lease
 * </pre>
 *
 * <h2>Why asking twice is safe</h2>
 *
 * <p>All claims of one flow carry one request id. When an answer was lost, asking again returns the
 * claim that was granted; when it was not granted, it is an ordinary claim.
 *
 * <h2>Clearing</h2>
 *
 * <p>A doubt is decided by settling the claim in doubt in its holder's place, as completed or as
 * released. That counts only while the claim is still what the resolver was asked about: a holder
 * that was late and has settled it meanwhile, or another resolver, is not overruled.
 *
 * <p>An own claim whose lease was over before its answer came is released, unused, and asked for
 * anew. To renew it instead would bring to life what a resolver may just have called dead.
 */
public final class Flow<R extends @Nullable Object> {

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final int RESOLUTIONS = 3;
  private static final int LATE_CLAIMS = 3;

  private enum Stage {
    NEW,
    ASKING,
    WAITING,
    RESOLVING,
    CLEARING,
    RUNNING,
    SETTLING,
    ENDED
  }

  private final Plan<R> plan;
  private final Events events;
  private final Key key;
  private final boolean onlyResolves;
  private final ClaimRequest request;

  private Stage stage = Stage.NEW;
  private Stage waitingFor = Stage.NEW;
  private Step<R> current;
  private boolean askedAgain;
  private int resolutions;
  private int lateClaims;
  private boolean isProtected = true;
  private int attemptsBefore;
  private boolean hasRun;
  private @Nullable Polling asking;
  private @Nullable Polling settling;
  private @Nullable Claim claim;
  private @Nullable Outcome<R> ending;
  private byte @Nullable [] checkpoint;
  private Answer.@Nullable InDoubt pending;
  private @Nullable Result happened;
  private @Nullable String leftOut;

  /**
   * Makes the flow of one message.
   *
   * @param requestId 64 random bits
   */
  public Flow(
      Plan<R> plan, Events events, Key key, @Nullable Fingerprint fingerprint, long requestId) {
    this(plan, events, key, fingerprint, requestId, false);
  }

  private Flow(
      Plan<R> plan,
      Events events,
      Key key,
      @Nullable Fingerprint fingerprint,
      long requestId,
      boolean onlyResolves) {
    this.plan = plan;
    this.events = events;
    this.key = key;
    this.onlyResolves = onlyResolves;
    this.request =
        new ClaimRequest(
            plan.scope(),
            key,
            requestId,
            fingerprint,
            plan.lease(),
            plan.retention(),
            plan.lapse(),
            plan.mode() == DeliveryMode.AT_MOST_ONCE && !onlyResolves ? Result.NOT_KEPT : null,
            ClaimRequest.ANY);
    this.current = new Step.Ask<>(request);
  }

  /**
   * Makes a flow without a message: it has a key in doubt decided and never runs a handler. Where
   * the effect has not happened, and where the key turns out not to be held at all, the end is
   * {@link Outcome.Deferred}, due at once.
   */
  public static <R extends @Nullable Object> Flow<R> resolving(
      Plan<R> plan, Events events, Key key, long requestId) {
    return new Flow<>(plan, events, key, null, requestId, true);
  }

  /** Returns the key of the message. */
  Key key() {
    return key;
  }

  /** Returns for how long the message's claim was taken; zero if nothing had to be settled. */
  Duration lease() {
    return isSettledLater() ? plan.lease() : Duration.ZERO;
  }

  /** Tells how many attempts there were, for one that no store counts. */
  void attemptsBefore(int attempts) {
    attemptsBefore = attempts;
  }

  /** Returns what all its claims are asked with. */
  long requestId() {
    return request.requestId();
  }

  /** Tells whether the handler has been run. */
  boolean hasRun() {
    return hasRun;
  }

  /** Begins. */
  public Step<R> start() {
    if (events.on() && !onlyResolves) {
      publish(new Event.Received(plan.scope(), key));
    }
    return startAgain();
  }

  /** Begins with a message that another flow had begun with, so that it is not received again. */
  Step<R> startAgain() {
    expect(Stage.NEW);
    if (plan.mode() == DeliveryMode.AT_LEAST_ONCE) {
      return runUnprotected();
    }
    return ask();
  }

  private Step<R> ask() {
    claim = null;
    return go(Stage.ASKING, new Step.Ask<>(request));
  }

  /**
   * The store has answered.
   *
   * @param askedNanos when it was asked
   * @param nowNanos when the answer came
   */
  public Step<R> answered(Answer answer, long askedNanos, long nowNanos) {
    expect(Stage.ASKING);
    askedAgain = false;
    if (answer instanceof Answer.Claimed claimed) {
      return claimed(claimed, askedNanos, nowNanos);
    }
    if (answer instanceof Answer.Done done) {
      return duplicate(done);
    }
    if (answer instanceof Answer.InProgress busy) {
      return turnedAway(inProgress(busy), busy.leaseLeft(), nowNanos);
    }
    if (answer instanceof Answer.Deferred deferred) {
      return turnedAway(new Outcome.Deferred<>(deferred.left()), deferred.left(), nowNanos);
    }
    if (answer instanceof Answer.Failed failed) {
      publish(new Event.FailedBefore(plan.scope(), key, failed.reason()));
      return end(new Outcome.Failed<>(failed.reason(), failed.age(), null));
    }
    if (answer instanceof Answer.Mismatch mismatch) {
      publish(new Event.Mismatch(plan.scope(), key));
      return end(new Outcome.Mismatch<>(mismatch.stored()));
    }
    return inDoubt((Answer.InDoubt) answer);
  }

  private Step<R> claimed(Answer.Claimed answer, long askedNanos, long nowNanos) {
    Claim granted = answer.claim();
    claim = granted;
    checkpoint = answer.checkpoint();
    if (events.on()) {
      publish(new Event.Claimed(granted));
    }
    if (happened != null) {
      // Another has let it go meanwhile, but here it is known to have happened.
      return clear(
          duplicateOf(happened), new Settlement.Complete(granted, happened, plan.retention()));
    }
    if (onlyResolves) {
      return clear(
          free(),
          new Settlement.Release(granted, Duration.ZERO, Attempts.REFUND, plan.retention()));
    }
    if (plan.mode() == DeliveryMode.AT_MOST_ONCE) {
      return run(granted, false, nowNanos);
    }
    if (granted.attempt() > plan.onFailure().attempts()) {
      String reason =
          "gave up: %d attempts have ended without an outcome".formatted(granted.attempt() - 1);
      ending = new Outcome.Failed<>(reason, Duration.ZERO, null);
      return settle(new Settlement.Fail(granted, reason, plan.retention()));
    }
    long leaseEndNanos = askedNanos + answer.lease().toNanos();
    if (leaseEndNanos - nowNanos <= 0) {
      lateClaims++;
      return clear(
          null, new Settlement.Release(granted, Duration.ZERO, Attempts.REFUND, plan.retention()));
    }
    return run(granted, true, leaseEndNanos);
  }

  private Outcome<R> free() {
    return new Outcome.Deferred<>(Duration.ZERO);
  }

  private Step<R> run(Claim granted, boolean leased, long leaseEndNanos) {
    return go(Stage.RUNNING, new Step.Run<>(granted, leased, leaseEndNanos, checkpoint));
  }

  private Step<R> duplicate(Answer.Done done) {
    if (events.on() && !onlyResolves) {
      publish(new Event.Duplicate(plan.scope(), key, done.age()));
      if (request.fingerprint() != null && !done.compared()) {
        publish(new Event.NotCompared(plan.scope(), key));
      }
    }
    return end(new Outcome.Duplicate<>(done.result(), done.age(), plan.codec()));
  }

  private Outcome<R> inProgress(Answer.InProgress busy) {
    Duration left = busy.leaseLeft();
    Duration retryAfter = null;
    if (plan.onInProgress().kind() != OnInProgress.Kind.REJECT) {
      // Nothing left: the holder is known by its state alone, and it is not known for how long.
      retryAfter = left.isZero() ? RETRY_AFTER : atLeastOneMilli(min(left, RETRY_AFTER));
    }
    return new Outcome.InProgress<>(left, retryAfter);
  }

  /** Waits for the one that holds the key, or for the time that the key is due, or ends. */
  private Step<R> turnedAway(Outcome<R> outcome, Duration left, long nowNanos) {
    if (onlyResolves) {
      return end(outcome);
    }
    if (asking == null) {
      asking = new Polling(plan.onInProgress().bound(), nowNanos);
    }
    Duration pause = asking.next(nowNanos);
    if (pause.isZero()) {
      return turnedAway(outcome);
    }
    ending = outcome;
    return pause(left.isZero() ? pause : min(pause, left));
  }

  private Step<R> turnedAway(Outcome<R> outcome) {
    if (outcome instanceof Outcome.InProgress<R> busy) {
      publish(new Event.InProgress(plan.scope(), key, busy.leaseLeft()));
    } else if (outcome instanceof Outcome.Deferred<R> deferred) {
      publish(new Event.Deferred(plan.scope(), key, deferred.left()));
    }
    return end(outcome);
  }

  private Step<R> inDoubt(Answer.InDoubt doubt) {
    publish(new Event.InDoubt(plan.scope(), key, doubt.token(), doubt.attempt()));
    if (plan.resolver() == null || resolutions == RESOLUTIONS) {
      return end(doubtful(doubt, plan.resolver() == null ? null : RETRY_AFTER));
    }
    resolutions++;
    pending = doubt;
    return go(
        Stage.RESOLVING,
        new Step.Resolve<>(new Resolver.Doubt(plan.scope(), key, doubt.token(), doubt.attempt())));
  }

  private Outcome<R> doubtful(Answer.InDoubt doubt, @Nullable Duration askAgainAfter) {
    return new Outcome.InDoubt<>(doubt.token(), doubt.attempt(), askAgainAfter, null);
  }

  /** The resolver has said what it knows. */
  public Step<R> resolved(Resolver.Verdict<R> verdict) {
    expect(Stage.RESOLVING);
    Answer.InDoubt doubt = Objects.requireNonNull(pending);
    Claim doubtful = new Claim(plan.scope(), key, doubt.token(), doubt.attempt());
    if (verdict instanceof Resolver.Happened<R> known) {
      publishResolved(doubt, Event.Resolved.Verdict.HAPPENED);
      Result result = encode(known.result(), doubtful);
      happened = result;
      return clear(
          duplicateOf(result), new Settlement.Complete(doubtful, result, plan.retention()));
    }
    if (verdict instanceof Resolver.DidNotHappen) {
      publishResolved(doubt, Event.Resolved.Verdict.DID_NOT_HAPPEN);
      return clear(
          onlyResolves ? free() : null,
          new Settlement.Release(doubtful, Duration.ZERO, Attempts.KEEP, plan.retention()));
    }
    publishResolved(doubt, Event.Resolved.Verdict.UNKNOWN);
    // Nobody counts how often was asked, so the back-off is that of the attempt, and not too short.
    Duration backoff = plan.onFailure().backoff().delay(Math.max(1, doubt.attempt()));
    return end(doubtful(doubt, max(backoff, RETRY_AFTER)));
  }

  private Outcome<R> duplicateOf(Result result) {
    return new Outcome.Duplicate<>(result, Duration.ZERO, plan.codec());
  }

  /** Settles a claim that nobody works on, then ends with the outcome or asks anew. */
  private Step<R> clear(@Nullable Outcome<R> outcome, Settlement settlement) {
    ending = outcome;
    return go(Stage.CLEARING, new Step.Settle<>(settlement));
  }

  private Step<R> cleared(Held held) {
    askedAgain = false;
    if (held == Held.HELD && ending != null) {
      return end(ending);
    }
    if (lateClaims == LATE_CLAIMS) {
      String slow = "the store takes longer than the lease of " + plan.lease() + " to answer";
      return fault(new StoreException(StoreException.Kind.UNAVAILABLE, slow), null);
    }
    return ask();
  }

  private void publishResolved(Answer.InDoubt doubt, Event.Resolved.Verdict verdict) {
    publish(new Event.Resolved(plan.scope(), key, doubt.token(), verdict));
  }

  /**
   * The time that {@link Step.Wait} asked for has passed.
   *
   * @param hurried whether the key is not to be claimed any more
   */
  public Step<R> waited(boolean hurried) {
    expect(Stage.WAITING);
    return hurried && waitingFor == Stage.ASKING
        ? turnedAway(Objects.requireNonNull(ending))
        : go(waitingFor, current);
  }

  /** The handler has returned. */
  public Step<R> returned(R result) {
    expect(Stage.RUNNING);
    hasRun = true;
    Claim held = Objects.requireNonNull(claim);
    ending = new Outcome.Processed<>(result, held);
    if (!isSettledLater()) {
      return end(ending);
    }
    return settle(new Settlement.Complete(held, encode(result, held), plan.retention()));
  }

  /**
   * The handler has thrown.
   *
   * @param leaving whether it did so when the engine, which shuts down, had interrupted it
   */
  public Step<R> threw(Throwable thrown, boolean leaving) {
    expect(Stage.RUNNING);
    hasRun = true;
    Claim held = Objects.requireNonNull(claim);
    // An attempt that was cut short does not count; what the exception says of the effect does.
    OnFailure.Verdict verdict = plan.onFailure().verdict(thrown, leaving ? 0 : held.attempt());
    if (leaving && plan.lapse() == Lapse.PARK && verdict == OnFailure.Verdict.RELEASE) {
      // Cut short anywhere: whoever does not want doubtful keys run again does not want this one.
      verdict = OnFailure.Verdict.DOUBT;
    }
    Duration after =
        leaving
            ? Duration.ZERO
            : plan.onFailure().backoff(thrown).delay(Math.max(1, held.attempt()));
    if (!isSettledLater()) {
      ending = unsettled(thrown, verdict, after);
      return finish(ending, held);
    }
    return switch (verdict) {
      case RELEASE -> {
        ending = new Outcome.Released<>(thrown, held.attempt(), after);
        Attempts attempts = leaving ? Attempts.REFUND : Attempts.KEEP;
        yield settle(new Settlement.Release(held, after, attempts, plan.retention()));
      }
      case FAIL -> {
        String reason = reason(thrown);
        ending = new Outcome.Failed<>(reason, Duration.ZERO, thrown);
        yield settle(new Settlement.Fail(held, reason, plan.retention()));
      }
      case DOUBT -> {
        boolean operatorDecides = plan.lapse() == Lapse.PARK && plan.resolver() == null;
        Duration askAgainAfter = operatorDecides ? null : after;
        ending = new Outcome.InDoubt<>(held.token(), held.attempt(), askAgainAfter, thrown);
        yield go(Stage.SETTLING, new Step.GiveUp<>(new Renewal(held, Duration.ZERO, null)));
      }
    };
  }

  /** What a failure comes to where no claim is left to be settled. */
  private Outcome<R> unsettled(Throwable thrown, OnFailure.Verdict verdict, Duration after) {
    boolean isDone = plan.mode() == DeliveryMode.AT_MOST_ONCE && isProtected;
    return isDone || verdict == OnFailure.Verdict.FAIL
        ? new Outcome.Failed<>(reason(thrown), Duration.ZERO, thrown)
        : new Outcome.Released<>(thrown, Objects.requireNonNull(claim).attempt(), after);
  }

  private boolean isSettledLater() {
    return isProtected && plan.mode() == DeliveryMode.EFFECTIVELY_ONCE;
  }

  private Step<R> settle(Settlement settlement) {
    return go(Stage.SETTLING, new Step.Settle<>(settlement));
  }

  /**
   * The claim is to be given back and nothing more done: the handler has not been started, or has
   * failed for good and that is not to be recorded here. The end is {@link Outcome.Deferred}, due
   * at once.
   */
  public Step<R> withdrawn() {
    boolean isUnused = stage == Stage.RUNNING;
    expect(isUnused ? Stage.RUNNING : Stage.SETTLING);
    Claim held = Objects.requireNonNull(claim);
    ending = free();
    if (!isSettledLater()) {
      return end(ending);
    }
    Attempts attempts = isUnused ? Attempts.REFUND : Attempts.KEEP;
    return settle(new Settlement.Release(held, Duration.ZERO, attempts, plan.retention()));
  }

  /** The store has settled the claim, or given its lease up, or has refused to. */
  public Step<R> settled(Held held) {
    tellLeftOut(held);
    if (stage == Stage.CLEARING) {
      return cleared(held);
    }
    expect(Stage.SETTLING);
    Claim mine = Objects.requireNonNull(claim);
    Outcome<R> outcome = Objects.requireNonNull(ending);
    if (held != Held.LOST) {
      return finish(outcome, mine);
    }
    publish(new Event.Refused(mine));
    if (!hasRun) {
      return ask();
    }
    R result = outcome instanceof Outcome.Processed<R> processed ? processed.result() : null;
    return end(new Outcome.Lost<>(result, mine, outcome.cause()));
  }

  /** Ends with what came of the handler. */
  private Step<R> finish(Outcome<R> outcome, Claim mine) {
    if (outcome instanceof Outcome.Released<R> released) {
      publish(new Event.Released(mine, released.cause(), released.retryAfter()));
    } else if (outcome instanceof Outcome.Failed<R> failed) {
      publish(new Event.Failed(mine, failed.reason()));
    } else if (outcome instanceof Outcome.InDoubt<R>) {
      publish(new Event.InDoubt(plan.scope(), key, mine.token(), mine.attempt()));
    }
    return end(outcome);
  }

  /**
   * The store could not do what the last step asked for.
   *
   * @param nowNanos when that was known
   */
  public Step<R> storeFailed(StoreException failure, long nowNanos) {
    if (stage == Stage.SETTLING) {
      return settlingFailed(failure, nowNanos);
    }
    expect(stage == Stage.CLEARING ? stage : Stage.ASKING);
    publish(new Event.StoreFailed(plan.scope(), key, failure));
    if (failure.kind() == StoreException.Kind.UNAVAILABLE && !askedAgain) {
      askedAgain = true;
      return current;
    }
    Settlement smaller = withoutResult(failure);
    if (smaller != null) {
      happened = Result.NOT_KEPT;
      return go(stage, new Step.Settle<>(smaller));
    }
    boolean mayRun =
        failure.kind() == StoreException.Kind.UNAVAILABLE
            || failure.kind() == StoreException.Kind.FULL;
    if (plan.failOpen() && mayRun && happened != null) {
      return end(duplicateOf(happened)); // its record stays in doubt, and is asked about again
    }
    if (plan.failOpen() && mayRun && !onlyResolves) {
      publish(new Event.Unprotected(plan.scope(), key, failure));
      return runUnprotected();
    }
    return fault(failure, null);
  }

  private Step<R> settlingFailed(StoreException failure, long nowNanos) {
    publish(new Event.StoreFailed(plan.scope(), key, failure));
    if (settling == null) {
      settling = new Polling(plan.settlesFor(), nowNanos);
    }
    Duration pause = settling.next(nowNanos);
    Settlement smaller = withoutResult(failure);
    if (smaller != null) {
      return settle(smaller);
    }
    boolean mayPass =
        failure.kind() == StoreException.Kind.UNAVAILABLE
            || (plan.isPatient() && failure.kind() != StoreException.Kind.CLOSED);
    if (mayPass && !pause.isZero()) {
      return pause(pause);
    }
    Throwable thrown = Objects.requireNonNull(ending).cause();
    String what = "could not be run any more";
    if (hasRun) {
      what = thrown == null ? "has run" : "has failed";
    }
    String sentence =
        "the handler of key %s %s, but that could not be recorded and the claim is left to its"
            + " lease: %s";
    return fault(
        new StoreException(
            failure.kind(), sentence.formatted(key, what, failure.getMessage()), failure),
        thrown);
  }

  /**
   * What completes the key all the same where the store did not take its result: that an effect has
   * happened is worth more than what came of it. Null if there is no result to leave out.
   */
  private @Nullable Settlement withoutResult(StoreException failure) {
    boolean isRefused =
        failure.kind() == StoreException.Kind.REJECTED
            || failure.kind() == StoreException.Kind.FULL;
    if (isRefused
        && current instanceof Step.Settle<R> step
        && step.settlement() instanceof Settlement.Complete whole
        && whole.result() instanceof Result.Value value) {
      leftOut =
          "the store did not take the result of %,d bytes: %s"
              .formatted(value.bytes().length, failure.getMessage());
      return new Settlement.Complete(whole.claim(), Result.NOT_KEPT, whole.retention());
    }
    return null;
  }

  /** Tells of a result that was left out once that is certain. */
  private void tellLeftOut(Held held) {
    if (leftOut != null
        && held == Held.HELD
        && current instanceof Step.Settle<R> step
        && step.settlement() instanceof Settlement.Complete complete) {
      publish(new Event.ResultNotKept(complete.claim(), leftOut));
    }
    leftOut = null;
  }

  private Step<R> fault(StoreException failure, @Nullable Throwable thrown) {
    return go(Stage.ENDED, new Step.Fault<>(failure, thrown));
  }

  private Step<R> runUnprotected() {
    isProtected = false;
    Claim none = new Claim(plan.scope(), key, 0, attemptsBefore + 1);
    claim = none;
    checkpoint = null;
    return run(none, false, 0);
  }

  private Step<R> pause(Duration pause) {
    waitingFor = stage;
    stage = Stage.WAITING;
    return new Step.Wait<>(atLeastOneMilli(pause));
  }

  private Result encode(R value, Claim held) {
    if (value == null || plan.codec() == ResultCodec.NONE) {
      return Result.NONE;
    }
    String problem;
    try {
      Result.Value encoded = plan.codec().encode(value);
      int length = encoded.bytes().length;
      if (length <= plan.resultLimitBytes()) {
        return encoded;
      }
      problem =
          "the result has %,d bytes, the limit is %,d".formatted(length, plan.resultLimitBytes());
    } catch (Throwable e) {
      // Also an Error, a stack overflow for instance: the effect has happened and must be recorded.
      problem = "the result cannot be encoded: " + Events.text(e);
    }
    publish(new Event.ResultNotKept(held, problem));
    return Result.NOT_KEPT;
  }

  private static String reason(Throwable thrown) {
    String reason = Events.text(thrown);
    return reason.length() <= 1_000 ? reason : reason.substring(0, 1_000);
  }

  private Step<R> end(Outcome<R> outcome) {
    return go(Stage.ENDED, new Step.End<>(outcome));
  }

  private Step<R> go(Stage next, Step<R> step) {
    stage = next;
    current = step;
    return step;
  }

  private void publish(Event event) {
    events.publish(event);
  }

  private void expect(Stage expected) {
    if (stage != expected) {
      throw new IllegalStateException("the flow is at " + stage + ", this belongs to " + expected);
    }
  }

  private static Duration max(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  private static Duration atLeastOneMilli(Duration duration) {
    return duration.toMillis() < 1 ? Duration.ofMillis(1) : duration;
  }
}
