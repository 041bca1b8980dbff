package dev.onlyonce.store.tiered;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.WorkerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two processes with eight threads each, and all of them want every key. */
@ExtendWith(Servers.class)
class ProcessRaceTest {

  private static final Duration GUARD = Duration.ofMinutes(2);

  @Test
  @Semantics({1, 2, 3})
  @Case(23)
  void two_processes_handle_each_key_once_when_the_database_is_the_authority(
      Database<PostgreSqlServer> database, RedisServer redis) {
    race(Authority.DATABASE, database.url(), redis);
  }

  @Test
  @Semantics({1, 2, 3})
  @Case(23)
  void two_processes_handle_each_key_once_when_redis_is_the_authority(
      Database<PostgreSqlServer> database, RedisServer redis) {
    race(Authority.REDIS, database.url(), redis);
  }

  private static void race(Authority authority, String url, RedisServer redis) {
    try (HikariDataSource pool = Stores.pool(url)) {
      Stores.database(pool).close();
      Stores.empty(pool);
    }
    Raw.ask(redis, it -> it.flushAll());
    List<WorkerProcess> racers = new ArrayList<>();
    List<String> handled = new ArrayList<>();
    try {
      for (int i = 0; i < 2; i++) {
        racers.add(
            WorkerProcess.of(RacingWorker.class)
                .name("racer-" + i)
                .arguments(authority.name(), url, redis.url())
                .start());
      }
      racers.forEach(it -> it.awaitLine("ready", GUARD));
      racers.forEach(it -> it.send("go"));
      for (WorkerProcess each : racers) {
        int before = handled.size();
        for (String line = next(each); !line.equals("end"); line = next(each)) {
          handled.add(line);
        }
        assertThat(handled.size()).as("won by " + each.name()).isGreaterThan(before);
      }
    } finally {
      racers.forEach(WorkerProcess::close);
    }
    assertThat(handled).allMatch(it -> it.startsWith("HELD "));
    assertThat(handled).doesNotHaveDuplicates().hasSize(RacingWorker.KEYS);
  }

  private static String next(WorkerProcess racer) {
    return racer.awaitLine(line -> true, GUARD);
  }
}
