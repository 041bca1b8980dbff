package dev.onlyonce.store.tiered;

import dev.onlyonce.services.RedisServer;
import java.net.URI;
import java.util.function.Function;
import redis.clients.jedis.Jedis;

/** Asks a Redis server directly, behind the back of a store. */
final class Raw {

  private Raw() {}

  static <T> T ask(RedisServer server, Function<Jedis, T> question) {
    try (Jedis jedis = new Jedis(URI.create(server.url()))) {
      return question.apply(jedis);
    }
  }

  /** Leaves it to the server when it syncs, for tests that are not about that. */
  static void syncLater(RedisServer server) {
    ask(server, it -> it.configSet("appendfsync", "everysec"));
  }
}
