package dev.onlyonce.app.cli;

import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.Servers;
import org.junit.jupiter.api.extension.ExtendWith;

/** The program on a store in Redis Cluster. */
@ExtendWith(Servers.class)
class RedisClusterCommandsTest extends SharedStoreRules {

  private final String address;

  RedisClusterCommandsTest(RedisCluster cluster) {
    this.address =
        "redis-cluster://"
            + String.join(
                ",", cluster.urls().stream().map(it -> it.replace("redis://", "")).toList());
  }

  @Override
  String address() {
    return address;
  }
}
