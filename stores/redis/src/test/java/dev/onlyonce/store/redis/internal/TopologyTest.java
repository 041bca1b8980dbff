package dev.onlyonce.store.redis.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.store.redis.internal.RedisPort.Link;
import dev.onlyonce.testkit.Semantics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which nodes are asked who has the slots, and in which order; the servers are real ones. */
@ExtendWith(Servers.class)
class TopologyTest {

  /** Connects as the store does, and notes to whom. */
  private static final class Noting implements RedisPort {
    private final RedisPort port;
    private final List<Node> asked = new ArrayList<>();

    private Noting(RedisAddress address) {
      port = new JedisPort(address, new RedisSettings());
    }

    @Override
    public String user() {
      return port.user();
    }

    @Override
    public Link link(Node node) throws LinkException {
      asked.add(node);
      return port.link(node);
    }

    @Override
    public void close() {
      port.close();
    }
  }

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private Noting portTo(List<String> urls) {
    Noting port = new Noting(RedisAddress.of(urls));
    open.add(port);
    return port;
  }

  private static Node nodeOf(RedisServer server) {
    return new Node("127.0.0.1", server.address().getPort());
  }

  @Test
  @Semantics(69)
  void of_a_cluster_those_that_were_silent_are_asked_after_the_others(RedisCluster cluster)
      throws Exception {
    Noting port = portTo(cluster.urls());
    Topology topology =
        new Topology(port, cluster.nodes().stream().map(TopologyTest::nodeOf).toList());
    topology.look();
    List<Node> masters = List.copyOf(topology.masters());
    assertThat(masters).hasSize(3);
    topology.lost(masters.get(0));
    topology.lost(masters.get(1));
    port.asked.clear();
    topology.look();
    assertThat(port.asked).containsExactly(masters.get(2));
  }

  @Test
  @Semantics(69)
  void of_several_servers_all_are_asked_and_those_that_were_silent_last() throws Exception {
    try (RedisServer master = RedisServer.start();
        RedisServer replica = master.startReplica(Map.of());
        RedisServer ended = RedisServer.start()) {
      ended.kill();
      List<RedisServer> named = List.of(ended, replica, master);
      Noting port = portTo(named.stream().map(RedisServer::url).toList());
      Topology topology = new Topology(port, named.stream().map(TopologyTest::nodeOf).toList());
      topology.look();
      assertThat(topology.masters()).containsExactly(nodeOf(master));
      port.asked.clear();
      topology.doubt();
      topology.look();
      assertThat(port.asked).containsExactly(nodeOf(replica), nodeOf(master), nodeOf(ended));
    }
  }

  @Test
  @Semantics(69)
  void what_was_looked_at_since_the_doubt_is_not_looked_at_again(RedisCluster cluster)
      throws Exception {
    Noting port = portTo(cluster.urls());
    Topology topology =
        new Topology(port, cluster.nodes().stream().map(TopologyTest::nodeOf).toList());
    topology.look();
    topology.doubt();
    topology.doubt();
    topology.look();
    port.asked.clear();
    topology.look();
    assertThat(port.asked).isEmpty();
  }

  /** A thread may connect anew before another has noticed that its connection is gone. */
  @Test
  @Semantics({67, 103})
  void a_server_that_was_started_again_is_not_taken_for_the_master_that_it_was() throws Exception {
    try (RedisServer master = RedisServer.start();
        RedisServer replica = master.startReplica(Map.of())) {
      Noting port = portTo(List.of(master.url(), replica.url()));
      Topology topology = new Topology(port, List.of(nodeOf(master), nodeOf(replica)));
      topology.look();
      try (Link link = port.link(nodeOf(master))) {
        assertThat(topology.isSame(link)).isTrue();
      }
      master.kill();
      master.restart();
      try (RedisPort other = portTo(List.of(master.url()));
          Link link = other.link(nodeOf(master))) {
        assertThat(link.isNew()).isTrue();
        assertThat(topology.isSame(link)).isFalse();
      }
    }
  }
}
