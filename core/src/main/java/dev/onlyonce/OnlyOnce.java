package dev.onlyonce;

import dev.onlyonce.internal.AsyncDriver;
import dev.onlyonce.internal.BatchDriver;
import dev.onlyonce.internal.BlockingDriver;
import dev.onlyonce.internal.Engine;
import dev.onlyonce.internal.Events;
import dev.onlyonce.internal.Flow;
import dev.onlyonce.internal.InDoubtCycle;
import dev.onlyonce.internal.Plan;
import dev.onlyonce.messaging.ConsumerBuilder;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Source;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs a handler once per key, however often its message is delivered.
 *
 * <pre>{@code
 * OnlyOnce<String> once =
 *     OnlyOnce.builder(store).scope("billing").onInDoubt(OnInDoubt.PARK)
 *         .results(ResultCodec.TEXT).build();
 * String receipt = once.process("order-4711/paid", () -> charge(order));
 * }</pre>
 *
 * <p><b>Guarantee.</b> In mode effectively-once, of all copies of a key, here and in every process
 * that shares the store, one at a time has the claim; once a handler has returned and its claim was
 * completed, no other copy runs within the retention. What remains is the gap between the effect
 * and its completion: a process that dies in it leaves the key in doubt, and what then happens was
 * chosen with {@link OnInDoubt} or a {@link Resolver}. An effect that checks the fencing token of
 * its {@link Attempt} is safe from holders that were overtaken.
 *
 * <p><b>Thread-safety.</b> Any number of threads. A handler must not process its own key again;
 * that is refused where it can be seen, on the same thread.
 *
 * <p><b>Failure.</b> {@link dev.onlyonce.spi.StoreException} if the store fails: the handler has
 * not run unless the message says so.
 *
 * @param <R> what handlers return, kept for duplicates
 */
public final class OnlyOnce<R extends @Nullable Object> implements AutoCloseable {

  private final OnlyOnceBuilder<R> settings;
  private final Plan<R> plan;
  private final Engine engine;
  private final Events events;
  private final InDoubtCycle<R> inDoubt;

  OnlyOnce(OnlyOnceBuilder<R> settings, Engine engine, Events events) {
    this.settings = settings;
    this.plan = settings.plan();
    this.engine = engine;
    this.events = events;
    this.inDoubt = new InDoubtCycle<>(engine, plan, events);
  }

  /**
   * Starts an engine over a store, which stays the caller's to close. Needed are a scope and, in
   * the default mode, what to do in doubt.
   */
  public static OnlyOnceBuilder<@Nullable Void> builder(ClaimStore store) {
    return new OnlyOnceBuilder<>(store, ResultCodec.NONE);
  }

  /**
   * Runs the handler unless the key is done; returns its result, or the one that was kept.
   *
   * @param key a text key, see {@link Key#of(String)}
   * @throws X what the handler has thrown
   * @throws NotProcessedException if the key is in progress, not due yet, in doubt, failed before,
   *     known with another payload, or was lost to another holder
   * @throws ResultNotKeptException if the key is done but its result cannot be had
   */
  public <X extends Exception> R process(String key, Handler.Plain<R, X> handler) throws X {
    return process(Key.of(key), attempt -> handler.handle());
  }

  /** Does the same with a handler that has no result: the key is done with null. */
  @SuppressWarnings("NullAway") // null stands for no result, whatever R is
  public <X extends Exception> void run(String key, Handler.Action<X> handler) throws X {
    process(
        Key.of(key),
        attempt -> {
          handler.handle();
          return null;
        });
  }

  /** Does the same, with a handler that asks for its attempt. */
  public <X extends Exception> R process(Key key, Handler<R, X> handler) throws X {
    return process(key, null, handler);
  }

  /**
   * Does the same, and refuses a key that comes again with another payload.
   *
   * @param fingerprint of the payload; null to leave it uncompared
   */
  public <X extends Exception> R process(
      Key key, @Nullable Fingerprint fingerprint, Handler<R, X> handler) throws X {
    return Outcomes.resultOf(key, attempt(key, fingerprint, handler));
  }

  /**
   * Does the same as {@link #process}, and returns the outcome instead of throwing: also what the
   * handler has thrown, except for an {@link Error}, which is thrown on when the key is settled.
   */
  public Outcome<R> attempt(Key key, @Nullable Fingerprint fingerprint, Handler<R, ?> handler) {
    Objects.requireNonNull(handler, "handler must not be null");
    BlockingDriver<R> driver =
        new BlockingDriver<>(
            engine, plan, flow(key, fingerprint), handler, settings.interruptsWhenLost());
    return Outcomes.withoutError(driver.run());
  }

