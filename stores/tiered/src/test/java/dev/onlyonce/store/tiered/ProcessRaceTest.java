package dev.onlyonce.store.tiered;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.ProcessRace;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two processes with eight threads each, and all of them want every key. */
@ExtendWith(Servers.class)
class ProcessRaceTest {

  @Test
  @Semantics({1, 2, 3})
  @Case(23)
  void two_processes_handle_each_key_once_when_the_database_is_the_authority(
      Database<PostgreSqlServer> database, RedisServer redis) {
    race(Authority.DATABASE, database.url(), List.of(redis.url()));
  }

  @Test
  @Semantics({1, 2, 3})
  @Case(23)
  void two_processes_handle_each_key_once_when_redis_is_the_authority(
      Database<PostgreSqlServer> database, RedisServer redis) {
    race(Authority.REDIS, database.url(), List.of(redis.url()));
  }

  @Test
  @Semantics({1, 2, 3})
  @Case(23)
  void two_processes_handle_each_key_once_when_mariadb_decides_before_a_cluster(
      Database<MariaDbServer> database, RedisCluster redis) {
    race(Authority.DATABASE, database.url(), redis.urls());
  }

  @Test
  @Semantics({1, 2, 3})
  @Case(23)
  void two_processes_handle_each_key_once_when_a_cluster_decides_before_mariadb(
      Database<MariaDbServer> database, RedisCluster redis) {
    race(Authority.REDIS, database.url(), redis.urls());
  }

  private static void race(Authority authority, String url, List<String> redis) {
    try (HikariDataSource pool = Stores.pool(url)) {
      Stores.database(pool).close();
      Stores.empty(pool);
    }
    List<String> arguments = new ArrayList<>(List.of(authority.name(), url));
    arguments.add("race-" + UUID.randomUUID()); // of keys in Redis
    arguments.addAll(redis);
    ProcessRace.check(RacingWorker.class, arguments.toArray(String[]::new));
  }
}
