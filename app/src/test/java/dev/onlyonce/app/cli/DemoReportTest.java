package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.demo.Figures;
import dev.onlyonce.app.demo.Handling;
import dev.onlyonce.app.demo.Plan;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoReportTest {

  private static final Figures NAIVE =
      new Figures(Handling.NAIVE, 38_361, 37_943, 10_137, 0, 0, 0, 10, Duration.ofMillis(2_340));
  private static final Figures LUCKY =
      new Figures(Handling.CHECK_THEN_ACT, 130, 100, 0, 0, 0, 0, 1, Duration.ofMillis(900));
  private static final Figures ONCE =
      new Figures(Handling.ONLYONCE, 41_484, 20_000, 0, 0, 820, 854, 10, Duration.ofMillis(4_960));

  @Test
  void the_table_is_aligned() {
    assertThat(DemoReport.text(List.of(NAIVE, ONCE)).lines().limit(3))
        .containsExactly(
            "run            deliveries  effects  doubled   lost  resolved  look-ups  kills  seconds",
            "naive              38,361   37,943   10,137      0         0         0     10      2.3",
            "onlyonce           41,484   20,000        0      0       820       854     10      5.0");
  }

  @Test
  void each_run_has_its_sentence_and_luck_is_called_luck() {
    assertThat(DemoReport.text(List.of(NAIVE, LUCKY, ONCE)).lines().skip(5))
        .containsExactly(
            "naive: 10,137 payments were charged more than once, 0 never.",
            "check-then-act: happened to double nothing this time; nothing in it keeps it from doing"
                + " so.",
            "onlyonce: each payment was charged once; 820 were in doubt after a kill, and the bank"
                + " was asked.");
  }

  @Test
  void what_is_about_to_happen_has_the_seed() {
    assertThat(DemoReport.introduction(Plan.of(7, 10, 1)))
        .startsWith("10 callbacks, each one to four times: ")
        .endsWith("The worker is killed once in each run, with SIGKILL. Seed 7.");
  }

  @Test
  void the_json_is_an_array_of_objects() {
    assertThat(DemoReport.json(List.of(NAIVE, ONCE)))
        .isEqualTo(
            """
            [{"run":"naive","deliveries":38361,"effects":37943,"doubled":10137,"lost":0,\
            "resolved":0,"lookUps":0,"kills":10,"seconds":2.340},
             {"run":"onlyonce","deliveries":41484,"effects":20000,"doubled":0,"lost":0,\
            "resolved":820,"lookUps":854,"kills":10,"seconds":4.960}]""");
  }
}
