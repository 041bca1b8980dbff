package dev.onlyonce.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
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

  @Override
  String[] urls() {
    return urls;
  }
}
