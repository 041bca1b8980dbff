package dev.onlyonce.store.redis;

import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.ProcessRace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two processes with eight threads each, and all of them want every key. */
@ExtendWith(Servers.class)
class ProcessRaceTest {

  @Test
  @Semantics({1, 2, 3})
  @Case(23)
  void two_processes_handle_each_key_once_on_one_server(RedisServer server) {
    Raw.syncLater(server);
    ProcessRace.check(RacingWorker.class, server.url());
  }

  @Test
  @Semantics({1, 2, 3})
  @Case(23)
  void two_processes_handle_each_key_once_on_a_cluster(RedisCluster cluster) {
    cluster.nodes().forEach(Raw::syncLater);
    ProcessRace.check(RacingWorker.class, cluster.urls().toArray(String[]::new));
  }
}
