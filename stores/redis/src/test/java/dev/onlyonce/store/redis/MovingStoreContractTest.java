package dev.onlyonce.store.redis;

import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contracts on one server, with a compact tier. */
@ExtendWith(Servers.class)
class MovingStoreContractTest extends MovingContract {

  private String[] urls;

  @BeforeEach
  void remember(RedisServer server) {
    Raw.syncLater(server);
    urls = new String[] {server.url()};
  }

  @Override
  String[] urls() {
    return urls;
  }
}
