package dev.onlyonce.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.Semantics;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contracts on a Redis Cluster of three masters with one replica each. */
@ExtendWith(Servers.class)
class RedisClusterContractTest extends RedisContract {

  private String[] urls;

  @BeforeEach
  void remember(RedisCluster cluster) {
    cluster.nodes().forEach(Raw::syncLater);
    urls = cluster.urls().toArray(String[]::new);
  }

  @Test
  void a_new_store_in_a_cluster_has_sixteen_shards(RedisCluster cluster) {
    RedisStore.at(urls).prefix("sixteen").open().close();
    RedisServer master = cluster.masterOf("sixteen:meta");
    String kept = Raw.ask(master, it -> it.hget("sixteen:meta", "shards"));
    assertThat(kept).isEqualTo("16");
  }

  @Test
  @Semantics(77)
  void each_master_tells_how_many_records_it_has() {
    try (RedisStore store = RedisStore.at(urls).prefix("counted").open()) {
      store.claim(Claims.requests("key-", 300));
    }
    List<RedisFindings.Server> servers = RedisStore.at(urls).prefix("counted").look().servers();
    assertThat(servers).hasSize(3).allSatisfy(it -> assertThat(it.records()).isBetween(50L, 200L));
    assertThat(servers.stream().mapToLong(RedisFindings.Server::records).sum())
        .as("records, and a field of each shard")
        .isEqualTo(300 + 16);
  }

  @Override
  String[] urls() {
    return urls;
  }
}
