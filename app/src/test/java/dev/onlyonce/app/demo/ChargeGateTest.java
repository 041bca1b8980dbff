package dev.onlyonce.app.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import org.junit.jupiter.api.Test;

class ChargeGateTest {

  private static final Key KEY = new Payment(4711).key();

  private final ChargeGate gate = new ChargeGate();

  @Test
  void an_attempt_of_a_dead_worker_can_be_closed_and_the_next_one_may_charge() {
    assertThat(gate.close(KEY, 5)).isTrue();
    assertThat(gate.enter(KEY, 6)).isTrue();
  }

  /** It was stalled between its claim and its charge for longer than its lease. */
  @Test
  void an_attempt_that_was_closed_never_charges() {
    gate.close(KEY, 5);

    assertThat(gate.enter(KEY, 5)).isFalse();
    assertThat(gate.enter(KEY, 4)).isFalse();
  }

  @Test
  void while_an_attempt_is_at_the_bank_nobody_says_that_it_did_not_charge() {
    gate.enter(KEY, 5);
    assertThat(gate.close(KEY, 5)).isFalse();

    gate.leave(KEY, 5);
    assertThat(gate.close(KEY, 5)).isTrue();
  }

  @Test
  void an_attempt_that_was_overtaken_on_its_way_to_the_gate_does_not_charge() {
    gate.enter(KEY, 6);
    gate.leave(KEY, 6);

    assertThat(gate.enter(KEY, 5)).isFalse();
  }

  @Test
  void payments_have_nothing_to_do_with_each_other() {
    gate.close(KEY, 5);

    assertThat(gate.enter(new Payment(1).key(), 5)).isTrue();
  }
}
