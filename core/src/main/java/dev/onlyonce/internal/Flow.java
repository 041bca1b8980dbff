package dev.onlyonce.internal;

import dev.onlyonce.Claim;
import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.OnInProgress;
import dev.onlyonce.Outcome;
import dev.onlyonce.Resolver;
import dev.onlyonce.Result;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Held;
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
 * <h2>Stages</h2>
 *
 * <pre>
 *   stage      report         next
 *   NEW        start          ASKING, or RUNNING (at-least-once)
 *   ASKING     answered       RUNNING, WAITING, RESOLVING, SETTLING (attempts used up), ENDED
 *              storeFailed    ASKING once more; then RUNNING (fail-open) or ENDED
 *   WAITING    waited         what the wait was for: ASKING or SETTLING
 *   RESOLVING  resolved       ASKING with the token in doubt, ENDED
 *   RUNNING    returned       SETTLING, ENDED (nothing to settle)
 *              threw          SETTLING, ENDED (nothing to settle)
 *   SETTLING   settled        ENDED
 *              storeFailed    WAITING, ENDED when that took longer than a lease
 * </pre>
 *
 * <h2>Why asking twice is safe</h2>
 *
 * <p>All claims of one flow carry one request id. When an answer was lost, asking again returns the
 * claim that was granted; when it was not granted, it is an ordinary claim.
 */
public final class Flow<R extends @Nullable Object> {

  private static final Duration FIRST_POLL = Duration.ofMillis(10);
  private static final Duration LAST_POLL = Duration.ofMillis(250);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final int RESOLUTIONS = 3;

  private enum Stage {
    NEW,
    ASKING,
    WAITING,
    RESOLVING,
    RUNNING,
    SETTLING,
    ENDED
  }

  private final Plan<R> plan;
  private final Events events;
  private final Key key;
  private final ClaimRequest request;

  private Stage stage = Stage.NEW;
  private Step<R> current;
  private boolean askedAgain;
  private int resolutions;
  private Duration waited = Duration.ZERO;
  private Duration poll = FIRST_POLL;
  private boolean isProtected = true;
  private @Nullable Claim claim;
  private @Nullable Outcome<R> ending;
  private Answer.@Nullable InDoubt pending;
  private @Nullable Result resolvedResult;

  /**
   * Makes the flow of one message.
   *
   * @param requestId 64 random bits
   */
  public Flow(
      Plan<R> plan, Events events, Key key, @Nullable Fingerprint fingerprint, long requestId) {
    this.plan = plan;
    this.events = events;
    this.key = key;
    this.request =
        new ClaimRequest(
            plan.scope(),
            key,
            requestId,
            fingerprint,
            plan.lease(),
            plan.retention(),
            plan.lapse(),
            plan.mode() == DeliveryMode.AT_MOST_ONCE ? Result.NOT_KEPT : null,
            ClaimRequest.ANY);
    this.current = new Step.Ask<>(request);
  }

  /** Begins. */
  public Step<R> start() {
    expect(Stage.NEW);
    if (plan.mode() == DeliveryMode.AT_LEAST_ONCE) {
      return runUnprotected();
    }
    return go(Stage.ASKING, current);
  }

