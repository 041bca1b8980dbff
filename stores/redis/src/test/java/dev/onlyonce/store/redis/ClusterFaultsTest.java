package dev.onlyonce.store.redis;

import static dev.onlyonce.store.redis.Claims.ask;
import static dev.onlyonce.store.redis.Claims.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onlyonce.Key;
import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Nodes of a cluster forget their scripts and are started again, in the middle of the work. */
@ExtendWith(Servers.class)
class ClusterFaultsTest {

  @Test
  @Case(35)
  @Semantics({69, 103})
  void known_failure_35_nodes_that_forget_the_scripts_or_start_again_are_told_them_again(
      RedisCluster cluster) {
    String[] urls = cluster.urls().toArray(String[]::new);
    try (RedisStore store = RedisStore.at(urls).patience(Duration.ofSeconds(30)).open()) {
      for (int i = 0; i < 100; i++) {
        if (i == 30) {
          cluster.nodes().forEach(node -> Raw.ask(node, it -> it.scriptFlush()));
        }
        if (i == 60) {
          RedisServer node = cluster.masterOf("onlyonce:scopes");
          node.kill();
          node.restart();
        }
        assertThat(store.settle(List.of(Claims.done(claim(store, "key" + i)))))
            .containsExactly(Held.HELD);
      }
      for (int i = 0; i < 100; i++) {
        assertThat(ask(store, "key" + i)).isInstanceOf(Answer.Done.class);
      }
    }
  }

  /** Nobody would settle them, and they would be in progress until their lease ends. */
  @Test
  @Semantics({69, 77, 103})
  void what_was_granted_in_a_batch_that_finds_a_full_node_is_given_back(RedisCluster cluster) {
    String[] urls = cluster.urls().toArray(String[]::new);
    try (RedisStore store = RedisStore.at(urls).prefix("full").open()) {
      claim(store, "before");
      RedisServer full = cluster.masterOf(someShard(cluster, "full"));
      Raw.ask(full, it -> it.configSet("maxmemory", "1mb"));
      try {
        assertThat(kindOf(() -> store.claim(Claims.requests("key", 64)))).isEqualTo(Kind.FULL);
        int granted = 0;
        for (int i = 0; i < 64; i++) {
          granted += isGrantedFirst(store, "key" + i) ? 1 : 0;
        }
        assertThat(granted).as("keys of the other nodes").isBetween(20, 63);
      } finally {
        Raw.ask(full, it -> it.configSet("maxmemory", "0"));
      }
    }
  }

  @Test
  @Semantics({69, 77})
  void what_was_granted_in_a_batch_that_finds_a_lost_shard_is_given_back(RedisCluster cluster) {
    String[] urls = cluster.urls().toArray(String[]::new);
    try (RedisStore store = RedisStore.at(urls).prefix("lost").open()) {
      claim(store, "before");
      String shard = someShard(cluster, "lost");
      Raw.ask(cluster.masterOf(shard), it -> it.del(shard));
      assertThat(kindOf(() -> store.claim(Claims.requests("key", 64)))).isEqualTo(Kind.REJECTED);
      int granted = 0;
      for (int i = 0; i < 64; i++) {
        granted += isGrantedFirst(store, "key" + i) ? 1 : 0;
      }
      assertThat(granted).as("keys of the other shards").isBetween(40, 63);
    }
  }

  /** With a patience of ten seconds and a shorter lease, one node that was down lost all claims. */
  @Test
  @Case(15)
  @Semantics({12, 69})
  void a_node_that_is_down_costs_no_claim_of_the_others_the_renewal(RedisCluster cluster)
      throws Exception {
    setNodeTimeout(cluster, "600000"); // nobody takes its place
    String[] urls = cluster.urls().toArray(String[]::new);
    Duration longer = Claims.LONG.multipliedBy(2);
    try (RedisStore store =
        RedisStore.at(urls).prefix("down").patience(Duration.ofMinutes(10)).open()) {
      List<Renewal> renewals =
          store.claim(Claims.requests("key", 64)).stream()
              .map(it -> new Renewal(Claims.claimed(it), longer, new byte[] {1}))
              .toList();
      RedisServer down = cluster.masterOf(someShard(cluster, "down"));
      down.kill();
      FutureTask<List<Held>> task = new FutureTask<>(() -> store.renew(renewals));
      Thread thread = new Thread(task, "renewal");
      thread.setDaemon(true);
      thread.start();
      List<Held> answers;
      try {
        answers = task.get(1, TimeUnit.MINUTES);
      } finally {
        down.restart();
        setNodeTimeout(cluster, "1000");
      }
      assertThat(answers).containsOnly(Held.HELD, Held.UNKNOWN).hasSize(64);
      for (int i = 0; i < 64; i++) {
        boolean isRenewed =
            store.find(Claims.SCOPE, Key.of("key" + i)).orElseThrow().checkpoint() != null;
        assertThat(isRenewed).as("key" + i).isEqualTo(answers.get(i) == Held.HELD);
      }
      assertThat(store.renew(renewals)).containsOnly(Held.HELD);
    }
  }

  @Test
  @Semantics({12, 67})
  void a_renewal_that_no_replica_has_is_not_known_beside_others_that_have_one(
      RedisCluster cluster) {
    setNodeTimeout(cluster, "600000");
    String[] urls = cluster.urls().toArray(String[]::new);
    try (RedisStore store =
        RedisStore.at(urls)
            .prefix("alone")
            .waitForReplicas(1, Duration.ofSeconds(1))
            .patience(Duration.ofSeconds(30))
            .open()) {
      List<Renewal> renewals =
          store.claim(Claims.requests("key", 64)).stream()
              .map(it -> new Renewal(Claims.claimed(it), Claims.LONG, null))
              .toList();
      String shard = someShard(cluster, "alone");
      RedisServer replica = replicaOf(cluster, cluster.masterOf(shard));
      replica.pause();
      try {
        assertThat(store.renew(renewals)).containsOnly(Held.HELD, Held.UNKNOWN).hasSize(64);
      } finally {
        replica.resume();
        setNodeTimeout(cluster, "1000");
      }
    }
  }

  private static RedisServer replicaOf(RedisCluster cluster, RedisServer master) {
    String itsMaster = "master_port:" + master.address().getPort() + "\r\n";
    return cluster.nodes().stream()
        .filter(node -> Raw.ask(node, it -> it.info("replication")).contains(itsMaster))
        .findFirst()
        .orElseThrow();
  }

  private static void setNodeTimeout(RedisCluster cluster, String millis) {
    for (RedisServer node : cluster.nodes()) {
      Raw.ask(node, it -> it.configSet("cluster-node-timeout", millis));
    }
  }

  private static String someShard(RedisCluster cluster, String prefix) {
    return cluster.nodes().stream()
        .flatMap(node -> Raw.ask(node, it -> it.keys(prefix + ":{*}")).stream())
        .findFirst()
        .orElseThrow();
  }

  /** Tells whether a key is granted and has not been tried before; false where it is refused. */
  private static boolean isGrantedFirst(RedisStore store, String key) {
    try {
      return Claims.claimed(ask(store, key)).attempt() == 1;
    } catch (StoreException e) {
      return false;
    }
  }

  private static Kind kindOf(Callable<?> call) {
    StoreException refusal = catchThrowableOfType(StoreException.class, call::call);
    assertThat(refusal).as("an answer").isNotNull();
    return refusal.kind();
  }
}
