package dev.onlyonce.broker.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DelayLevelsTest {

  @ParameterizedTest
  @CsvSource({
    "PT0S, 1",
    "PT1S, 1",
    "PT1.001S, 2",
    "PT30S, 4",
    "PT1M, 5",
    "PT10M1S, 15",
    "PT2H, 18",
    "PT9H, 18"
  })
  void a_level_is_not_shorter_than_the_wait_unless_all_are(Duration wait, int level) {
    assertThat(DelayLevels.notShorterThan(wait)).isEqualTo(level);
  }
}
