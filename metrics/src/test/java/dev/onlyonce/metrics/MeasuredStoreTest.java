package dev.onlyonce.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.FaultyStore;
import dev.onlyonce.testkit.FaultyStore.Moment;
import dev.onlyonce.testkit.ManualTime;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The time that a store takes, by what it is asked and how much at once. */
class MeasuredStoreTest {

  private static final Scope SCOPE = Scope.of("billing");
  private static final Duration TAKES = Duration.ofMillis(7);

  private final ManualTime time = new ManualTime();
  private final MemoryStore memory =
      MemoryStore.builder().time(time).purgeGrace(Duration.ZERO).forgetful().build();
  private final FaultyStore faulty = FaultyStore.over(memory);
  private final SimpleMeterRegistry registry =
      new SimpleMeterRegistry(SimpleConfig.DEFAULT, new ClockOf(time));
  private final OnlyOnceMetrics metrics = OnlyOnceMetrics.with(registry);
  private final ClaimStore measured =
      metrics.measured("claims", new SlowStore(faulty, time, TAKES));

  private record ClockOf(ManualTime time) implements Clock {
    @Override
    public long wallTime() {
      return time.millis();
    }

    @Override
    public long monotonicTime() {
      return time.nanoTime();
    }
  }

  @AfterEach
  void close() {
    memory.close();
  }

  private static List<ClaimRequest> requests(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> Key.of("order-" + i))
        .map(key -> ClaimRequest.of(SCOPE, key, 17, Limits.LEASE, Lapse.PARK))
        .toList();
  }

  private static Claim claim(Answer answer) {
    return ((Answer.Claimed) answer).claim();
  }

  private Timer timer(String verb, String batch, String outcome) {
    return registry
        .get("onlyonce.store.latency")
        .tags("store", "claims", "verb", verb, "batch", batch, "outcome", outcome)
        .timer();
  }

  private void assertTimed(String verb, String batch, String outcome) {
    Timer timer = timer(verb, batch, outcome);
    assertThat(timer.count()).isEqualTo(1);
    assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(7);
  }

  @Test
  void each_verb_is_timed_and_answers_what_the_store_answers() {
    List<Answer> answers = measured.claim(requests(3));
    Claim claim = claim(answers.get(0));
    assertThat(answers).hasSize(3).allMatch(Answer.Claimed.class::isInstance);
    assertThat(measured.renew(List.of(new Renewal(claim, Limits.LEASE, null))))
        .containsExactly(Held.HELD);
    Settlement done = new Settlement.Complete(claim, Result.NONE, Duration.ofHours(1));
    assertThat(measured.settle(List.of(done))).containsExactly(Held.HELD);
    time.advance(Duration.ofHours(2));
    assertThat(measured.purge(10)).isEqualTo(1);
    assertTimed("claim", "2-9", "answered");
    assertTimed("renew", "1", "answered");
    assertTimed("settle", "1", "answered");
    assertTimed("purge", "1", "answered");
    assertThat(measured.purge(10)).isZero();
    assertTimed("purge", "0", "answered");
  }

  @Test
  void the_size_of_a_batch_is_one_of_six() {
    assertThat(
            IntStream.of(0, 1, 2, 9, 10, 99, 100, 999, 1_000, 10_000, Integer.MAX_VALUE)
                .mapToObj(BatchSize::of))
        .containsExactly(
            "0", "1", "2-9", "2-9", "10-99", "10-99", "100-999", "100-999", "1000+", "1000+",
            "1000+");
  }

  @Test
  void a_call_that_fails_is_timed_by_how_and_thrown_on() {
    faulty.failAlways(Moment.BEFORE);
    assertThatThrownBy(() -> measured.claim(requests(10))).isInstanceOf(StoreException.class);
    assertTimed("claim", "10-99", "unavailable");
    assertThatThrownBy(() -> measured.purge(10)).isInstanceOf(StoreException.class);
    assertTimed("purge", "0", "unavailable");
    faulty.heal();
    memory.close();
    assertThatThrownBy(() -> measured.claim(requests(1))).isInstanceOf(StoreException.class);
    assertTimed("claim", "1", "closed");
  }

  @Test
  void a_store_that_throws_what_it_should_not_is_timed_as_an_error() {
    ClaimStore broken = metrics.measured("claims", new SlowStore(null, time, TAKES));
    assertThatThrownBy(() -> broken.claim(requests(1))).isInstanceOf(NullPointerException.class);
    assertTimed("claim", "1", "error");
  }

  @Test
  void closing_closes_the_store() {
    measured.close();
    assertThatThrownBy(() -> memory.claim(requests(1))).isInstanceOf(StoreException.class);
  }

  @Test
  void a_store_that_can_be_read_can_be_read_measured() {
    ClaimStore readable = metrics.measured("claims", memory);
    OnlyOnce<Void> once =
        OnlyOnce.builder(readable)
            .scope(SCOPE)
            .purgeEvery(Duration.ZERO)
            .onInDoubt(OnInDoubt.PARK)
            .build();
    Key key = Key.of("order-1");
    assertThat(once.seen(key)).isFalse();
    once.run("order-1", () -> {});
    assertThat(once.seen(key)).isTrue();
    ClaimReader reader = (ClaimReader) readable;
    assertThat(reader.history(SCOPE, key)).isEqualTo(memory.history(SCOPE, key)).hasSize(1);
    assertThat(reader.totals()).containsEntry(ClaimState.DONE, 1L);
    assertThat(reader.scopes()).containsExactly(SCOPE);
    assertThat(reader.list(Query.all(10), null).records()).hasSize(1);
  }

  @Test
  void a_store_that_cannot_be_read_does_not_look_as_if_it_could() {
    assertThat(measured).isNotInstanceOf(ClaimReader.class);
  }

  @Test
  void stores_are_told_apart_by_their_names() {
    metrics.measured("other", memory).claim(requests(1));
    measured.claim(requests(1));
    assertTimed("claim", "1", "answered");
  }

  private double tier(String name, String tier) {
    return registry.get(name).tags("store", "tiers", "tier", tier).functionCounter().count();
  }

  @Test
  void what_each_tier_of_a_store_answered_is_counted() {
    ClaimStore tiers = metrics.measured("tiers", new CountingTiers(memory));
    tiers.claim(requests(8));
    assertThat(tier("onlyonce.tier.keys", "near")).isEqualTo(8);
    assertThat(tier("onlyonce.tier.answered", "near")).isEqualTo(4);
    assertThat(tier("onlyonce.tier.answered", "database")).isEqualTo(1);
    assertThat(tier("onlyonce.tier.failures", "near")).isZero();
    assertThat(tier("onlyonce.tier.failures", "database")).isEqualTo(3);
  }
}
