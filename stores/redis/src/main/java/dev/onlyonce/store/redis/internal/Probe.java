package dev.onlyonce.store.redis.internal;

import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.redis.RedisFindings;
import dev.onlyonce.store.redis.RedisFindings.Server;
import dev.onlyonce.store.redis.internal.RedisPort.Link;
import dev.onlyonce.store.redis.internal.RedisPort.LinkException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the settings of the servers, masters and replicas, and says what is wrong with them. */
final class Probe {

  private static final Pattern REPLICA =
      Pattern.compile("^slave\\d+:ip=([^,]+),port=(\\d+)", Pattern.MULTILINE);

  private final RedisPort port;
  private final String prefix;

  /**
   * @param prefix of the store whose records are counted
   */
  Probe(RedisPort port, String prefix) {
    this.port = port;
    this.prefix = prefix;
  }

  /** What a server has said, and the replicas that it sees. */
  private record Told(Server server, List<Node> replicas) {}

  /**
   * @throws StoreException if a server evicts keys, or a master cannot be asked
   */
  RedisFindings look(Topology topology) {
    Set<String> warnings = new TreeSet<>(topology.warnings());
    Remarks remarks = new Remarks();
    List<Server> servers = new ArrayList<>();
    Set<Node> replicas = new TreeSet<>();
    Map<Node, Long> records = records(topology);
    for (Node each : topology.masters()) {
      Told told = lookAtMaster(each, records.get(each));
      servers.add(told.server);
      replicas.addAll(told.replicas);
    }
    servers.forEach(it -> new Advice(it, false).give(remarks));
    for (Node each : replicas) {
      try {
        new Advice(look(each, null).server, true).give(remarks);
      } catch (LinkException e) {
        warnings.add(
            each
                + ", a replica, cannot be asked for its settings: see to it yourself that they are"
                + " those of a master, which it may become; "
                + e.getMessage());
      }
    }
    warnings.addAll(remarks.sentences());
    return new RedisFindings(topology.isCluster(), servers, List.copyOf(warnings));
  }

  private Map<Node, Long> records(Topology topology) {
    try {
      return new Census(port, topology, prefix).take();
    } catch (LinkException e) {
      throw new StoreException(
          Kind.UNAVAILABLE, "the records of the store cannot be counted: " + e.getMessage(), e);
    }
  }

  private Told lookAtMaster(Node node, @Nullable Long records) {
    try {
      return look(node, records);
    } catch (LinkException e) {
      throw new StoreException(
          Kind.UNAVAILABLE, "the settings of " + node + " cannot be read: " + e.getMessage(), e);
    }
  }

  private Told look(Node node, @Nullable Long records) throws LinkException {
    try (Link link = port.link(node)) {
      String info = Question.info(link, "server") + Question.info(link, "replication");
      info += Question.info(link, "memory");
      String maxmemory = setting(link, "maxmemory");
      Server server =
          new Server(
              node.toString(),
              Question.told(info, "redis_version", Advice.UNKNOWN),
              Integer.parseInt(Question.told(info, "connected_slaves", "0")),
              Long.parseLong(Question.told(info, "used_memory", "0")),
              maxmemory == null ? null : Long.valueOf(maxmemory),
              setting(link, "maxmemory-policy"),
              setting(link, "appendonly"),
              setting(link, "appendfsync"),
              setting(link, "no-appendfsync-on-rewrite"),
              number(setting(link, "min-replicas-to-write")),
              number(setting(link, "min-replicas-max-lag")),
              records);
      return new Told(server, replicas(info));
    }
  }

  private static List<Node> replicas(String info) {
    List<Node> replicas = new ArrayList<>();
    for (Matcher line = REPLICA.matcher(info); line.find(); ) {
      replicas.add(new Node(line.group(1), Integer.parseInt(line.group(2))));
    }
    return replicas;
  }

  private static @Nullable Integer number(@Nullable String setting) {
    return setting == null ? null : Integer.valueOf(setting);
  }

  /** Returns a setting, null if the server does not tell it. */
  private static @Nullable String setting(Link link, String name) throws LinkException {
    return Question.ask(link, "CONFIG", "GET", name) instanceof List<?> reply && reply.size() == 2
        ? Question.text(reply.get(1))
        : null;
  }
}
