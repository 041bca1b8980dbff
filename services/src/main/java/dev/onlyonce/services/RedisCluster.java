package dev.onlyonce.services;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster of three masters with one replica each, which are servers like any {@link
 * RedisServer}. A node that does not answer for a second is replaced, unless the settings say
 * otherwise.
 *
 * <p>Thread-safe as its nodes are. Throws {@link ServerException} if they do not come together.
 */
public final class RedisCluster implements AutoCloseable {
  private static final int NODES = 6;
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Pattern MASTER =
      Pattern.compile(
          "^\\S+ 127\\.0\\.0\\.1:(?<port>\\d+)@\\S+ (myself,)?master - \\S+ \\S+ \\S+ connected"
              + "(?<slots>( \\S+)+)$",
          Pattern.MULTILINE);
  private static final Pattern SLOTS = Pattern.compile(" (?<from>\\d+)(-(?<to>\\d+))?(?= |$)");

  private final List<RedisServer> nodes = new ArrayList<>();

  private RedisCluster() {}

  /** Starts one with the default settings. */
  public static RedisCluster start() {
    return start(Map.of());
  }

  /** Starts one with directives of {@code redis.conf} for all nodes. */
  public static RedisCluster start(Map<String, String> settings) {
    RedisCluster cluster = new RedisCluster();
    boolean started = false;
    try {
      cluster.startNodes(settings);
      cluster.join();
      started = true;
      return cluster;
    } finally {
      if (!started) {
        cluster.close();
      }
    }
  }

  private void startNodes(Map<String, String> settings) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("cluster-enabled", "yes");
    all.put("cluster-node-timeout", "1000");
    all.putAll(settings);
    for (int i = 0; i < NODES; i++) {
      nodes.add(RedisServer.start(all));
    }
  }

  private void join() {
    List<String> command = new ArrayList<>();
    command.add(Programs.installed().require("redis-cli", "redis-tools"));
    command.addAll(List.of("--cluster", "create"));
    nodes.forEach(it -> command.add("127.0.0.1:" + it.address().getPort()));
    command.addAll(List.of("--cluster-replicas", "1", "--cluster-yes"));
    Child.run(nodes.get(0).home(), command);
    for (RedisServer node : nodes) {
      if (!Await.until(LIMIT, () -> isInOrder(node))) {
        throw node.failure("did not find its place in the cluster");
      }
    }
  }

  private static boolean isInOrder(RedisServer node) {
    return node.says("cluster_state:ok", "CLUSTER", "INFO")
        && (node.followsItsMaster() || node.says("connected_slaves:1", "INFO", "replication"));
  }

  /** Its nodes, masters and replicas. */
  public List<RedisServer> nodes() {
    return List.copyOf(nodes);
  }

  /** The URLs of its nodes, for a client to begin with. */
  public List<String> urls() {
    return nodes.stream().map(RedisServer::url).toList();
  }

  /**
   * The node that is the master of a key now, as the first node that answers sees it: that view may
   * be as old as the timeout of nodes. Waits while it sees none, which is the time of a failover.
   */
  public RedisServer masterOf(String key) {
    AtomicReference<@Nullable RedisServer> master = new AtomicReference<>();
    Await.until(
        LIMIT,
        () -> {
          master.set(masterNowOf(key));
          return master.get() != null;
        });
    RedisServer found = master.get();
    if (found == null) {
      throw new ServerException("no master of " + key + " was found within " + LIMIT);
    }
    return found;
  }

  private @Nullable RedisServer masterNowOf(String key) {
    return nodes.stream()
        .filter(Server::isRunning)
        .map(it -> portOfMaster(it, key))
        .filter(OptionalInt::isPresent)
        .findFirst()
        .map(it -> nodeAt(it.getAsInt()))
        .orElse(null);
  }

  /** The port of a key's master, in the eyes of a node; nothing if the node does not answer. */
  private static OptionalInt portOfMaster(RedisServer node, String key) {
    try {
      String slot = RedisConnection.askOnce(node.url(), "CLUSTER", "KEYSLOT", key);
      String view = RedisConnection.askOnce(node.url(), "CLUSTER", "NODES");
      return OptionalInt.of(portOfMaster(view, Integer.parseInt(slot)));
    } catch (IOException e) {
      return OptionalInt.empty();
    }
  }

  private @Nullable RedisServer nodeAt(int port) {
    return nodes.stream().filter(it -> it.address().getPort() == port).findAny().orElse(null);
  }

  private static int portOfMaster(String clusterNodes, int slot) {
    Matcher master = MASTER.matcher(clusterNodes);
    while (master.find()) {
      Matcher slots = SLOTS.matcher(master.group("slots"));
      while (slots.find()) {
        int from = Integer.parseInt(slots.group("from"));
        int to = slots.group("to") == null ? from : Integer.parseInt(slots.group("to"));
        if (from <= slot && slot <= to) {
          return Integer.parseInt(master.group("port"));
        }
      }
    }
    return -1;
  }

  /** Ends all nodes at once and deletes their data. */
  @Override
  public void close() {
    nodes.forEach(Server::close);
  }
}
