package dev.onlyonce.store.redis.internal;

import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.redis.RedisFindings;
import dev.onlyonce.store.redis.RedisFindings.Server;
import dev.onlyonce.store.redis.internal.RedisPort.Link;
import dev.onlyonce.store.redis.internal.RedisPort.LinkException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the settings of the servers and says what is wrong with them. */
final class Probe {

  private static final String SAFE_POLICY = "noeviction";

  private final RedisPort port;

  Probe(RedisPort port) {
    this.port = port;
  }

  /**
   * @throws StoreException if a server evicts keys, or cannot be asked
   */
  RedisFindings look(Topology topology) {
    List<Server> servers = new ArrayList<>();
    for (Node each : topology.masters()) {
      servers.add(look(each));
    }
    Set<String> warnings = new TreeSet<>(topology.warnings());
    servers.forEach(it -> warn(it, warnings));
    return new RedisFindings(topology.isCluster(), servers, List.copyOf(warnings));
  }

  private Server look(Node node) {
    try (Link link = port.link(node)) {
      String info = Question.info(link, "server") + Question.info(link, "replication");
      info += Question.info(link, "memory");
      String maxmemory = setting(link, "maxmemory");
      String replicas = setting(link, "min-replicas-to-write");
      return new Server(
          node.toString(),
          Question.told(info, "redis_version", "unknown"),
          Integer.parseInt(Question.told(info, "connected_slaves", "0")),
          Long.parseLong(Question.told(info, "used_memory", "0")),
          maxmemory == null ? null : Long.valueOf(maxmemory),
          setting(link, "maxmemory-policy"),
          setting(link, "appendonly"),
          setting(link, "appendfsync"),
          replicas == null ? null : Integer.valueOf(replicas));
    } catch (LinkException e) {
      throw new StoreException(
          Kind.UNAVAILABLE, "the settings of " + node + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** Returns a setting, null if the server does not tell it. */
  private static @Nullable String setting(Link link, String name) throws LinkException {
    return Question.ask(link, "CONFIG", "GET", name) instanceof List<?> reply && reply.size() == 2
        ? Question.text(reply.get(1))
        : null;
  }

  private static void warn(Server server, Set<String> warnings) {
    String policy = server.maxmemoryPolicy();
    if (policy == null) {
      warnings.add(
          server.address()
              + " does not let us read its settings (CONFIG is barred): see to it yourself that"
              + " maxmemory-policy is noeviction and that it writes an append-only file");
      return;
    }
    if (!policy.equals(SAFE_POLICY)) {
      throw new StoreException(
          Kind.REJECTED,
          server.address()
              + " has maxmemory-policy "
              + policy
              + ", by which it throws away keys when its memory is full, and a key of Redis holds"
              + " the claims of a whole shard: set maxmemory-policy noeviction");
    }
    if ("no".equals(server.appendonly())) {
      warnings.add(
          server.address()
              + " has appendonly no: when it is started again, keys that were done since its last"
              + " snapshot are new; set appendonly yes");
    } else if (!"always".equals(server.appendfsync())) {
      warnings.add(
          server.address()
              + " has appendfsync "
              + server.appendfsync()
              + ": a loss of power takes the last moments, whose keys are new; set appendfsync"
              + " always if that may not be");
    }
    if (server.replicas() > 0 && Integer.valueOf(0).equals(server.minReplicasToWrite())) {
      warnings.add(
          server.address()
              + " has min-replicas-to-write 0: a master that is cut off goes on answering, and what"
              + " it answers is lost when a replica takes over; set it to 1, and"
              + " waitForReplicas in the store");
    }
  }
}
