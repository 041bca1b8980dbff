package dev.onlyonce.app.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TierFileTest {

  private static final String TIERS =
      """
      authority: %s
      database:
        url: jdbc:postgresql://db.example/shop
      redis:
        url: redis://cache.example
      """;

  @TempDir private Path folder;

  private TierFile read(String authority, String... more) throws IOException {
    String text = TIERS.formatted(authority) + String.join("\n", more) + "\n";
    return TierFile.read(Files.writeString(folder.resolve("tiers.yaml"), text));
  }

  @Test
  void the_times_of_clock_slow_calls_and_closing_are_read() throws IOException {
    TierFile file = read("database", "  slow-from: 80ms", "clock-margin: 3s", "close-within: 2m");
    assertThat(file.fast().slowFrom()).isEqualTo(Duration.ofMillis(80));
    assertThat(file.clockMargin()).isEqualTo(Duration.ofSeconds(3));
    assertThat(file.closeWithin()).isEqualTo(Duration.ofMinutes(2));
  }

  @Test
  void without_them_the_defaults_are_those_of_the_library() throws IOException {
    TierFile file = read("database");
    assertThat(file.fast().slowFrom()).isEqualTo(Duration.ofMillis(250));
    assertThat(file.clockMargin()).isEqualTo(Duration.ofSeconds(1));
    assertThat(file.closeWithin()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void a_time_that_makes_no_sense_or_has_no_use_is_refused_with_line_and_field() {
    assertThatThrownBy(() -> read("database", "clock-margin: 1"))
        .hasMessageContaining("line 6: clock-margin must be a positive time")
        .hasMessageEndingWith("was 1");
    assertThatThrownBy(() -> read("database", "close-within: 0s"))
        .hasMessageContaining("line 6: close-within must be a positive time");
    assertThatThrownBy(() -> read("redis, database behind", "  slow-from: 80ms"))
        .hasMessageContaining("line 6: redis.slow-from goes with authority 'database'");
  }
}
