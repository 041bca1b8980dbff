package dev.onlyonce.store.tiered;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contracts on PostgreSQL and one Redis, with the redis as the authority. */
@ExtendWith(Servers.class)
class RedisAuthorityContractTest extends TieredContract {

  private List<String> urls = List.of();

  RedisAuthorityContractTest(Database<PostgreSqlServer> database) {
    super(Authority.REDIS, database.url());
  }

  @BeforeEach
  void remember(RedisServer server) {
    Raw.syncLater(server);
    urls = List.of(server.url());
  }

  @Override
  List<String> redis() {
    return urls;
  }
}
