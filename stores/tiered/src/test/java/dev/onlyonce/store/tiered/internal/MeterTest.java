package dev.onlyonce.store.tiered.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.store.tiered.TieredStatistics;
import org.junit.jupiter.api.Test;

class MeterTest {

  private static long p99OfCalls(long... nanos) {
    Meter meter = new Meter();
    for (long each : nanos) {
      meter.call(1, 1, each);
    }
    return meter.snapshot("near", null).p99().toNanos();
  }

  /** A power of two was said, which may be twice as long as the calls were. */
  @Test
  void the_time_that_most_calls_were_within_is_at_most_an_eighth_too_long() {
    assertThat(p99OfCalls()).isZero();
    for (long nanos : new long[] {0, 1, 7, 8, 9, 15, 16, 17, 1_000, 1_025, 7_654_321, 1L << 40}) {
      for (long near = Math.max(0, nanos - 1); near <= nanos + 1; near++) {
        assertThat(p99OfCalls(near)).isBetween(near, near + near / 8);
      }
    }
    assertThat(p99OfCalls(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(p99OfCalls(-1)).as("a clock that was set back").isZero();
  }

  @Test
  void one_slow_call_of_a_hundred_is_left_out_and_two_are_not() {
    long[] calls = new long[100];
    calls[3] = 1_000_000;
    assertThat(p99OfCalls(calls)).isZero();
    calls[4] = 1_000_000;
    assertThat(p99OfCalls(calls)).isGreaterThanOrEqualTo(1_000_000);
  }

  @Test
  void calls_keys_and_failures_are_counted() {
    Meter meter = new Meter();
    meter.call(10, 4, 100);
    meter.failure(5, 300);
    TieredStatistics.Tier tier = meter.snapshot("fast", "it is slow");
    assertThat(tier.calls()).isEqualTo(2);
    assertThat(tier.keys()).isEqualTo(15);
    assertThat(tier.answered()).isEqualTo(4);
    assertThat(tier.failures()).isEqualTo(1);
    assertThat(tier.mean().toNanos()).isEqualTo(200);
    assertThat(tier.trouble()).isEqualTo("it is slow");
  }
}
