package dev.onlyonce.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pieces of programs have no imports: a reader must come to the programs. */
class GuideProgramsTest {

  @ParameterizedTest
  @CsvSource({
    "library.md, LibraryGuide",
    "locks.md, LocksGuide",
    "consumers.md, ConsumersGuide",
    "filter.md, FilterGuide",
    "metrics.md, MetricsGuide",
    "postgresql.md, Payments",
    "rabbitmq.md, RabbitGuide",
    "redis.md, RedisGuide",
    "rocketmq.md, RocketMqGuide",
    "tiers.md, TiersGuide"
  })
  void a_guide_that_shows_pieces_of_a_program_leads_to_it(String file, String program) {
    String place = "../../examples/src/main/java/dev/onlyonce/examples/" + program + ".java";
    Guide guide = Guide.of(file);
    assertThat(guide.java()).isNotEmpty();
    assertThat(guide.toString()).contains("[" + program + ".java](" + place + ")");
    assertThat(Guide.ROOT.resolve("docs/guides").resolve(place)).isRegularFile();
  }
}
