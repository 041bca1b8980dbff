package dev.onlyonce.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Event;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.FaultyStore;
import dev.onlyonce.testkit.FaultyStore.Verb;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two workers on one store. The connections of the first one stall while its handler runs, those of
 * the second one are well. Both tests are known failure 15, on a real server.
 *
 * <p>A store's test says how the store is opened.
 */
@SuppressWarnings("MemberName") // The names of tests are sentences.
@Timeout(300)
public abstract class RenewalRules {

  /** Renewed every third of it: a machine may stand still for as long without harm. */
  private static final Duration LEASE = Duration.ofSeconds(5);

  private static final Duration SHORT_LEASE = Duration.ofSeconds(2);
  private static final Duration GUARD = Duration.ofMinutes(1);
  private static final Scope SCOPE = Scope.of("renewals");
  private static final Key KEY = Key.of("k1");

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final ConcurrentLinkedQueue<Event> events = new ConcurrentLinkedQueue<>();
  private final AtomicInteger effects = new AtomicInteger();
  private final CountDownLatch running = new CountDownLatch(1);
  private final CountDownLatch finish = new CountDownLatch(1);

  /** For the test of a store. */
  protected RenewalRules() {}

  /**
   * The stores of two workers, which are one store.
   *
   * @param proxies all connections of the holder go through one of these
   * @param second none of its connections does; can be read
   */
  public record Workers(List<TcpFaultProxy> proxies, ClaimStore holder, ClaimStore second) {

    private void stall() {
      for (TcpFaultProxy each : proxies) {
        each.requests().stall();
        each.answers().stall();
      }
    }

    private void resume() {
      proxies.forEach(TcpFaultProxy::heal);
    }

    private void awaitStalled(FaultyStore store, Verb verb, long callsBefore) {
      Await.until(
          verb + " on its way",
          GUARD,
          () -> store.calls(verb) > callsBefore && proxies.stream().anyMatch(Workers::isHeldBack));
    }

    private static boolean isHeldBack(TcpFaultProxy proxy) {
      return proxy.requests().traffic().heldBytes() > 0;
    }
  }

  /** Opens the store twice, empty. */
  protected abstract Workers open();

  /** Leaves it to the rules to close something after the test; what came last is closed first. */
  protected final <C extends AutoCloseable> C closing(C resource) {
    open.push(resource);
    return resource;
  }

  @AfterEach
  final void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private OnlyOnce<String> engine(ClaimStore store, Duration lease) {
    return closing(
        OnlyOnce.builder(store)
            .scope(SCOPE)
            .listener(events::add)
            .lease(lease)
            .shutdownGrace(Duration.ofSeconds(1))
            .purgeEvery(Duration.ZERO)
            .onInDoubt(OnInDoubt.RERUN)
            .results(ResultCodec.TEXT)
            .build());
  }

  private static ClaimRecord record(Workers workers) {
    return ((ClaimReader) workers.second()).find(SCOPE, KEY).orElseThrow();
  }

  private static <T> FutureTask<T> started(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "holder");
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  private <E extends Event> List<E> events(Class<E> kind) {
    return events.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** Part (a). */
  @Test
  @Case(15)
  @Semantics(12)
  final void a_connection_that_stalls_for_a_part_of_the_lease_costs_no_claim() throws Exception {
    Workers workers = open();
    FaultyStore store = FaultyStore.over(workers.holder());
    OnlyOnce<String> holder = engine(store, LEASE);
    OnlyOnce<String> second = engine(workers.second(), LEASE);
    FutureTask<Outcome<String>> handled =
        started(
            () ->
                holder.attempt(
                    KEY,
                    null,
                    attempt -> {
                      running.countDown();
                      finish.await();
                      assertThat(attempt.stillHeld()).isTrue();
                      return "effect " + effects.incrementAndGet();
                    }));
    running.await();
    long renewals = store.calls(Verb.RENEW);
    workers.stall();
    workers.awaitStalled(store, Verb.RENEW, renewals);
    assertThat(second.attempt(KEY, null, it -> "never")).isInstanceOf(Outcome.InProgress.class);
    long until = record(workers).leaseUntilMillis();
    workers.resume();
    long end = until + LEASE.toMillis(); // more than the renewal that was held back could give
    Await.until(
        "renewals after that",
        GUARD,
        () -> {
          assertThat(second.attempt(KEY, null, it -> "never"))
              .isInstanceOf(Outcome.InProgress.class);
          return record(workers).leaseUntilMillis() > end;
        });
    finish.countDown();
    assertThat(handled.get()).isInstanceOf(Outcome.Processed.class);
    assertThat(second.process(KEY, it -> "never")).isEqualTo("effect 1");
    assertThat(record(workers).attempt()).isEqualTo(1);
    assertThat(events(Event.LeaseLost.class)).isEmpty();
  }

  /** Part (b). */
  @Test
  @Case(15)
  @Semantics({10, 12})
  final void a_holder_whose_connection_stalls_for_longer_is_told_and_its_completion_is_refused()
      throws Exception {
    Workers workers = open();
    FaultyStore store = FaultyStore.over(workers.holder());
    OnlyOnce<String> holder = engine(store, SHORT_LEASE);
    OnlyOnce<String> second = engine(workers.second(), LEASE);
    CountDownLatch told = new CountDownLatch(1);
    FutureTask<Outcome<String>> handled =
        started(
            () ->
                holder.attempt(
                    KEY,
                    null,
                    attempt -> {
                      running.countDown();
                      Await.until("the loss", GUARD, () -> !attempt.stillHeld());
                      told.countDown();
                      finish.await();
                      return "holder";
                    }));
    running.await();
    workers.stall();
    assertThat(told.await(2, TimeUnit.MINUTES)).as("the handler was told").isTrue();
    Await.until("the event", GUARD, () -> events(Event.LeaseLost.class).size() == 1);
    Await.until( // the holder is told a little early
        "the second worker",
        GUARD,
        () -> second.attempt(KEY, null, it -> "second") instanceof Outcome.Processed);
    long settlements = store.calls(Verb.SETTLE);
    finish.countDown();
    workers.awaitStalled(store, Verb.SETTLE, settlements);
    workers.resume();
    assertThat(handled.get()).isInstanceOf(Outcome.Lost.class);
    assertThat(second.process(KEY, it -> "never")).isEqualTo("second");
    assertThat(record(workers).state()).isEqualTo(ClaimState.DONE);
    assertThat(record(workers).attempt()).isEqualTo(2);
    assertThat(events(Event.Completed.class)).hasSize(1);
  }
}
