package dev.onlyonce.store.redis;

import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contracts on a Redis Cluster, with a compact tier. */
@ExtendWith(Servers.class)
class MovingClusterContractTest extends MovingContract {

  private String[] urls;

  @BeforeEach
  void remember(RedisCluster cluster) {
    cluster.nodes().forEach(Raw::syncLater);
    urls = cluster.urls().toArray(String[]::new);
  }

  @Override
  String[] urls() {
    return urls;
  }
}
