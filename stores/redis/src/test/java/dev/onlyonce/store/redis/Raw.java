package dev.onlyonce.store.redis;

import dev.onlyonce.services.RedisServer;
import dev.onlyonce.testkit.process.Await;
import java.net.URI;
import java.time.Duration;
import java.util.function.Function;
import redis.clients.jedis.Jedis;

/** Asks a server directly, behind the back of a store. */
final class Raw {

  private Raw() {}

  static <T> T ask(RedisServer server, Function<Jedis, T> question) {
    try (Jedis jedis = new Jedis(URI.create(server.url()))) {
      return question.apply(jedis);
    }
  }

  /** Waits until a replica has all that was written. */
  static void awaitReplica(RedisServer master) {
    awaitReplicas(master, 1);
  }

  /**
   * Waits until so many replicas have all that was written; WAIT is about its own connection only.
   */
  static void awaitReplicas(RedisServer master, int count) {
    ask(
        master,
        it -> {
          it.set("awaited", "by a test");
          Await.until(
              "replicas", Duration.ofMinutes(1), () -> it.waitReplicas(count, 1_000) >= count);
          return it.del("awaited");
        });
  }

  /**
   * Leaves it to the server when it syncs, for tests that are not about that and make many calls.
   */
  static void syncLater(RedisServer server) {
    ask(server, it -> it.configSet("appendfsync", "everysec"));
  }
}