  /** The store has answered. */
  public Step<R> answered(Answer answer) {
    expect(Stage.ASKING);
    askedAgain = false;
    if (answer instanceof Answer.Claimed claimed) {
      return claimed(claimed);
    }
    if (isOpening()) {
      // Somebody else has decided about the key in doubt: back to the ordinary claim.
      resolvedResult = null;
      return go(Stage.ASKING, new Step.Ask<>(request));
    }
    if (answer instanceof Answer.Done done) {
      return duplicate(done);
    }
    if (answer instanceof Answer.InProgress busy) {
      return turnedAway(busy.leaseLeft(), inProgress(busy));
    }
    if (answer instanceof Answer.Deferred deferred) {
      return turnedAway(deferred.left(), new Outcome.Deferred<>(deferred.left()));
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

  private boolean isOpening() {
    return current instanceof Step.Ask<R> ask && ask.request().expectToken() != ClaimRequest.ANY;
  }

  private Step<R> claimed(Answer.Claimed answer) {
    Claim granted = answer.claim();
    claim = granted;
    if (events.on()) {
      publish(new Event.Claimed(granted));
    }
    if (resolvedResult != null) {
      return end(new Outcome.Duplicate<>(resolvedResult, Duration.ZERO, plan.codec()));
    }
    if (plan.mode() == DeliveryMode.AT_MOST_ONCE) {
      return go(Stage.RUNNING, new Step.Run<>(granted, Duration.ZERO, null));
    }
    if (granted.attempt() > plan.onFailure().attempts()) {
      String reason =
          "gave up: %d attempts have ended without an outcome".formatted(granted.attempt() - 1);
      ending = new Outcome.Failed<>(reason, Duration.ZERO, null);
      return settle(new Settlement.Fail(granted, reason, plan.retention()));
    }
    return go(Stage.RUNNING, new Step.Run<>(granted, answer.lease(), answer.checkpoint()));
  }

  private Step<R> duplicate(Answer.Done done) {
    if (events.on()) {
      publish(new Event.Duplicate(plan.scope(), key, done.age()));
      if (request.fingerprint() != null && !done.compared()) {
        publish(new Event.NotCompared(plan.scope(), key));
      }
    }
    return end(new Outcome.Duplicate<>(done.result(), done.age(), plan.codec()));
  }

  private Outcome<R> inProgress(Answer.InProgress busy) {
    boolean refused = plan.onInProgress().kind() == OnInProgress.Kind.REJECT;
    Duration retryAfter = refused ? null : atLeastOneMilli(min(busy.leaseLeft(), RETRY_AFTER));
    return new Outcome.InProgress<>(busy.leaseLeft(), retryAfter);
  }

  /** Waits for the one that holds the key, or for the time that the key is due, or ends. */
  private Step<R> turnedAway(Duration left, Outcome<R> otherwise) {
    Duration patience = plan.onInProgress().bound().minus(waited);
    if (patience.isNegative() || patience.isZero()) {
      if (events.on()) {
        publish(
            otherwise instanceof Outcome.Deferred
                ? new Event.Deferred(plan.scope(), key, left)
                : new Event.InProgress(plan.scope(), key, left));
      }
      return end(otherwise);
    }
    Duration pause = atLeastOneMilli(min(poll, min(left, patience)));
    poll = min(poll.multipliedBy(2), LAST_POLL);
    return pause(pause);
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
    ClaimRequest opening = request.expecting(doubt.token());
    if (verdict instanceof Resolver.Happened<R> happened) {
      publishResolved(doubt, Event.Resolved.Verdict.HAPPENED);
      resolvedResult = encode(happened.result(), new Claim(plan.scope(), key, doubt.token(), 1));
      return go(
          Stage.ASKING, new Step.Ask<>(opening.settlingNow(resolvedResult, plan.retention())));
    }
    if (verdict instanceof Resolver.DidNotHappen) {
      publishResolved(doubt, Event.Resolved.Verdict.DID_NOT_HAPPEN);
      return go(Stage.ASKING, new Step.Ask<>(opening));
    }
    publishResolved(doubt, Event.Resolved.Verdict.UNKNOWN);
    return end(doubtful(doubt, plan.onFailure().backoff().delay(Math.max(1, doubt.attempt()))));
  }

  private void publishResolved(Answer.InDoubt doubt, Event.Resolved.Verdict verdict) {
    publish(new Event.Resolved(plan.scope(), key, doubt.token(), verdict));
  }

  /**
   * The time that {@link Step.Wait} asked for has passed.
   *
   * @param hurried whether nobody wants to wait for another holder any longer
   */
  public Step<R> waited(boolean hurried) {
    expect(Stage.WAITING);
    if (hurried && current instanceof Step.Ask) {
      waited = plan.onInProgress().bound();
    }
    return go(current instanceof Step.Ask ? Stage.ASKING : Stage.SETTLING, current);
  }

  /** The handler has returned. */
  public Step<R> returned(R result) {
    expect(Stage.RUNNING);
    Claim held = Objects.requireNonNull(claim);
    ending = new Outcome.Processed<>(result, held);
    if (!isProtected || plan.mode() != DeliveryMode.EFFECTIVELY_ONCE) {
      return end(ending);
    }
    return settle(new Settlement.Complete(held, encode(result, held), plan.retention()));
  }

  /**
   * The handler has thrown.
   *
   * @param leaving whether it did so because the engine shuts down and has interrupted it
   */
  public Step<R> threw(Throwable thrown, boolean leaving) {
    expect(Stage.RUNNING);
    Claim held = Objects.requireNonNull(claim);
    if (leaving) {
      ending = new Outcome.Released<>(thrown, held.attempt(), Duration.ZERO);
      return settleIfClaimed(
          new Settlement.Release(held, Duration.ZERO, Attempts.REFUND, plan.retention()));
    }
    return switch (plan.onFailure().verdict(thrown, held.attempt())) {
      case RELEASE -> {
        Duration after = plan.onFailure().backoff().delay(held.attempt());
        ending = new Outcome.Released<>(thrown, held.attempt(), after);
        yield settleIfClaimed(new Settlement.Release(held, after, Attempts.KEEP, plan.retention()));
      }
      case FAIL -> {
        String reason = reason(thrown);
        ending = new Outcome.Failed<>(reason, Duration.ZERO, thrown);
        yield settleIfClaimed(new Settlement.Fail(held, reason, plan.retention()));
      }
      case DOUBT -> {
        ending = new Outcome.InDoubt<>(held.token(), held.attempt(), null, thrown);
        yield isSettledLater()
            ? go(Stage.SETTLING, new Step.GiveUp<>(new Renewal(held, Duration.ZERO, null)))
            : end(ending);
      }
    };
  }

  private Step<R> settleIfClaimed(Settlement settlement) {
    if (isSettledLater()) {
      return settle(settlement);
    }
    Outcome<R> outcome = Objects.requireNonNull(ending);
    if (plan.mode() == DeliveryMode.AT_MOST_ONCE
        && isProtected
        && outcome instanceof Outcome.Released<R> released) {
      // The key is done already: there will be no other attempt.
      outcome = new Outcome.Failed<>(reason(released.cause()), Duration.ZERO, released.cause());
    }
    return end(outcome);
  }

  private boolean isSettledLater() {
    return isProtected && plan.mode() == DeliveryMode.EFFECTIVELY_ONCE;
  }

  private Step<R> settle(Settlement settlement) {
    waited = Duration.ZERO;
    poll = FIRST_POLL;
    return go(Stage.SETTLING, new Step.Settle<>(settlement));
  }

  /** The store has settled the claim, or given its lease up, or has refused to. */
  public Step<R> settled(Held held) {
    expect(Stage.SETTLING);
    Claim mine = Objects.requireNonNull(claim);
    Outcome<R> outcome = Objects.requireNonNull(ending);
    if (held == Held.LOST) {
      publish(new Event.Refused(mine));
      return end(lost(outcome, mine));
    }
    if (outcome instanceof Outcome.Released<R> released) {
      publish(new Event.Released(mine, released.cause(), released.retryAfter()));
    } else if (outcome instanceof Outcome.Failed<R> failed) {
      publish(new Event.Failed(mine, failed.reason()));
    } else if (outcome instanceof Outcome.InDoubt<R>) {
      publish(new Event.InDoubt(plan.scope(), key, mine.token(), mine.attempt()));
    }
    return end(outcome);
  }

  private static <R extends @Nullable Object> Outcome<R> lost(Outcome<R> outcome, Claim mine) {
    if (outcome instanceof Outcome.Processed<R> processed) {
      return new Outcome.Lost<>(processed.result(), mine, null);
    }
    return new Outcome.Lost<>(null, mine, causeOf(outcome));
  }

  /** The store could not do what the last step asked for. */
  public Step<R> storeFailed(StoreException failure) {
    if (stage == Stage.SETTLING) {
      return settlingFailed(failure);
    }
    expect(Stage.ASKING);
    publish(new Event.StoreFailed(plan.scope(), key, failure));
    if (failure.kind() == StoreException.Kind.UNAVAILABLE && !askedAgain) {
      askedAgain = true;
      return current;
    }
    boolean mayRun =
        failure.kind() == StoreException.Kind.UNAVAILABLE
            || failure.kind() == StoreException.Kind.FULL;
    if (plan.failOpen() && mayRun) {
      publish(new Event.Unprotected(plan.scope(), key, failure));
      return runUnprotected();
    }
    stage = Stage.ENDED;
    return new Step.Fault<>(failure, null);
  }

  private Step<R> settlingFailed(StoreException failure) {
    publish(new Event.StoreFailed(plan.scope(), key, failure));
    if (failure.kind() == StoreException.Kind.UNAVAILABLE && waited.compareTo(plan.lease()) < 0) {
      Duration pause = poll;
      poll = min(poll.multipliedBy(2), LAST_POLL);
      return pause(pause);
    }
    stage = Stage.ENDED;
    Throwable thrown = causeOf(Objects.requireNonNull(ending));
    return new Step.Fault<>(
        new StoreException(
            failure.kind(),
            "the handler of key "
                + key
                + " has "
                + (thrown == null ? "run" : "failed")
                + ", but that could not be recorded and the claim is left to its lease: "
                + failure.getMessage(),
            failure),
        thrown);
  }

  private Step<R> runUnprotected() {
    isProtected = false;
    Claim none = new Claim(plan.scope(), key, 0, 1);
    claim = none;
    return go(Stage.RUNNING, new Step.Run<>(none, Duration.ZERO, null));
  }

  private Step<R> pause(Duration pause) {
    waited = waited.plus(pause);
    stage = Stage.WAITING;
    return new Step.Wait<>(pause);
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
    } catch (RuntimeException e) {
      problem = "the result cannot be encoded: " + e;
    }
    publish(new Event.ResultNotKept(held, problem));
    return Result.NOT_KEPT;
  }

  private static @Nullable Throwable causeOf(Outcome<?> outcome) {
    if (outcome instanceof Outcome.Released<?> released) {
      return released.cause();
    }
    if (outcome instanceof Outcome.Failed<?> failed) {
      return failed.cause();
    }
    return outcome instanceof Outcome.InDoubt<?> doubt ? doubt.cause() : null;
  }

  private static String reason(Throwable thrown) {
    String message = thrown.getMessage();
    String reason = thrown.getClass().getName() + (message == null ? "" : ": " + message);
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

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  private static Duration atLeastOneMilli(Duration duration) {
    return duration.toMillis() < 1 ? Duration.ofMillis(1) : duration;
  }
}
