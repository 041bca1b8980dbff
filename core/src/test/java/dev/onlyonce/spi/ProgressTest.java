package dev.onlyonce.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProgressTest {

  @Test
  void the_position_stops_at_the_first_unfinished_delivery() {
    Progress progress = new Progress(10);
    for (long number = 10; number < 15; number++) {
      progress.arrived(number);
    }

    progress.finished(11);
    progress.finished(12);
    assertThat(progress.position()).isEqualTo(10);
    assertThat(progress.ahead()).isEqualTo(2);
    assertThat(progress.unfinished()).isEqualTo(3);

    progress.finished(10);
    assertThat(progress.position()).isEqualTo(13);
    assertThat(progress.ahead()).isZero();
  }

  @Test
  void gaps_in_the_numbers_are_passed() {
    Progress progress = new Progress(0);
    progress.arrived(5);
    progress.arrived(9);

    progress.finished(5);
    assertThat(progress.position()).isEqualTo(6);
    progress.finished(9);
    assertThat(progress.position()).isEqualTo(10);
  }

  @Test
  void the_position_that_would_be_reached_changes_nothing() {
    Progress progress = new Progress(0);
    for (long number = 0; number < 4; number++) {
      progress.arrived(number);
    }
    progress.finished(2);

    assertThat(progress.positionWith(Set.of())).isZero();
    assertThat(progress.positionWith(Set.of(0L))).isEqualTo(1);
    assertThat(progress.positionWith(Set.of(0L, 1L))).isEqualTo(3);
    assertThat(progress.positionWith(Set.of(3L))).isZero();
    assertThat(progress.position()).isZero();
  }

  @Test
  void what_has_not_arrived_or_is_finished_already_changes_nothing() {
    Progress progress = new Progress(0);
    progress.arrived(0);
    progress.finished(7);
    progress.finished(0);
    progress.finished(0);

    assertThat(progress.position()).isEqualTo(1);
    assertThat(progress.unfinished()).isZero();
  }

  @Test
  void a_number_that_is_not_behind_the_last_one_is_refused() {
    Progress progress = new Progress(4);
    progress.arrived(4);

    assertThatThrownBy(() -> progress.arrived(4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the last one, which is 4, was 4");
  }

  @Test
  void in_whatever_order_they_finish_the_position_is_that_of_the_first_unfinished() {
    for (int seed = 0; seed < 200; seed++) {
      List<Long> order = new ArrayList<>();
      Progress progress = new Progress(0);
      for (long number = 0; number < 50; number++) {
        progress.arrived(number);
        order.add(number);
      }
      Collections.shuffle(order, new Random(seed));
      List<Long> left = new ArrayList<>(order);
      for (long number : order) {
        progress.finished(number);
        left.remove(number);
        long expected = left.stream().min(Long::compare).orElse(50L);
        assertThat(progress.position()).as("seed %d", seed).isEqualTo(expected);
      }
    }
  }
}
