package dev.onlyonce.store.redis;

import static dev.onlyonce.store.redis.Claims.ask;
import static dev.onlyonce.store.redis.Claims.claim;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.Held;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.List;
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
}
