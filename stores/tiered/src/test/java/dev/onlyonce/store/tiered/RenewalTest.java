package dev.onlyonce.store.tiered;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.StoreSettings;
import dev.onlyonce.testkit.process.RenewalRules;
import dev.onlyonce.testkit.process.TcpFaultProxy;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link RenewalRules} with each authority; both tiers of the holder stall. */
@ExtendWith(Servers.class)
class RenewalTest {

  private abstract static class OnTiers extends RenewalRules {
    private final Authority authority;
    private final Database<PostgreSqlServer> database;
    private final RedisServer redis;

    OnTiers(Authority authority, Database<PostgreSqlServer> database, RedisServer redis) {
      this.authority = authority;
      this.database = database;
      this.redis = redis;
    }

    @Override
    protected Workers open() {
      Raw.ask(redis, it -> it.flushAll());
      HikariDataSource pool = closing(Stores.pool(database.url()));
      Stores.database(pool).close();
      Stores.empty(pool);
      TieredStore second = closing(tiers(pool, redis.url()));
      TcpFaultProxy toDatabase = closing(TcpFaultProxy.to(database.address()));
      TcpFaultProxy toRedis = closing(TcpFaultProxy.to(redis.address()));
      HikariDataSource stalling = closing(Stores.pool(database.through(toDatabase.port()).url()));
      TieredStore holder = closing(tiers(stalling, "redis://127.0.0.1:" + toRedis.port()));
      return new Workers(List.of(toDatabase, toRedis), holder, second);
    }

    private TieredStore tiers(HikariDataSource pool, String redisUrl) {
      return TieredStore.with(authority)
          .database(Stores.database(pool))
          .fast(
              () ->
                  authority == Authority.REDIS
                      ? Stores.front(List.of(redisUrl), "onlyonce", StoreSettings.defaults())
                      : Stores.copies(List.of(redisUrl), "onlyonce"))
          .open();
    }
  }

  @Nested
  class DatabaseDecides extends OnTiers {
    DatabaseDecides(Database<PostgreSqlServer> database, RedisServer redis) {
      super(Authority.DATABASE, database, redis);
    }
  }

  @Nested
  class RedisDecides extends OnTiers {
    RedisDecides(Database<PostgreSqlServer> database, RedisServer redis) {
      super(Authority.REDIS, database, redis);
    }
  }
}
