package dev.onlyonce.store.tiered;

import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.Servers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contracts on MariaDB and a Redis Cluster, with the database as the authority. */
@ExtendWith(Servers.class)
class ClusterContractTest extends TieredContract {

  private List<String> urls = List.of();

  /** Does not wait for the disk; other tests crash servers. It ends with this JVM. */
  private static final class Holder {
    private static final String URL =
        MariaDbServer.start(Map.of("innodb-flush-log-at-trx-commit", "0")).newDatabase().url();
  }

  ClusterContractTest() {
    super(Authority.DATABASE, Holder.URL);
  }

  @BeforeEach
  void remember(RedisCluster cluster) {
    cluster.nodes().forEach(Raw::syncLater);
    urls = cluster.urls();
  }

  @Override
  List<String> redis() {
    return urls;
  }
}
