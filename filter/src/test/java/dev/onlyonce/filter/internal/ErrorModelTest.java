package dev.onlyonce.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Percentage.withPercentage;

import org.junit.jupiter.api.Test;

class ErrorModelTest {

  @Test
  void load_and_error_rate_are_inverse() {
    for (int bits = 1; bits <= 3; bits++) {
      for (double rate = 0.4; rate > 1e-9; rate /= 3) {
        double load = ErrorModel.loadFor(rate, bits);
        assertThat(ErrorModel.errorRate(load, bits)).isCloseTo(rate, withPercentage(0.001));
      }
    }
  }

  @Test
  void load_and_fill_are_inverse() {
    for (int bits = 1; bits <= 3; bits++) {
      for (double load = 0.1; load < 300; load *= 2) {
        double fill = ErrorModel.fillAt(load, bits);
        assertThat(ErrorModel.loadAt(fill, bits)).isCloseTo(load, withPercentage(0.001));
      }
    }
  }

  /** Figures of an independent computation with the same definition. */
  @Test
  void bits_a_key_are_those_of_the_poisson_mixture() {
    assertThat(512 / ErrorModel.loadFor(0.01, 1)).isCloseTo(10.10, withPercentage(0.1));
    assertThat(512 / ErrorModel.loadFor(0.001, 1)).isCloseTo(15.72, withPercentage(0.1));
    assertThat(512 / ErrorModel.loadFor(0.0001, 2)).isCloseTo(22.88, withPercentage(0.1));
    assertThat(512 / ErrorModel.loadFor(1e-8, 3)).isCloseTo(64.91, withPercentage(0.1));
  }

  @Test
  void the_smaller_geometry_is_taken() {
    assertThat(Geometry.of(1_000_000, 0.001).bitsPerLane()).isEqualTo(1);
    assertThat(Geometry.of(1_000_000, 0.00001).bitsPerLane()).isEqualTo(2);
    assertThat(Geometry.of(1_000_000, 1e-9).bitsPerLane()).isEqualTo(3);
    assertThat(Geometry.of(Geometry.mostKeys(0.001) - 100, 0.001).blocks())
        .isGreaterThan(Geometry.MOST_BLOCKS - 100);
    assertThatThrownBy(() -> new Geometry(0, 1))
        .hasMessage("blocks must be 1 to 268435454, were 0");
    assertThatThrownBy(() -> new Geometry(1, 4)).hasMessage("bits a lane must be 1 to 3, were 4");
  }
}
