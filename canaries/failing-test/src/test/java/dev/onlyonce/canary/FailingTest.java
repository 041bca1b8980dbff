package dev.onlyonce.canary;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailingTest {
  @Test
  void one_and_one_is_three() {
    assertThat(1 + 1).isEqualTo(3);
  }
}
