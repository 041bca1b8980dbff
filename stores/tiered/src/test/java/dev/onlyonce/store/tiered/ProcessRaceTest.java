package dev.onlyonce.store.tiered;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.ProcessRace;
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
    ProcessRace.check(RacingWorker.class, authority.name(), url, redis.url());
  }
}
