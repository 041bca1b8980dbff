package dev.onlyonce;

import dev.onlyonce.internal.Engine;
import dev.onlyonce.internal.Events;
import dev.onlyonce.internal.Plan;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an engine. Needed: {@link #scope} and, in mode effectively-once, {@code onInDoubt}.
 * Defaults of the others:
 *
 * <ul>
 *   <li>mode: effectively-once
 *   <li>results: none are kept
 *   <li>in progress: retry later
 *   <li>failure: 7 attempts at 1, 2, 4, 8, 16, 32 seconds with full jitter, then failed
 *   <li>lease: 30 seconds, renewed at a third
 *   <li>retention: 7 days
 *   <li>largest result: 64 KiB
 *   <li>store down: fail closed
 *   <li>unkeyed deliveries: refused
 *   <li>lost lease: the attempt says so, the handler's thread is not interrupted
 *   <li>shutdown grace: 10 seconds
 *   <li>purge: every minute
 * </ul>
 *
 * <p>Not safe for use by several threads.
 *
 * @param <R> what handlers return
 */
public final class OnlyOnceBuilder<R extends @Nullable Object> {

  private final ClaimStore store;
  private final ResultCodec<R> codec;
  private @Nullable Scope scope;
  private DeliveryMode mode = DeliveryMode.EFFECTIVELY_ONCE;
  private @Nullable OnInDoubt onInDoubt;
  private @Nullable Resolver<R> resolver;
  private OnInProgress onInProgress = OnInProgress.retryLater();
  private OnFailure onFailure = OnFailure.defaults();
  private Duration lease = Limits.LEASE;
  private Duration retention = Limits.RETENTION;
  private int resultLimitBytes = Limits.RESULT_BYTES;
  private boolean failOpen;
  private boolean bypassUnkeyed;
  private boolean interruptWhenLost;
  private Duration shutdownGrace = Duration.ofSeconds(10);
  private Duration purgeEvery = Duration.ofMinutes(1);
  private Time time = Time.system();
  private List<Event.Listener> listeners = List.of();
  private @Nullable Engine engine;
  private @Nullable Events events;

  OnlyOnceBuilder(ClaimStore store, ResultCodec<R> codec) {
    this.store = store;
    this.codec = codec;
  }

  private <S extends @Nullable Object> OnlyOnceBuilder<S> copy(ResultCodec<S> otherCodec) {
    OnlyOnceBuilder<S> copy = new OnlyOnceBuilder<>(store, otherCodec);
    copy.scope = scope;
    copy.mode = mode;
    copy.onInDoubt = onInDoubt;
    copy.onInProgress = onInProgress;
    copy.onFailure = onFailure;
    copy.lease = lease;
    copy.retention = retention;
    copy.resultLimitBytes = resultLimitBytes;
    copy.failOpen = failOpen;
    copy.bypassUnkeyed = bypassUnkeyed;
    copy.interruptWhenLost = interruptWhenLost;
    copy.shutdownGrace = shutdownGrace;
    copy.purgeEvery = purgeEvery;
    copy.time = time;
    copy.listeners = listeners;
    copy.engine = engine;
    copy.events = events;
    return copy;
  }

  /** Sets the scope by its name, see {@link Scope}. */
  public OnlyOnceBuilder<R> scope(String name) {
    return scope(Scope.of(name));
  }

  /** Sets the scope. */
  public OnlyOnceBuilder<R> scope(Scope replacement) {
    this.scope = replacement;
    return this;
  }

  /**
   * Has results of another type kept. A resolver that was set is for results of the type before, so
   * it is forgotten and what to do in doubt must be chosen anew.
   */
  public <S> OnlyOnceBuilder<S> results(ResultCodec<S> replacement) {
    OnlyOnceBuilder<S> copy = copy(replacement);
    if (resolver != null) {
      copy.onInDoubt = null;
    }
    return copy;
  }

  /** Sets the delivery mode. */
  public OnlyOnceBuilder<R> mode(DeliveryMode replacement) {
    this.mode = replacement;
    return this;
  }

  /** Sets what is done with a key whose holder vanished. */
  public OnlyOnceBuilder<R> onInDoubt(OnInDoubt choice) {
    this.onInDoubt = choice;
    this.resolver = null;
    return this;
  }

  /** Sets whom to ask about a key whose holder vanished. */
  public OnlyOnceBuilder<R> onInDoubt(Resolver<R> asked) {
    this.onInDoubt = OnInDoubt.PARK;
    this.resolver = asked;
    return this;
  }

  /** Sets what is done with a copy of a message that is being handled. */
  public OnlyOnceBuilder<R> onInProgress(OnInProgress policy) {
    this.onInProgress = policy;
    return this;
  }

  /** Sets what becomes of a key whose handler throws. */
  public OnlyOnceBuilder<R> onFailure(OnFailure policy) {
    this.onFailure = policy;
    return this;
  }

  /**
   * Sets how long a claim lasts unless it is renewed: how long a key is blocked when its process
   * dies. At most 24 hours.
   */
  public OnlyOnceBuilder<R> lease(Duration duration) {
    this.lease = Limits.requireLease(duration);
    return this;
  }

  /**
   * Sets how long a settled key is remembered. It should be longer than the time in which the
   * broker redelivers, retries are made and dead letters are kept; later copies are new.
   */
  public OnlyOnceBuilder<R> retention(Duration duration) {
    this.retention = Limits.requirePositive("retention", duration);
    return this;
  }

  /**
   * Sets the largest encoded result that is kept, in bytes; larger ones are "not kept". What
   * {@linkplain ClaimStore#maxResultBytes the store takes} is a limit, too.
   */
  public OnlyOnceBuilder<R> resultLimit(int bytes) {
    this.resultLimitBytes = Limits.requirePositive("result limit", bytes);
    return this;
  }

  /**
   * Runs handlers without protection while the store cannot be asked, instead of refusing: keys may
   * then take effect more than once. Each is an event.
   */
  public OnlyOnceBuilder<R> failOpen() {
    this.failOpen = true;
    return this;
  }

  /** Handles deliveries that have no key, without protection, instead of refusing them. */
  public OnlyOnceBuilder<R> bypassUnkeyed() {
    this.bypassUnkeyed = true;
    return this;
  }

  /** Interrupts the thread of a handler whose claim is lost. */
  public OnlyOnceBuilder<R> interruptWhenLost() {
    this.interruptWhenLost = true;
    return this;
  }

  /** Sets how long closing waits for handlers before it interrupts them, and again after. */
  public OnlyOnceBuilder<R> shutdownGrace(Duration grace) {
    this.shutdownGrace = Limits.requireNotNegative("shutdown grace", grace);
    return this;
  }

  /**
   * Sets how often expired records are purged from the store; zero leaves it to others.
   *
   * @throws IllegalStateException on a derived view, which shares its engine's background work
   */
  public OnlyOnceBuilder<R> purgeEvery(Duration interval) {
    requireNoEngine("purgeEvery");
    this.purgeEvery = Limits.requireNotNegative("purge interval", interval);
    return this;
  }

  /**
   * Adds a listener to the engine's events.
   *
   * @throws IllegalStateException on a derived view, which has the listeners of its engine
   */
  public OnlyOnceBuilder<R> listener(Event.Listener listener) {
    requireNoEngine("listener");
    List<Event.Listener> more = new ArrayList<>(listeners);
    more.add(listener);
    this.listeners = List.copyOf(more);
    return this;
  }

  /**
   * Sets the clocks, for tests.
   *
   * @throws IllegalStateException on a derived view, which has the clocks of its engine
   */
  public OnlyOnceBuilder<R> time(Time replacement) {
    requireNoEngine("time");
    this.time = replacement;
    return this;
  }

  private void requireNoEngine(String setting) {
    if (engine != null) {
      throw new IllegalStateException(
          setting + " belongs to the engine that this view shares: set it where that is built");
    }
  }

  /**
   * Makes the engine, or the view.
   *
   * @throws IllegalStateException if the scope or, in mode effectively-once, the choice for keys in
   *     doubt is missing
   */
  public OnlyOnce<R> build() {
    if (mode == DeliveryMode.EFFECTIVELY_ONCE && onInDoubt == null) {
      throw new IllegalStateException(
          "onInDoubt must be chosen, there is no default: OnInDoubt.RERUN, OnInDoubt.PARK or a"
              + " Resolver");
    }
    OnlyOnceBuilder<R> settings = copy(codec);
    settings.resolver = resolver;
    Events toEvents = events == null ? new Events(listeners) : events;
    Engine shared = engine == null ? new Engine(store, time, toEvents, purgeEvery) : engine;
    return new OnlyOnce<>(settings, shared, toEvents);
  }

  OnlyOnceBuilder<R> sharing(Engine shared, Events sharedEvents) {
    OnlyOnceBuilder<R> copy = copy(codec);
    copy.resolver = resolver;
    copy.engine = shared;
    copy.events = sharedEvents;
    return copy;
  }

  Plan<R> plan() {
    return plan(mode);
  }

  /** A consumer has many messages under way, waits for none of them, and forgets none. */
  Plan<R> consumerPlan() {
    return plan(mode, OnInProgress.retryLater(), true);
  }

  Plan<R> plan(DeliveryMode chosen) {
    return plan(chosen, onInProgress, false);
  }

  private Plan<R> plan(DeliveryMode chosen, OnInProgress busy, boolean isPatient) {
    if (scope == null) {
      throw new IllegalStateException(
          "scope must be set: the consumer or operation that the keys belong to");
    }
    return new Plan<>(
        scope,
        chosen,
        onInDoubt == OnInDoubt.PARK ? Lapse.PARK : Lapse.TAKE,
        resolver,
        busy,
        onFailure,
        failOpen,
        lease,
        retention,
        Math.min(resultLimitBytes, store.maxResultBytes()),
        codec,
        isPatient);
  }

  ClaimStore store() {
    return store;
  }

  boolean interruptsWhenLost() {
    return interruptWhenLost;
  }

  boolean bypassesUnkeyed() {
    return bypassUnkeyed;
  }

  Duration shutdownGrace() {
    return shutdownGrace;
  }
}
