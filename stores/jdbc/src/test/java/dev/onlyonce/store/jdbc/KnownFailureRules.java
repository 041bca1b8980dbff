package dev.onlyonce.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.WorkerProcess;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What others have got wrong on a database, as it happened there. */
abstract class KnownFailureRules {

  private static final Duration GUARD = Duration.ofMinutes(2);

  final String url;

  KnownFailureRules(String url) {
    this.url = url;
  }

  /** Returns the URL whose sessions have this time zone. */
  abstract String inZone(String offset);

  @BeforeEach
  void createTables() {
    try (HikariDataSource pool = Pools.pool(url, "READ_COMMITTED", 1)) {
      JdbcStore.on(pool).createTables().open().close();
    }
  }

  @ParameterizedTest
  @CsvSource({"UTC, Asia/Tokyo", "Asia/Tokyo, UTC"})
  @Semantics(33)
  @Case(17)
  void nodes_in_other_time_zones_agree_on_when_a_lease_ends(String one, String other) {
    String key = one + " first";
    try (WorkerProcess second = worker(other, inZone("+09:00"), key, "second")) {
      second.awaitLine("ready", GUARD);
      try (WorkerProcess first = worker(one, inZone("+02:00"), key, "first")) {
        first.awaitLine("claimed", GUARD);
        assertThat(first.kill()).isTrue();
      }
      String granted = second.awaitLine(it -> it.startsWith("granted "), GUARD);
      assertThat(granted).as("refusals while the lease ran").isNotEqualTo("granted 0");
    }
  }

  private static WorkerProcess worker(String zone, String url, String key, String role) {
    return WorkerProcess.of(ZonedWorker.class)
        .jvmOptions("-Duser.timezone=" + zone)
        .arguments(url, key, role)
        .start();
  }
}
