package dev.onlyonce.app.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlanTest {

  @Test
  void a_seed_repeats_its_plan_and_another_one_makes_another() {
    assertThat(Plan.of(7, 500, 5)).hasToString(Plan.of(7, 500, 5).toString());
    assertThat(Plan.of(8, 500, 5).toString()).isNotEqualTo(Plan.of(7, 500, 5).toString());
  }

  @Test
  void each_callback_comes_one_to_four_times() {
    Plan plan = Plan.of(1, 2_000, 0);

    Map<Payment, Long> copies =
        IntStream.range(0, plan.copies())
            .mapToObj(plan::payment)
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));

    assertThat(copies).hasSize(2_000);
    assertThat(copies.values()).containsOnly(1L, 2L, 3L, 4L);
  }

  @Test
  void each_kill_has_a_moment_of_its_own_before_the_end() {
    for (long seed = 0; seed < 100; seed++) {
      Plan plan = Plan.of(seed, 20, 2);

      int killed = 0;
      for (int acknowledged = 0; acknowledged < plan.copies(); acknowledged++) {
        killed += plan.isKillDue(killed, acknowledged) ? 1 : 0;
      }

      assertThat(killed).isEqualTo(2);
      assertThat(plan.isKillDue(0, 0)).isFalse();
      assertThat(plan.isKillDue(2, plan.copies())).isFalse();
    }
  }

  @Test
  void what_is_out_of_range_is_refused_with_the_range() {
    assertThatThrownBy(() -> Plan.of(1, 9, 0))
        .hasMessage("callbacks must be 10 to 1,000,000, was 9");
    assertThatThrownBy(() -> Plan.of(1, 100, 11)).hasMessage("kills must be 0 to 10, was 11");
    assertThatThrownBy(() -> Plan.of(1, 100, -1)).hasMessage("kills must be 0 to 10, was -1");
  }
}
