package dev.onlyonce.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.testkit.Case;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RotatingBloomFilterTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualClock clock = new ManualClock();

  private RotatingBloomFilter filter(int generations) {
    return KeyFilter.forKeys(10_000)
        .errorRate(1e-6)
        .seed(1)
        .generations(generations)
        .rotating(HOUR, clock);
  }

  @Test
  void a_key_is_remembered_for_the_window_and_then_forgotten() {
    RotatingBloomFilter filter = filter(4);
    assertThat(filter.putHash(1)).isTrue();
    clock.pass(HOUR);
    assertThat(filter.mightContainHash(1)).isTrue();
    clock.pass(Duration.ofMinutes(20));
    assertThat(filter.mightContainHash(1)).isFalse();
    assertThat(filter.putHash(1)).isTrue();
  }

  @Test
  void a_key_that_is_put_again_is_remembered_from_then_on() {
    RotatingBloomFilter filter = filter(3);
    filter.putHash(1);
    for (int i = 0; i < 10; i++) {
      clock.pass(HOUR);
      assertThat(filter.putHash(1)).isFalse();
    }
  }

  /** Beside a model that knows when each key was put; the puts come at all places of a period. */
  @Test
  void a_key_is_remembered_at_least_the_window_and_at_most_a_generation_longer() {
    SplittableRandom random = new SplittableRandom(4);
    for (int generations : new int[] {2, 3, 4, 7, 32}) {
      RotatingBloomFilter filter = filter(generations);
      Duration period = HOUR.dividedBy(generations - 1).plusMillis(1);
      Map<Long, Long> puts = new HashMap<>();
      for (int step = 0; step < 5000; step++) {
        clock.pass(Duration.ofMillis(random.nextLong(120_000)));
        long key = Hashes.of(random.nextInt(500));
        long put = puts.getOrDefault(key, Long.MIN_VALUE / 2);
        long age = clock.millis() - put;
        boolean known = filter.mightContainHash(key);
        if (age <= HOUR.toMillis()) {
          assertThat(known).as("%d ms, %d generations", age, generations).isTrue();
        } else if (age > HOUR.plus(period).toMillis()) {
          assertThat(known).as("%d ms, %d generations", age, generations).isFalse();
        }
        if (random.nextBoolean()) {
          assertThat(filter.putHash(key)).isNotEqualTo(known);
          puts.put(key, clock.millis());
        }
      }
    }
  }

  @Test
  void a_clock_that_steps_back_forgets_nothing() {
    RotatingBloomFilter filter = filter(3);
    clock.pass(HOUR);
    filter.putHash(1);
    clock.pass(HOUR.multipliedBy(-5));
    assertThat(filter.putHash(1)).isFalse();
    assertThat(filter.putHash(2)).isTrue();
    clock.pass(HOUR.multipliedBy(5));
    assertThat(filter.mightContainHash(1)).isTrue();
    assertThat(filter.mightContainHash(2)).isTrue();
  }

  @Test
  void the_promise_is_kept_with_all_generations_filled() {
    RotatingBloomFilter filter =
        KeyFilter.forKeys(30_000).errorRate(0.01).generations(4).rotating(HOUR, clock);
    for (int i = 0; i < 40_000; i++) {
      filter.putHash(Hashes.of(i));
      if (i % 10_000 == 9_999 && i < 39_999) {
        clock.pass(Duration.ofMinutes(20));
      }
    }
    assertThat(Hashes.countOf(filter, 0, 40_000)).isEqualTo(40_000);
    assertThat(Hashes.measured(filter, 1_000_000)).isBetween(0.004, 0.011);
    assertThat(filter.estimatedErrorRate()).isBetween(0.004, 0.011);
    assertThat(filter.approximateCount()).isBetween(39_000L, 41_000L);
    assertThat(filter.fill()).isBetween(0.1, 0.7);
    assertThat(filter.window()).isEqualTo(HOUR);
    boolean[] found = new boolean[10];
    filter.mightContain(Hashes.range(0, 10), found);
    assertThat(found).doesNotContain(false);
  }

  /** A generation has room for 323 keys and gets 500, so each of them grows as well. */
  @Case(33)
  @Test
  void exactly_one_thread_is_told_new_also_while_generations_change() throws Exception {
    RotatingBloomFilter filter = filter(32);
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger[] news =
        Hashes.race(
            8,
            10_000,
            hash -> {
              if (calls.incrementAndGet() % 4000 == 0) {
                clock.pass(Duration.ofMinutes(2));
              }
              return filter.putHash(hash);
            });
    assertThat(news).allMatch(it -> it.get() == 1);
  }

  @Test
  void a_window_has_limits() {
    assertThatThrownBy(() -> KeyFilter.forKeys(10).rotating(Duration.ZERO, clock))
        .hasMessage("window must be PT0.004S to PT87840H, was PT0S");
    assertThatThrownBy(() -> KeyFilter.forKeys(10).rotating(Duration.ofDays(4000), clock))
        .hasMessage("window must be PT0.004S to PT87840H, was PT96000H");
  }
}
