package dev.onlyonce.store.tiered;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contracts on PostgreSQL and one Redis, with the database as the authority. */
@ExtendWith(Servers.class)
class DatabaseAuthorityContractTest extends TieredContract {

  private List<String> urls = List.of();

  DatabaseAuthorityContractTest(Database<PostgreSqlServer> database) {
    super(Authority.DATABASE, database.url());
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
