package dev.onlyonce.testkit.history;

import static dev.onlyonce.testkit.history.HistoryEvent.Kind.ACKNOWLEDGED;
import static dev.onlyonce.testkit.history.HistoryEvent.Kind.CLAIMED;
import static dev.onlyonce.testkit.history.HistoryEvent.Kind.COMPLETED;
import static dev.onlyonce.testkit.history.HistoryEvent.Kind.EFFECT;
import static dev.onlyonce.testkit.history.HistoryEvent.Kind.FAILED;
import static dev.onlyonce.testkit.history.HistoryEvent.Kind.IN_DOUBT;
import static dev.onlyonce.testkit.history.HistoryEvent.Kind.KILLED;
import static dev.onlyonce.testkit.history.HistoryEvent.Kind.RELEASED;
import static dev.onlyonce.testkit.history.HistoryEvent.Kind.RENEWED;
import static dev.onlyonce.testkit.history.HistoryEvent.Kind.RESOLVED_DONE;
import static dev.onlyonce.testkit.history.HistoryEvent.Kind.RESOLVED_NOT_DONE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.testkit.history.HistoryEvent.Kind;
import dev.onlyonce.testkit.history.HistoryReport.Rule;
import dev.onlyonce.testkit.history.HistoryReport.Violation;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HistoryCheckerTest {
  private static final String KEY = "order-4711";

  @TempDir Path directory;
  private HistoryScript script;

  @BeforeEach
  void open() {
    script = new HistoryScript(directory.resolve("history"));
  }

  @AfterEach
  void close() {
    script.close();
  }

  private void assertClean() {
    HistoryReport report = script.check();
    assertThat(report.isClean()).as("%s", report).isTrue();
  }

  private Violation onlyViolation(Rule rule) {
    HistoryReport report = script.check();
    assertThat(report.violations()).as("%s", report).hasSize(1);
    assertThat(report.violations(rule)).hasSize(1);
    return report.violations().get(0);
  }

  @Test
  void the_life_of_a_message_and_its_duplicate_is_clean_and_counted() {
    script
        .line("w-1", CLAIMED, KEY, 17)
        .line("w-1", EFFECT, KEY, 17)
        .line("w-1", RENEWED, KEY, 17)
        .line("w-1", COMPLETED, KEY, 17)
        .line("w-1", ACKNOWLEDGED, KEY, 0)
        .line("w-2", ACKNOWLEDGED, KEY, 0)
        .line("w-2", CLAIMED, "order-4712", 3)
        .killed("w-2");
    HistoryReport report = script.check();
    assertThat(report.isClean()).as("%s", report).isTrue();
    assertThat(report.counts().keys()).isEqualTo(2);
    assertThat(report.counts().of(ACKNOWLEDGED)).isEqualTo(2);
    assertThat(report.counts().of(KILLED)).isOne();
    assertThat(report.counts().of(FAILED)).isZero();
    assertThat(report.counts().extraEffects()).isZero();
    assertThat(report.counts().undecided()).isZero();
    assertThat(report.counts().tornLines()).isZero();
  }

  @Nested
  class One_effect {

    @Test
    void a_second_effect_is_found_and_described() {
      script.line("w-1", EFFECT, KEY, 17).line("w-2", EFFECT, KEY, 18);
      Violation violation = onlyViolation(Rule.ONE_EFFECT);
      assertThat(violation.key()).isEqualTo(KEY);
      assertThat(violation.lines()).containsExactly(1, 2);
      assertThat(violation.sentence())
          .isEqualTo(
              "key order-4711: 2 effects that are not in doubt, the first, the one before and this:"
                  + " effect token 17 by w-1 (line 1), effect token 18 by w-2 (line 2)");
      assertThat(script.check().counts().extraEffects()).isOne();
    }

    @Test
    void a_second_effect_without_a_token_is_found() {
      script.line("w-1", EFFECT, KEY, 0).line("w-2", EFFECT, KEY, 0);
      assertThat(onlyViolation(Rule.ONE_EFFECT).lines()).containsExactly(1, 2);
    }

    @Test
    void one_effect_for_each_of_two_keys_is_fine() {
      script.line("w-1", EFFECT, KEY, 17).line("w-2", EFFECT, "order-4712", 17);
      assertClean();
    }

    @Test
    void an_effect_beyond_the_first_is_excused_where_the_earlier_attempt_was_declared_in_doubt() {
      script
          .line("w-1", EFFECT, KEY, 17)
          .line("w-2", IN_DOUBT, KEY, 17)
          .line("w-2", EFFECT, KEY, 18);
      assertClean();
      assertThat(script.check().counts().extraEffects()).isOne();
    }

    @Test
    void the_late_effect_of_a_zombie_that_was_declared_in_doubt_is_excused() {
      script
          .line("w-2", IN_DOUBT, KEY, 17)
          .line("w-2", EFFECT, KEY, 18)
          .line("w-1", EFFECT, KEY, 17);
      assertClean();
    }

    @Test
    void a_doubt_covers_the_attempts_before_it_whose_own_declaration_died_with_its_process() {
      script
          .line("w-1", EFFECT, KEY, 17)
          .line("w-2", CLAIMED, KEY, 18)
          .killed("w-2")
          .line("w-3", IN_DOUBT, KEY, 18)
          .line("w-3", EFFECT, KEY, 19);
      assertClean();
    }

    @Test
    void a_doubt_that_is_declared_after_the_fact_excuses_nothing() {
      script
          .line("w-1", EFFECT, KEY, 17)
          .line("w-2", EFFECT, KEY, 18)
          .line("w-2", IN_DOUBT, KEY, 17);
      onlyViolation(Rule.ONE_EFFECT);
    }

    @Test
    void a_doubt_about_one_attempt_excuses_no_third_effect() {
      script
          .line("w-1", EFFECT, KEY, 17)
          .line("w-2", IN_DOUBT, KEY, 17)
          .line("w-2", EFFECT, KEY, 18)
          .line("w-3", EFFECT, KEY, 19);
      assertThat(onlyViolation(Rule.ONE_EFFECT).lines()).contains(4);
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPLETED", "FAILED", "RELEASED"})
    void a_later_doubt_does_not_cover_an_attempt_that_was_settled(Kind settled) {
      script
          .line("w-1", EFFECT, KEY, 17)
          .line("w-1", settled, KEY, 17)
          .line("w-3", IN_DOUBT, KEY, 18)
          .line("w-3", EFFECT, KEY, 19);
      assertThat(onlyViolation(Rule.ONE_EFFECT).lines()).containsExactly(1, 4);
    }

    @Test
    void a_doubt_that_was_resolved_as_done_excuses_nothing_any_more() {
      script
          .line("w-1", EFFECT, KEY, 17)
          .line("w-2", IN_DOUBT, KEY, 17)
          .line("w-2", RESOLVED_DONE, KEY, 17)
          .line("w-2", EFFECT, KEY, 18);
      assertThat(onlyViolation(Rule.ONE_EFFECT).lines()).containsExactly(1, 4);
    }

    @Test
    void an_effect_that_is_resolved_as_not_done_is_found() {
      script
          .line("w-1", EFFECT, KEY, 17)
          .line("w-2", IN_DOUBT, KEY, 17)
          .line("w-2", RESOLVED_NOT_DONE, KEY, 17);
      assertThat(onlyViolation(Rule.ONE_EFFECT).lines()).containsExactly(1, 3);
    }

    @Test
    void an_effect_that_arrives_after_it_was_resolved_as_not_done_is_found() {
      script
          .line("w-2", IN_DOUBT, KEY, 17)
          .line("w-2", RESOLVED_NOT_DONE, KEY, 17)
          .line("w-1", EFFECT, KEY, 17);
      assertThat(onlyViolation(Rule.ONE_EFFECT).lines()).containsExactly(2, 3);
    }

    @Test
    void two_effects_of_one_token_are_found_even_in_doubt() {
      script
          .line("w-1", IN_DOUBT, KEY, 17)
          .line("w-1", EFFECT, KEY, 17)
          .line("w-1", EFFECT, KEY, 17);
      assertThat(onlyViolation(Rule.ONE_EFFECT).sentence()).contains("one token had two effects");
    }

    @Test
    void a_doubt_excuses_one_effect_of_a_resource_that_is_told_no_token() {
      script
          .line("bank", EFFECT, KEY, 0)
          .line("w-2", IN_DOUBT, KEY, 17)
          .line("bank", EFFECT, KEY, 0);
      assertClean();
      script.line("bank", EFFECT, KEY, 0);
      assertThat(onlyViolation(Rule.ONE_EFFECT).lines()).containsExactly(1, 3, 4);
    }
  }

  @Nested
  class Nothing_lost {

    @Test
    void an_acknowledgement_without_an_effect_is_found() {
      script.line("w-1", CLAIMED, KEY, 17).line("w-1", ACKNOWLEDGED, KEY, 0);
      assertThat(onlyViolation(Rule.NOTHING_LOST).sentence())
          .isEqualTo(
              "key order-4711: was acknowledged without an effect: acknowledged by w-1 (line 2)");
    }

    @Test
    void an_acknowledgement_before_the_effect_is_found() {
      script.line("w-1", ACKNOWLEDGED, KEY, 0).line("w-1", EFFECT, KEY, 17);
      assertThat(onlyViolation(Rule.NOTHING_LOST).lines()).containsExactly(1);
    }

    @Test
    void the_effect_of_another_key_does_not_count() {
      script.line("w-1", EFFECT, "order-4712", 17).line("w-1", ACKNOWLEDGED, KEY, 0);
      assertThat(onlyViolation(Rule.NOTHING_LOST).key()).isEqualTo(KEY);
    }

    @Test
    void a_message_that_failed_for_good_may_be_acknowledged() {
      script.line("w-1", FAILED, KEY, 17).line("w-1", ACKNOWLEDGED, KEY, 0);
      assertClean();
    }

    @Test
    void a_message_that_was_released_may_not_be_acknowledged() {
      script.line("w-1", RELEASED, KEY, 17).line("w-1", ACKNOWLEDGED, KEY, 0);
      onlyViolation(Rule.NOTHING_LOST);
    }

    @Test
    void a_message_that_is_parked_in_doubt_may_be_acknowledged() {
      script.line("w-1", IN_DOUBT, KEY, 17).line("w-1", ACKNOWLEDGED, KEY, 0);
      assertClean();
    }

    @Test
    void a_message_that_was_acknowledged_in_doubt_must_have_its_effect_in_the_end() {
      script
          .line("w-1", IN_DOUBT, KEY, 17)
          .line("w-1", ACKNOWLEDGED, KEY, 0)
          .line("w-1", RESOLVED_NOT_DONE, KEY, 17);
      assertThat(onlyViolation(Rule.NOTHING_LOST).sentence()).contains("never had an effect");
      script.line("w-1", EFFECT, KEY, 18);
      assertClean();
    }

    @Test
    void a_completion_without_an_effect_is_found() {
      script.line("w-1", CLAIMED, KEY, 17).line("w-1", COMPLETED, KEY, 17);
      assertThat(onlyViolation(Rule.NOTHING_LOST).sentence())
          .contains("completed without an effect", "token 17", "w-1", "line 2");
    }

    @Test
    void a_doubt_that_is_resolved_as_done_without_an_effect_is_found() {
      script.line("w-1", IN_DOUBT, KEY, 17).line("w-1", RESOLVED_DONE, KEY, 17);
      assertThat(onlyViolation(Rule.NOTHING_LOST).lines()).containsExactly(2);
    }
  }

  @Nested
  class Tokens_grow {

    @Test
    void a_token_that_was_granted_twice_is_found() {
      script.line("w-1", CLAIMED, KEY, 17).line("w-2", CLAIMED, KEY, 17);
      assertThat(onlyViolation(Rule.TOKENS_GROW).sentence())
          .isEqualTo(
              "key order-4711: one token was granted twice:"
                  + " claimed token 17 by w-1 (line 1), claimed token 17 by w-2 (line 2)");
    }

    @Test
    void a_token_that_was_granted_twice_is_found_even_if_the_two_overlapped() {
      script.line("w-1", CLAIMED, KEY, 17, 0).line("w-2", CLAIMED, KEY, 17, 0);
      onlyViolation(Rule.TOKENS_GROW);
    }

    @Test
    void a_smaller_token_that_was_granted_later_is_found() {
      script
          .line("w-1", CLAIMED, KEY, 17)
          .line("w-2", CLAIMED, KEY, 19)
          .line("w-3", CLAIMED, KEY, 18);
      assertThat(onlyViolation(Rule.TOKENS_GROW).lines()).containsExactly(2, 3);
    }

    @Test
    void a_grant_that_was_recorded_late_is_undecided_and_no_violation() {
      long before = script.now();
      script.line("w-2", CLAIMED, KEY, 18).line("w-1", CLAIMED, KEY, 17, before);
      assertClean();
      assertThat(script.check().counts().undecided()).isOne();
    }

    @Test
    void a_grant_of_unknown_beginning_is_undecided_and_no_violation() {
      script.line("w-2", CLAIMED, KEY, 18).line("w-1", CLAIMED, KEY, 17, 0);
      assertClean();
      assertThat(script.check().counts().undecided()).isOne();
    }

    @Test
    void the_tokens_of_two_keys_have_nothing_to_do_with_one_another() {
      script.line("w-1", CLAIMED, KEY, 17).line("w-1", CLAIMED, "order-4712", 5);
      assertClean();
    }
  }

  @Nested
  class No_overtaken_holder {

    @ParameterizedTest
    @EnumSource(names = {"COMPLETED", "FAILED", "RELEASED", "RENEWED"})
    void a_settlement_that_was_accepted_from_an_overtaken_holder_is_found(Kind settlement) {
      script
          .line("w-1", CLAIMED, KEY, 17)
          .line("w-1", EFFECT, KEY, 17)
          .line("w-2", CLAIMED, KEY, 18)
          .line("w-1", settlement, KEY, 17);
      Violation violation = onlyViolation(Rule.NO_OVERTAKEN_HOLDER);
      assertThat(violation.lines()).containsExactly(3, 4);
      assertThat(violation.sentence())
          .contains("claimed token 18 by w-2 (line 3)", "token 17 by w-1 (line 4)");
    }

    @Test
    void a_settlement_that_was_begun_before_the_take_over_is_undecided_and_no_violation() {
      script.line("w-1", CLAIMED, KEY, 17).line("w-1", EFFECT, KEY, 17);
      long before = script.now();
      script.line("w-2", CLAIMED, KEY, 18).line("w-1", COMPLETED, KEY, 17, before);
      assertClean();
      assertThat(script.check().counts().undecided()).isOne();
    }

    @Test
    void a_late_settlement_that_nobody_overtook_is_fine() {
      script
          .line("w-1", CLAIMED, KEY, 17)
          .line("w-2", CLAIMED, "order-4712", 18)
          .line("w-1", EFFECT, KEY, 17)
          .line("w-1", COMPLETED, KEY, 17);
      assertClean();
      assertThat(script.check().counts().undecided()).isZero();
    }
  }

  @Nested
  class History_sound {

    @Test
    void an_event_of_a_process_that_had_been_killed_is_found() {
      script.line("w-1", CLAIMED, KEY, 17).killed("w-1").line("w-1", EFFECT, KEY, 17);
      assertThat(onlyViolation(Rule.HISTORY_SOUND).sentence())
          .isEqualTo(
              "key order-4711: was killed, then recorded:"
                  + " killed w-1 (line 2), effect token 17 by w-1 (line 3)");
    }

    @Test
    void an_operation_that_was_begun_after_its_own_end_is_found() {
      script.line("w-1", CLAIMED, KEY, 17, 1);
      assertThat(onlyViolation(Rule.HISTORY_SOUND).lines()).containsExactly(1);
    }
  }

  @Test
  void the_report_shows_the_figures_and_the_first_violations() {
    for (int key = 0; key < 25; key++) {
      script.line("w-1", ACKNOWLEDGED, "k " + key, 0);
    }
    assertThat(script.check().toString())
        .startsWith(
            "25 violations; 25 keys, 0 extra effects, 0 undecided, 0 torn lines;"
                + " events {ACKNOWLEDGED=25}\n- NOTHING_LOST: key k\\u00200: was acknowledged")
        .endsWith("\n- and 5 more")
        .hasLineCount(22);
  }

  @Test
  void a_key_with_very_many_effects_is_reported_with_few_lines_each() {
    for (int token = 1; token <= 500; token++) {
      script.line("w-1", EFFECT, KEY, token);
    }
    List<Violation> violations = script.check().violations();
    assertThat(violations).hasSize(499);
    assertThat(violations.get(498).lines()).containsExactly(1, 499, 500);
  }
}
