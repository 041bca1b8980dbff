package dev.onlyonce.app.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BacklogTest {

  private final Backlog backlog = new Backlog(3);

  @Test
  void copies_are_taken_in_their_order_and_each_once() {
    assertThat(List.of(take(0), take(0), take(0))).containsExactly(0, 1, 2);
    assertThat(backlog.take(0)).isEmpty();
    assertThat(backlog.deliveries()).isEqualTo(3);
  }

  @Test
  void copies_whose_connection_broke_are_taken_again_before_new_ones() {
    take(0);
    take(0);
    backlog.returnAll(List.of(1, 0));

    assertThat(List.of(take(0), take(0), take(0))).containsExactly(1, 0, 2);
    assertThat(backlog.deliveries()).isEqualTo(5);
  }

  @Test
  void a_copy_that_is_wanted_later_is_taken_when_it_is_due_and_then_first() {
    take(0);
    take(0);
    backlog.returnLater(1, 2_000);
    backlog.returnLater(0, 1_000);

    assertThat(take(999)).isEqualTo(2);
    assertThat(backlog.take(999)).isEmpty();
    assertThat(backlog.nanosToNext(400)).isEqualTo(600);
    assertThat(take(1_000)).isEqualTo(0);
    assertThat(take(5_000)).isEqualTo(1);
    assertThat(backlog.nanosToNext(5_000)).isZero();
  }

  @Test
  void it_is_done_when_every_copy_is_acknowledged() {
    for (int i = 0; i < 3; i++) {
      assertThat(backlog.isDone()).isFalse();
      take(0);
      backlog.acknowledge();
    }

    assertThat(backlog.isDone()).isTrue();
    assertThat(backlog.acknowledged()).isEqualTo(3);
  }

  private int take(long nowNanos) {
    return backlog.take(nowNanos).orElseThrow();
  }
}