  /**
   * Does the same for what a {@link KeyExtractor} found: without a key, the handler is not run, or
   * runs without protection if {@link OnlyOnceBuilder#bypassUnkeyed()} was chosen. No two
   * deliveries without a key are ever taken for copies of each other.
   */
  public Outcome<R> attempt(
      KeyExtractor.Extracted found, @Nullable Fingerprint fingerprint, Handler<R, ?> handler) {
    if (found instanceof KeyExtractor.Keyed keyed) {
      return attempt(keyed.key(), fingerprint, handler);
    }
    KeyExtractor.Unkeyed unkeyed = (KeyExtractor.Unkeyed) found;
    events.publish(new Event.Unkeyed(plan.scope(), unkeyed, settings.bypassesUnkeyed()));
    return settings.bypassesUnkeyed() ? unprotected(handler) : new Outcome.Unkeyed<>(unkeyed);
  }

  private Outcome<R> unprotected(Handler<R, ?> handler) {
    Plan<R> unclaimed = settings.plan(DeliveryMode.AT_LEAST_ONCE);
    Key none = Key.of("unkeyed-" + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    Flow<R> flow = new Flow<>(unclaimed, events, none, null, 0);
    return Outcomes.withoutError(
        new BlockingDriver<>(engine, unclaimed, flow, handler, false).run());
  }

  /**
   * Does the same without keeping a thread while the handler's stage is not complete. The store is
   * asked on virtual threads where the JVM has them, else on a pool of 64 threads. Nesting of one
   * key in itself is not noticed.
   *
   * @return completed with the outcome, with an {@link Error} that the handler ended in, or with
   *     the exception of a store that failed
   * @throws java.util.concurrent.RejectedExecutionException if 100,000 messages are under way
   */
  public CompletableFuture<Outcome<R>> attemptAsync(
      Key key,
      @Nullable Fingerprint fingerprint,
      Function<Attempt, ? extends CompletionStage<R>> handler) {
    return new AsyncDriver<>(engine, plan, flow(key, fingerprint), handler)
        .start()
        .thenApply(Outcomes::withoutError);
  }

  private Flow<R> flow(Key key, @Nullable Fingerprint fingerprint) {
    Objects.requireNonNull(key, "key must not be null");
    return new Flow<>(plan, events, key, fingerprint, ThreadLocalRandom.current().nextLong());
  }

  /**
   * Tells whether the key was done a moment ago: an observation, not a decision. The next moment
   * may be different, so whoever acts on "no" without a claim is not protected.
   *
   * @throws IllegalStateException if the store cannot be read
   */
  public boolean seen(Key key) {
    return reader("seen()")
        .find(plan.scope(), key)
        .map(ClaimRecord::state)
        .filter(ClaimState.DONE::equals)
        .isPresent();
  }

  /**
   * Asks the resolver about keys of this scope that are in doubt and whose messages may never come
   * again. One bounded duty cycle: it asks about the next ones, and begins anew after the last. A
   * key whose effect has happened is completed; one whose effect has not is released, and the next
   * delivery of its message runs it.
   *
   * <p>To be called from a scheduler, no more often than the resolver may be asked about one key.
   * Any number of threads and processes may do so.
   *
   * @param limit how many keys to ask about at the most, from 1
   * @return how many of them are not in doubt any more
   * @throws IllegalStateException if there is no resolver, the mode is not effectively-once, or the
   *     store cannot be read
   */
  public int resolveInDoubt(int limit) {
    Limits.requirePositive("limit", limit);
    if (plan.mode() != DeliveryMode.EFFECTIVELY_ONCE) {
      throw new IllegalStateException(
          "resolveInDoubt() needs mode EFFECTIVELY_ONCE, in which alone keys get in doubt; it is "
              + plan.mode());
    }
    if (plan.resolver() == null) {
      throw new IllegalStateException("resolveInDoubt() needs a Resolver, set with onInDoubt()");
    }
    return inDoubt.runOnce(reader("resolveInDoubt()"), limit);
  }

  private ClaimReader reader(String method) {
    if (settings.store() instanceof ClaimReader reader) {
      return reader;
    }
    throw new IllegalStateException(
        "%s needs a store that is a ClaimReader, %s is not"
            .formatted(method, settings.store().getClass()));
  }

  /**
   * Starts a consumer, which handles what a source delivers with the settings of this engine. In
   * progress means to it that the message waits, whatever {@link OnlyOnceBuilder#onInProgress}
   * says.
   *
   * @param source becomes the consumer's, which closes it
   */
  public ConsumerBuilder<R> consume(Source source) {
    BatchDriver<R> driver =
        new BatchDriver<>(engine, settings.consumerPlan(), events, settings.interruptsWhenLost());
    return new ConsumerBuilder<>(
        source, driver, events, settings.bypassesUnkeyed(), settings.shutdownGrace());
  }

  /**
   * Starts another view of this engine from its settings, with another scope for instance. Views
   * share the store, the renewals and the end: closing one closes all.
   */
  public OnlyOnceBuilder<R> derive() {
    return settings.sharing(engine, events);
  }

  /**
   * Takes no more messages, waits for those that are being handled, interrupts their handlers after
   * the grace, and leaves the claims of those that go on all the same to their leases. The store
   * stays open.
   */
  @Override
  public void close() {
    engine.close(settings.shutdownGrace());
  }
}
