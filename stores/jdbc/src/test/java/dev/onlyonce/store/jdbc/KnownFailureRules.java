package dev.onlyonce.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.WorkerProcess;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What others have got wrong on a database, as it happened there. */
abstract class KnownFailureRules {

  private static final Duration GUARD = Duration.ofMinutes(2);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Scope SCOPE = Scope.of("orders");

  private final String url;

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

  @Test
  @Semantics(71)
  @Case(25)
  void a_duplicate_does_not_poison_the_callers_transaction() throws SQLException {
    try (HikariDataSource pool = Pools.pool(url, "READ_COMMITTED", 2);
        JdbcStore store = JdbcStore.open(pool)) {
      Pools.run(pool, "CREATE TABLE business (n INT NOT NULL)");
      assertThat(claim(store, pool)).isInstanceOf(Answer.Claimed.class);

      try (Connection transaction = pool.getConnection()) {
        transaction.setAutoCommit(false);
        insert(transaction, 1);
        Answer answer = store.claim(transaction, List.of(request()), Duration.ZERO).get(0);
        assertThat(answer).isInstanceOf(Answer.Done.class);
        insert(transaction, 2);
        transaction.commit();
      }

      assertThat(Pools.number(pool, "SELECT count(*) FROM business")).isEqualTo(2);
    }
  }

  private static Answer claim(JdbcStore store, HikariDataSource pool) throws SQLException {
    try (Connection transaction = pool.getConnection()) {
      transaction.setAutoCommit(false);
      Answer answer =
          store
              .claim(transaction, List.of(request().settlingNow(Result.NONE, HOUR)), Duration.ZERO)
              .get(0);
      transaction.commit();
      return answer;
    }
  }

  private static ClaimRequest request() {
    long id = ThreadLocalRandom.current().nextLong();
    return ClaimRequest.of(SCOPE, Key.of("k1"), id, HOUR, Lapse.TAKE);
  }

  private static void insert(Connection transaction, int number) throws SQLException {
    try (PreparedStatement insert =
        transaction.prepareStatement("INSERT INTO business (n) VALUES (?)")) {
      insert.setInt(1, number);
      insert.executeUpdate();
    }
  }
}
