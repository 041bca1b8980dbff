package dev.onlyonce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScopeTest {

  @ParameterizedTest
  @ValueSource(strings = {"a", "saga/NAME", "billing.v2-eu_1", "A-Z", "0", "/", "."})
  void letters_digits_and_four_signs_make_a_scope(String name) {
    assertThat(Scope.of(name).name()).isEqualTo(name);
    assertThat(Scope.of(name)).hasToString(name).isEqualTo(new Scope(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a b", "a\n", "é", "a{b}", "a:b", "a\\", "'", "a\u0000"})
  void anything_else_is_refused_with_the_rule(String name) {
    assertThatThrownBy(() -> Scope.of(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "scope must be 1 to 128 characters out of A-Z a-z 0-9 . _ / -, was '" + name + "'");
  }

  @Test
  void a_scope_has_up_to_128_characters() {
    assertThat(Scope.of("s".repeat(128)).name()).hasSize(128);
    assertThatThrownBy(() -> Scope.of("s".repeat(129)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void scopes_that_differ_in_case_are_different() {
    assertThat(Scope.of("Billing")).isNotEqualTo(Scope.of("billing"));
  }
}
