package dev.onlyonce.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Backoff;
import dev.onlyonce.OnFailure;
import dev.onlyonce.testkit.Case;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BackoffTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration LONGEST = Duration.ofMillis(Long.MAX_VALUE);

  static Arguments[] settings() {
    return new Arguments[] {
      Arguments.of(Backoff.exponential(Duration.ofMillis(200), 2, HOUR), HOUR),
      Arguments.of(Backoff.exponential(Duration.ofMillis(1), 10, LONGEST), LONGEST),
    };
  }

  private static int[] attempts() {
    return IntStream.concat(
            IntStream.rangeClosed(1, 100), IntStream.of(1_000_000, Integer.MAX_VALUE))
        .toArray();
  }

  /** Elsewhere the delay wrapped round after some dozens of attempts, and there was no pause. */
  @ParameterizedTest
  @MethodSource("settings")
  @Case(53)
  void the_delay_is_positive_and_at_most_the_cap_for_every_attempt(Backoff backoff, Duration cap) {
    Random random = new Random(53);
    for (int attempt : attempts()) {
      assertThat(backoff.delay(attempt)).isPositive().isLessThanOrEqualTo(cap);
      assertThat(backoff.delay(attempt, random)).isPositive().isLessThanOrEqualTo(cap);
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  @Case(53)
  void without_jitter_the_delays_do_not_decrease(Backoff jittered, Duration cap) {
    Backoff backoff = jittered.withoutJitter();
    Duration last = Duration.ofNanos(1);
    for (int attempt : attempts()) {
      Duration delay = backoff.delay(attempt);
      assertThat(delay).isGreaterThanOrEqualTo(last).isLessThanOrEqualTo(cap);
      last = delay;
    }
    assertThat(last).isGreaterThanOrEqualTo(HOUR);
  }

  @Test
  void the_standard_delays_are_the_documented_ones() {
    Backoff backoff = Backoff.standard().withoutJitter();
    assertThat(IntStream.rangeClosed(1, 8).mapToObj(backoff::delay).map(Duration::toSeconds))
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 32L, 32L);
  }

  @Test
  void full_jitter_spreads_over_the_whole_delay() {
    Random random = new Random(1);
    double[] delays =
        IntStream.range(0, 10_000)
            .mapToDouble(i -> Backoff.standard().delay(4, random).toMillis())
            .toArray();
    assertThat(IntStream.range(0, 8))
        .allSatisfy(
            second ->
                assertThat(Arrays.stream(delays).filter(millis -> (int) (millis / 1_000) == second))
                    .hasSizeBetween(1_000, 1_500));
  }

  @Test
  void settings_are_checked() {
    Duration second = Duration.ofSeconds(1);
    assertThatThrownBy(() -> Backoff.exponential(Duration.ZERO, 2, second))
        .hasMessage("first delay must be positive, was PT0S");
    assertThatThrownBy(() -> Backoff.exponential(second, 2, Duration.ofMillis(999)))
        .hasMessage("cap must be at least the first delay of PT1S, was PT0.999S");
    for (double factor : new double[] {0.99, 0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> Backoff.exponential(second, factor, HOUR))
          .hasMessage("factor must be at least 1, was " + factor);
    }
    assertThatThrownBy(() -> Backoff.standard().delay(0))
        .hasMessage("attempt must be at least 1, was 0");
    assertThat(Backoff.fixed(second).delay(7)).isEqualTo(second);
  }

  @Test
  void an_exception_of_a_kind_with_a_back_off_of_its_own_has_that() {
    Backoff slow = Backoff.fixed(HOUR);
    Backoff slower = Backoff.fixed(HOUR.multipliedBy(2));
    OnFailure policy =
        OnFailure.defaults()
            .backoffAfter(IllegalStateException.class, slow)
            .failOn(IllegalArgumentException.class);

    assertThat(policy.backoff(new IllegalStateException())).isSameAs(slow);
    assertThat(policy.backoff(new CancellationException())).as("a subclass").isSameAs(slow);
    assertThat(policy.backoff(new IOException())).isSameAs(policy.backoff());
    assertThat(
            policy
                .backoffAfter(CancellationException.class, slower)
                .backoff(new CancellationException()))
        .isSameAs(slower);
    assertThat(policy.verdict(new IllegalArgumentException(), 1)).isEqualTo(OnFailure.Verdict.FAIL);
  }
}
