package dev.onlyonce.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.ProcessRace;
import dev.onlyonce.testkit.process.WorkerProcess;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Processes that share the tables. */
abstract class ProcessRules {

  private static final Duration GUARD = Duration.ofMinutes(2);

  private final String url;

  ProcessRules(String url) {
    this.url = url;
  }

  @Test
  @Semantics({1, 2, 3})
  @Case(23)
  void sixteen_threads_in_two_processes_race_and_nobody_wins_twice() {
    try (HikariDataSource pool = Pools.pool(url, "READ_COMMITTED", 1)) {
      JdbcStore.on(pool).createTables().open().close();
    }
    ProcessRace.check(RacingWorker.class, url);
  }

  @Test
  @Semantics({8, 9, 57})
  @Case({19, 23, 45})
  void a_process_that_is_killed_in_its_transactions_leaves_no_effect_twice_and_none_out()
      throws SQLException {
    int messages = 300;
    SplittableRandom random = new SplittableRandom(4711);
    try (HikariDataSource pool = Pools.pool(url, "READ_COMMITTED", 1)) {
      JdbcStore.on(pool).createTables().open().close();
      Pools.run(pool, "CREATE TABLE killed_effect (n INT NOT NULL)");
      for (int kill = 0; kill < 4; kill++) {
        try (WorkerProcess worker = inbox(0, messages)) {
          for (int lines = 1 + random.nextInt(40); lines > 0; lines--) {
            worker.awaitLine(it -> it.startsWith("done "), GUARD);
          }
          worker.kill();
        }
      }
      try (WorkerProcess one = inbox(0, messages);
          WorkerProcess other = inbox(0, messages)) {
        one.awaitLine("end", GUARD);
        other.awaitLine("end", GUARD);
      }
      try (Connection connection = pool.getConnection();
          PreparedStatement count =
              connection.prepareStatement("SELECT count(*), count(DISTINCT n) FROM killed_effect");
          ResultSet rows = count.executeQuery()) {
        rows.next();
        assertThat(rows.getInt(1)).as("effects").isEqualTo(messages);
        assertThat(rows.getInt(2)).as("messages with an effect").isEqualTo(messages);
      }
    }
  }

  private WorkerProcess inbox(int from, int to) {
    return WorkerProcess.of(KilledInbox.class)
        .arguments(url, Integer.toString(from), Integer.toString(to))
        .start();
  }
}
