package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TimelineTest {

  private final MemoryStoreContractTest fixture = new MemoryStoreContractTest();
  private final Lab lab = new Lab(fixture);

  @Test
  void a_scenario_that_the_machine_was_too_slow_for_is_played_again() {
    AtomicInteger plays = new AtomicInteger();
    lab.play(
        time -> {
          time.start(() -> "the lease begins");
          int play = plays.incrementAndGet();
          assertThat(time.at(4).within(5, () -> late(play < 3 ? 1 : 0.9))).isTrue();
        });
    assertThat(plays).hasValue(3);
  }

  @Test
  void a_machine_that_is_always_too_slow_fails_the_test_and_says_what_to_do() {
    assertThatThrownBy(() -> lab.play(time -> time.within(5, () -> late(5))))
        .isInstanceOf(AssertionError.class)
        .hasMessage("the machine was too slow 20 times: make unit() longer");
  }

  @Test
  void time_is_counted_from_the_end_of_the_start() {
    lab.play(
        time -> {
          long before = lab.nanoTime();
          time.start(() -> late(2));
          time.at(3);
          assertThat(lab.nanoTime() - before).isEqualTo(lab.units(5).toNanos());
          time.at(1);
          assertThat(lab.nanoTime() - before).isEqualTo(lab.units(5).toNanos());
        });
  }

  private boolean late(double units) {
    lab.pass(units);
    return true;
  }
}
