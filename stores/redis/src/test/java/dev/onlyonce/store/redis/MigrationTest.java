package dev.onlyonce.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.params.MigrateParams;

/** Shards go from one master to another while they are in use. */
@ExtendWith(Servers.class)
class MigrationTest {

  private static final Duration GUARD = Duration.ofMinutes(1);

  @Test
  @Semantics({1, 3, 103})
  void shards_that_move_under_load_lose_nothing_and_grant_nothing_twice(RedisCluster cluster) {
    cluster.nodes().forEach(Raw::syncLater);
    String[] urls = cluster.urls().toArray(String[]::new);
    try (RedisStore store = RedisStore.at(urls).open()) {
      List<RedisServer> masters = masters(cluster);
      RedisServer from = masters.get(0);
      List<String> shards = List.copyOf(Raw.ask(from, it -> it.keys("onlyonce:{*}")));
      Load load = new Load(store, "load", 2);
      try (load) {
        for (String shard : shards) {
          move(shard, masters, load);
        }
        awaitMore(load);
      }
      assertThat(shards).isNotEmpty();
      assertThat(load.surprises).isEmpty();
      assertThat(load.failures).isEmpty();
      assertThat(ask(store, load.done)).hasOnlyElementsOfType(Answer.Done.class);
      assertThat(ask(store, load.held)).hasOnlyElementsOfType(Answer.InProgress.class);
    }
  }

  private static List<Answer> ask(RedisStore store, Iterable<Claim> claims) {
    List<ClaimRequest> requests = new ArrayList<>();
    claims.forEach(it -> requests.add(Claims.request(it.key())));
    return store.claim(requests);
  }

  private static List<RedisServer> masters(RedisCluster cluster) {
    return cluster.nodes().stream()
        .filter(it -> Raw.ask(it, jedis -> jedis.role()).get(0).equals("master"))
        .toList();
  }

  private static void awaitMore(Load load) {
    int before = load.answered();
    Await.until("more answers", GUARD, () -> load.answered() > before + 300);
  }

  /** Moves a shard's slot from the first master to the second, slowly. */
  private static void move(String shard, List<RedisServer> masters, Load load) {
    RedisServer from = masters.get(0);
    RedisServer to = masters.get(1);
    int slot = Math.toIntExact(Raw.ask(from, it -> it.clusterKeySlot(shard)));
    String fromId = Raw.ask(from, it -> it.clusterMyId());
    String toId = Raw.ask(to, it -> it.clusterMyId());
    Raw.ask(to, it -> it.clusterSetSlotImporting(slot, fromId));
    Raw.ask(from, it -> it.clusterSetSlotMigrating(slot, toId));
    awaitMore(load);
    Raw.ask(
        from,
        it -> it.migrate("127.0.0.1", to.address().getPort(), 5_000, new MigrateParams(), shard));
    awaitMore(load);
    Raw.ask(to, it -> it.clusterSetSlotNode(slot, toId));
    awaitMore(load);
    for (RedisServer each : masters) {
      Raw.ask(each, it -> it.clusterSetSlotNode(slot, toId));
    }
  }
}
