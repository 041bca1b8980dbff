package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ManualTimeTest {

  private final ManualTime time = new ManualTime(Instant.parse("2026-03-04T05:06:07Z"));

  @Test
  void time_stands_still_until_it_is_moved() {
    assertThat(time.instant()).isEqualTo(Instant.parse("2026-03-04T05:06:07Z"));
    assertThat(time.millis()).isEqualTo(time.instant().toEpochMilli());
    assertThat(time.nanoTime()).isEqualTo(time.nanoTime());
  }

  @Test
  void advancing_moves_both_clocks() {
    long before = time.nanoTime();
    time.advance(Duration.ofMillis(1_500));
    assertThat(time.nanoTime() - before).isEqualTo(1_500_000_000);
    assertThat(time.instant()).isEqualTo(Instant.parse("2026-03-04T05:06:08.500Z"));
  }

  @Test
  @Semantics({27, 29})
  void a_jump_moves_the_wall_clock_alone_and_either_way() {
    long before = time.nanoTime();
    time.jump(Duration.ofHours(-1));
    assertThat(time.instant()).isEqualTo(Instant.parse("2026-03-04T04:06:07Z"));
    time.jump(Duration.ofHours(2));
    assertThat(time.instant()).isEqualTo(Instant.parse("2026-03-04T06:06:07Z"));
    assertThat(time.nanoTime()).isEqualTo(before);
  }

  @Test
  void the_monotonic_clock_overflows_within_minutes() {
    long before = time.nanoTime();
    time.advance(Duration.ofMinutes(2));
    assertThat(time.nanoTime()).isLessThan(before);
    assertThat(time.nanoTime() - before).isEqualTo(Duration.ofMinutes(2).toNanos());
  }

  @Test
  void time_does_not_pass_backwards() {
    assertThatThrownBy(() -> time.advance(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("duration must not be negative, was PT-1S");
  }

  @Test
  void steps_of_several_threads_add_up() {
    Instant start = time.instant();
    long nanos = time.nanoTime();
    Race.run(
        8,
        thread -> {
          for (int i = 0; i < 1_000; i++) {
            time.advance(Duration.ofNanos(1_000));
          }
          return thread;
        });
    assertThat(Duration.between(start, time.instant())).isEqualTo(Duration.ofMillis(8));
    assertThat(time.nanoTime() - nanos).isEqualTo(8_000_000);
  }
}
