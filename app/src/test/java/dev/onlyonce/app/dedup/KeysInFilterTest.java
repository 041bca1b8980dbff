package dev.onlyonce.app.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is lost and what is saved when keys are in a filter. */
class KeysInFilterTest {

  private static final Scope SCOPE = Scope.of("dedup");

  private static int granted(SeenKeys seen, int from, int to) {
    List<ClaimRequest> batch =
        IntStream.range(from, to)
            .mapToObj(
                i -> ClaimRequest.of(SCOPE, Key.of("order-" + i), i, Limits.LEASE, Lapse.TAKE))
            .toList();
    List<Answer> answers = seen.claim(batch);
    assertThat(answers).hasSize(batch.size());
    seen.written(0, false);
    return (int) answers.stream().filter(Answer.Claimed.class::isInstance).count();
  }

  /** The filter grows once. Each key comes again at once, later, and at the end. */
  @ParameterizedTest
  @ValueSource(doubles = {0.3, 0.01, 0.001})
  void no_copy_is_granted_and_no_more_new_keys_are_refused_than_was_said(double rate) {
    int keys = 700_000;
    int batch = 500;
    KeysInFilter seen = KeysInFilter.unbounded(rate);
    int granted = 0;
    for (int from = 0; from < keys; from += batch) {
      granted += granted(seen, from, from + batch);
      assertThat(granted(seen, from, from + batch)).isZero();
      assertThat(granted(seen, from / 2, from / 2 + batch)).isZero();
    }
    for (int from = 0; from < keys; from += batch) {
      assertThat(granted(seen, from, from + batch)).isZero();
    }
    assertThat(keys - granted).isLessThanOrEqualTo((int) (keys * rate * 1.1));
    assertThat(seen.estimatedErrorRate().orElseThrow()).isBetween(rate / 100, rate * 1.1);
    assertThat(seen.forget()).isZero();
  }

  /** An exact key takes about 60 bytes in memory. */
  @Test
  void keys_take_a_small_part_of_what_exact_ones_take() {
    KeysInFilter seen = KeysInFilter.unbounded(0.001);
    for (int from = 0; from < 500_000; from += 500) {
      granted(seen, from, from + 500);
    }
    assertThat(seen.sizeInBytes()).isLessThan(500_000 * 3);
  }

  @Test
  void a_window_begins_when_a_key_is_granted_and_copies_do_not_prolong_it() {
    ByHand time = new ByHand();
    KeysInFilter seen = KeysInFilter.ofWindow(0.000001, Duration.ofHours(3), time);
    assertThat(granted(seen, 0, 500)).isEqualTo(500);
    for (int minutes = 0; minutes < 180; minutes += 10) {
      time.nanos += Duration.ofMinutes(10).toNanos();
      assertThat(granted(seen, 0, 500)).isZero();
    }
    time.nanos += Duration.ofHours(1).toNanos();
    assertThat(granted(seen, 0, 500)).isEqualTo(500);
  }

  /** Its wall clock goes nowhere, and its monotonic clock overflows. */
  private static final class ByHand implements Time {
    private long nanos = Long.MAX_VALUE - 5;

    @Override
    public long nanoTime() {
      return nanos;
    }

    @Override
    public Instant instant() {
      return Instant.EPOCH;
    }
  }
}
