package dev.onlyonce.app.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.spi.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of the demo, with processes that are killed. */
class DemoTest {

  private static final int CALLBACKS = 1_500;
  private static final int KILLS = 4;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void with_onlyonce_each_payment_is_charged_once(long seed) throws IOException {
    Figures figures = run(seed, Handling.ONLYONCE);

    assertThat(figures.effects()).isEqualTo(CALLBACKS);
    assertThat(figures.doubled()).isZero();
    assertThat(figures.lost()).isZero();
    assertThat(figures.isOnce()).isTrue();
    assertThat(figures.lookUps()).isGreaterThanOrEqualTo(figures.resolved());
  }

  @Test
  void a_naive_handler_charges_at_least_once_for_each_copy() throws IOException {
    Figures figures = run(1, Handling.NAIVE);

    assertThat(figures.effects()).isGreaterThanOrEqualTo(Plan.of(1, CALLBACKS, KILLS).copies());
    assertThat(figures.doubled()).isPositive();
    assertThat(figures.isOnce()).isFalse();
    assertThat(figures.lookUps()).isZero();
  }

  /** It may double nothing, which is luck; but it loses nothing either. */
  @Test
  void check_then_act_charges_less_often_than_a_naive_handler() throws IOException {
    Figures figures = run(1, Handling.CHECK_THEN_ACT);

    assertThat(figures.effects()).isBetween((long) CALLBACKS, figures.deliveries());
    assertThat(figures.resolved()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void the_plan_is_carried_out_and_nothing_is_lost_or_left_behind(Handling handling)
      throws IOException {
    Set<ProcessHandle> before = descendants();
    Plan plan = Plan.of(4, CALLBACKS, KILLS);
    AtomicInteger progress = new AtomicInteger();

    Figures figures = new Demo(plan, Time.system()).run(handling, progress::set);

    assertThat(figures.handling()).isEqualTo(handling);
    assertThat(figures.kills()).isEqualTo(KILLS);
    assertThat(figures.lost()).isZero();
    assertThat(figures.deliveries()).isGreaterThanOrEqualTo(plan.copies());
    assertThat(progress).hasPositiveValue();
    assertThat(before).containsAll(descendants());
  }

  @Test
  void without_kills_nothing_is_delivered_twice_by_the_platform_but_its_copies()
      throws IOException {
    Plan plan = Plan.of(1, 100, 0);

    Figures figures = new Demo(plan, Time.system()).run(Handling.NAIVE, ignored -> {});

    assertThat(figures.deliveries()).isEqualTo(plan.copies());
    assertThat(figures.effects()).isEqualTo(plan.copies());
    assertThat(figures.kills()).isZero();
  }

  @Test
  void a_worker_that_cannot_start_is_told_with_what_it_said() throws IOException {
    try (Children children = Children.inTemporaryFolder(Map.of())) {
      Child bank = children.start(Bank.class);
      String missing = folder.resolve("missing").toString();

      assertThatThrownBy(
              () ->
                  children.start(
                      Worker.class, "CHECK_THEN_ACT", missing, String.valueOf(bank.port())))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("the worker has ended with exit code 1: ")
          .hasMessageContaining("NoSuchFileException");
    }
  }

  private static Figures run(long seed, Handling handling) throws IOException {
    return new Demo(Plan.of(seed, CALLBACKS, KILLS), Time.system()).run(handling, ignored -> {});
  }

  private static Set<ProcessHandle> descendants() {
    return ProcessHandle.current().descendants().collect(Collectors.toSet());
  }
}
