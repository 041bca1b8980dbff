package dev.onlyonce.app.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.app.store.Finding.Level;
import dev.onlyonce.store.tiered.Authority;
import dev.onlyonce.store.tiered.TieredStatistics;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class TierFindingsTest {

  private static final Duration MARGIN = Duration.ofSeconds(1);

  private static LongSupplier showing(Long... readings) {
    Iterator<Long> next = List.of(readings).iterator();
    return next::next;
  }

  @Test
  void a_clock_that_is_read_between_two_readings_of_another_is_apart_as_far_as_is_sure() {
    assertThat(Clocks.ahead(showing(105L), showing(100L, 110L))).isZero();
    assertThat(Clocks.ahead(showing(115L), showing(100L, 110L))).isEqualTo(5);
    assertThat(Clocks.ahead(showing(70L), showing(100L, 110L))).isEqualTo(-30);
  }

  @Test
  void clocks_that_are_within_the_margin_are_fine() {
    for (Authority authority : Authority.values()) {
      for (long ahead : new long[] {-1_000, 0, 1_000}) {
        Finding finding = TierFindings.clocks(authority, ahead, MARGIN);
        assertThat(finding.level()).isEqualTo(Level.OK);
        assertThat(finding.figures()).containsEntry("redisAheadMillis", ahead);
      }
    }
  }

  @Test
  void clocks_that_are_further_apart_are_told_with_margin_harm_and_remedy() {
    Finding soon = TierFindings.clocks(Authority.REDIS, -90_000, MARGIN);
    assertThat(soon.level()).isEqualTo(Level.UNSAFE);
    assertThat(soon.sentence())
        .isEqualTo(
            "Redis is 90,000 ms behind the database, the margin is 1,000 ms: the database forgets"
                + " keys so much too soon, and a rebuild takes them for new; have one time service"
                + " set both clocks");
    Finding late = TierFindings.clocks(Authority.REDIS, 1_001, MARGIN);
    assertThat(late.level()).isEqualTo(Level.NOTE);
    assertThat(late.sentence()).contains("1,001 ms ahead of the database", "is refused until");
    assertThat(TierFindings.clocks(Authority.DATABASE, 2_000, MARGIN).sentence())
        .contains("copies end so much sooner");
    assertThat(TierFindings.clocks(Authority.DATABASE, -2_000, MARGIN).sentence())
        .contains("not used longer");
  }

  @Test
  void what_is_one_or_nothing_is_said_as_that() {
    Duration time = Duration.ofMillis(2);
    TieredStatistics statistics =
        new TieredStatistics(
            Authority.DATABASE,
            List.of(
                new TieredStatistics.Tier("near", null, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO),
                new TieredStatistics.Tier("fast", "it is slow", 1, 1, 1, 0, time, time)),
            0,
            new TieredStatistics.Behind(1, time, 1, 1, 0),
            List.of());

    assertThat(TierFindings.of(statistics).stream().map(Finding::sentence))
        .containsExactly(
            "was not asked for any key",
            "1 of 1 key answered here (100.0 %), in 1 call of 2,000 us on average, 99 of 100 within"
                + " 2,000 us; 0 failed; trouble now: it is slow",
            "1 key written, 1 waiting, the oldest for 2 ms; 0 dropped, 1 failure");
  }

  @Test
  void hit_rate_latency_and_hot_keys_are_told_in_words_and_figures() {
    TieredStatistics statistics =
        new TieredStatistics(
            Authority.DATABASE,
            List.of(
                new TieredStatistics.Tier(
                    "near",
                    null,
                    10,
                    2_000,
                    500,
                    3,
                    Duration.ofNanos(7_500),
                    Duration.ofMillis(2))),
            0,
            new TieredStatistics.Behind(0, Duration.ZERO, 0, 0, 0),
            List.of(
                new TieredStatistics.HotKey(Scope.of("billing"), Key.of("order-7"), 1_600, 1_632)));
    List<Finding> findings = TierFindings.of(statistics);

    assertThat(findings.get(0).sentence())
        .isEqualTo(
            "500 of 2,000 keys answered here (25.0 %), in 10 calls of 7 us on average, 99 of 100"
                + " within 2,000 us; 3 failed");
    assertThat(findings.get(0).figures())
        .containsEntry("answered", 500L)
        .containsEntry("meanMicros", 7L)
        .containsEntry("p99Micros", 2_000L);
    assertThat(findings.get(1).sentence())
        .isEqualTo("0 keys written, none waiting; 0 dropped, 0 failures");
    Finding hot = findings.get(2);
    assertThat(hot.topic()).isEqualTo("hot key");
    assertThat(hot.sentence())
        .isEqualTo("order-7 in billing was claimed 1,600 to 1,632 times lately");
    assertThat(hot.figures()).containsEntry("atLeast", 1_600L).containsEntry("atMost", 1_632L);
  }
}
