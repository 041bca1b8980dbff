package dev.onlyonce.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Backoff;
import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.OnlyOnceBuilder;
import dev.onlyonce.Outcome;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Time;
import dev.onlyonce.testkit.FaultyStore;
import dev.onlyonce.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A memory store that fails on demand, clocks, and a record of the events: what engine tests use.
 */
final class Bench implements AutoCloseable {

  static final Scope SCOPE = Scope.of("billing");
  static final Key KEY = Key.of("order-4711/paid");
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration BACKOFF = Duration.ofSeconds(5);

  final ManualTime time = new ManualTime();
  final MemoryStore memory;
  final FaultyStore store;
  final List<Event> events = Collections.synchronizedList(new ArrayList<>());
  private final Time clocks;

  private Bench(boolean manual) {
    clocks = manual ? time : Time.system();
    memory = MemoryStore.builder().time(clocks).forgetful().capacity(20_000).build();
    store = FaultyStore.over(memory);
  }

  /** Time stands still unless the test moves it on. */
  static Bench withManualTime() {
    return new Bench(true);
  }

  /** Time passes: for tests of waiting and of background work. */
  static Bench withRealTime() {
    return new Bench(false);
  }

  /** An engine with text results; rerun, three attempts, a fixed back-off, unless set otherwise. */
  OnlyOnceBuilder<String> engine() {
    return OnlyOnce.builder(store)
        .scope(SCOPE)
        .time(clocks)
        .listener(events::add)
        .lease(LEASE)
        .purgeEvery(Duration.ZERO)
        .onFailure(failure())
        .onInDoubt(OnInDoubt.RERUN)
        .results(ResultCodec.TEXT);
  }

  static OnFailure failure() {
    return OnFailure.defaults()
        .attempts(3)
        .backoff(Backoff.fixed(BACKOFF))
        .failOn(IllegalArgumentException.class)
        .doubtOn(ArithmeticException.class);
  }

  /** Another worker claims the key, and is not heard of again. */
  Claim claimedByAnother(Lapse lapse) {
    return claimedByAnother(KEY, lapse);
  }

  Claim claimedByAnother(Key key, Lapse lapse) {
    long requestId = ThreadLocalRandom.current().nextLong();
    ClaimRequest request = ClaimRequest.of(SCOPE, key, requestId, LEASE, lapse);
    Answer answer = memory.claim(List.of(request)).get(0);
    assertThat(answer).isInstanceOf(Answer.Claimed.class);
    return ((Answer.Claimed) answer).claim();
  }

  void settle(Settlement settlement) {
    memory.settle(List.of(settlement));
  }

  ClaimState state() {
    return state(KEY);
  }

  ClaimState state(Key key) {
    return memory.find(SCOPE, key).map(ClaimRecord::state).orElse(ClaimState.UNKNOWN);
  }

  ClaimRecord record() {
    return memory.find(SCOPE, KEY).orElseThrow();
  }

  void lapse() {
    time.advance(LEASE);
  }

  <E extends Event> List<E> events(Class<E> kind) {
    synchronized (events) {
      return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
  }

  /** Returns the outcome as what it must be. */
  static <O extends Outcome<?>> O as(Class<O> kind, Outcome<?> outcome) {
    assertThat(outcome).isInstanceOf(kind);
    return kind.cast(outcome);
  }

  @Override
  public void close() {
    memory.close();
  }
}
