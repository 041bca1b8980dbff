package dev.onlyonce.app.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.app.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
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

  /** What the library or the program does not take, and what is told of it. */
  private static final Map<String, String> OUT_OF_RANGE =
      Map.ofEntries(
          Map.entry("  copies-kept: 48h", "line 6: redis.copies-kept cannot be taken: "),
          Map.entry("  copies-kept: 99999999d", "line 6: redis.copies-kept must be at most 36500d"),
          Map.entry("  timeout: 1h", "line 6: redis.timeout cannot be taken: "),
          Map.entry(
              "  replicas: 101", "line 6: redis.replicas must be a whole number from 1 to 100"),
          Map.entry("  prefix: a b", "line 6: redis.prefix cannot be taken: "),
          Map.entry("  user: clerk", "line 6: redis.user needs a password"),
          Map.entry("near:\n  memory: 1KiB", "line 7: near.memory cannot be taken: "),
          Map.entry("filter:\n  error-rate: 2", "line 7: filter.error-rate cannot be taken: "),
          Map.entry("filter:\n  error-rate: NaN", "line 7: filter.error-rate cannot be taken: "),
          Map.entry("filter:\n  keys: 2000000000", "line 7: filter.keys must be a whole number"),
          Map.entry("close-within: 999999999d", "line 6: close-within must be at most 36500d"),
          Map.entry(
              "  password-file: gone", "line 6: redis.password-file names a file that cannot"));

  @Test
  void what_is_out_of_range_is_refused_with_line_and_field_when_the_file_is_read() {
    OUT_OF_RANGE.forEach(
        (text, told) ->
            assertThatThrownBy(() -> read("database", text)).as(text).hasMessageContaining(told));
    assertThatThrownBy(() -> read("redis, database behind", "behind:\n  keys: 5"))
        .hasMessageContaining("line 7: behind.keys cannot be taken: ")
        .hasMessageEndingWith("were 5");
    assertThatThrownBy(() -> read("redis, database behind", "behind:\n  keys: 99000000"))
        .hasMessageContaining("line 7: behind.keys must be a whole number from 1 to 10000000");
  }

  @Test
  void an_address_of_a_database_that_no_driver_takes_is_refused_with_its_line() throws IOException {
    Path file = folder.resolve("tiers.yaml");
    Files.writeString(
        file, "authority: database\ndatabase:\n  url: jdbc:postgresql://host:x/shop\n");
    assertThatThrownBy(() -> TierFile.read(file))
        .isInstanceOf(Failure.class)
        .hasMessageContaining("line 3: database.url has the port 'x', and ports are 1 to 65535");
  }

  @Test
  void an_address_of_redis_that_cannot_be_read_is_refused_with_its_line() throws IOException {
    Path file = folder.resolve("tiers.yaml");
    String text = TIERS.formatted("database");
    Files.writeString(file, text.replace("redis://", "redis://clerk:hush@:"));
    assertThatThrownBy(() -> TierFile.read(file))
        .hasMessageContaining("line 5: redis.url cannot be taken: ")
        .hasMessageNotContaining("hush");
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
