package dev.onlyonce.broker.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.broker.rabbitmq.Tags.Acknowledgement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TagsTest {
  private final Tags tags = new Tags();

  @Test
  void those_without_an_unfinished_one_before_them_are_acknowledged_together() {
    handOut(5);

    assertThat(tags.finished(List.of(3L, 1L, 2L))).containsExactly(new Acknowledgement(3, true));
    assertThat(tags.finished(List.of(5L))).containsExactly(new Acknowledgement(5, false));
    assertThat(tags.finished(List.of(4L))).containsExactly(new Acknowledgement(4, true));
  }

  @Test
  void one_behind_an_unfinished_one_is_acknowledged_alone() {
    handOut(6);

    assertThat(tags.finished(List.of(1L, 2L, 4L, 6L)))
        .containsExactly(
            new Acknowledgement(2, true),
            new Acknowledgement(4, false),
            new Acknowledgement(6, false));
  }

  @Test
  void none_is_acknowledged_twice_or_without_having_been_handed_out() {
    handOut(3);
    tags.finished(List.of(2L));

    assertThat(tags.finished(List.of(2L, 9L))).isEmpty();
    assertThat(tags.finished(List.of(1L, 2L, 9L))).containsExactly(new Acknowledgement(1, true));
  }

  @Test
  void at_any_time_exactly_those_are_acknowledged_that_are_finished() {
    Random random = new Random(20);
    for (int round = 0; round < 200; round++) {
      Tags each = new Tags();
      List<Long> order = new ArrayList<>(LongStream.rangeClosed(1, 40).boxed().toList());
      order.forEach(each::handedOut);
      Collections.shuffle(order, random);
      Set<Long> finished = new HashSet<>();
      Set<Long> acknowledged = new HashSet<>();
      while (!order.isEmpty()) {
        List<Long> some = order.subList(0, 1 + random.nextInt(order.size()));
        finished.addAll(some);
        for (Acknowledgement it : each.finished(some)) {
          assertThat(acknowledged).doesNotContain(it.tag());
          LongStream.rangeClosed(it.multiple() ? 1 : it.tag(), it.tag()).forEach(acknowledged::add);
        }
        assertThat(acknowledged).isEqualTo(finished);
        some.clear();
      }
    }
  }

  private void handOut(int last) {
    LongStream.rangeClosed(1, last).forEach(tags::handedOut);
  }
}
