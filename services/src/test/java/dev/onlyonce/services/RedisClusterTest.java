package dev.onlyonce.services;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class RedisClusterTest {
  private static final Duration GUARD = Duration.ofSeconds(30);

  @Test
  void each_key_has_its_master(RedisCluster cluster) throws IOException {
    assertThat(cluster.urls()).hasSize(6);

    for (String key : new String[] {"foo", "bar", "hello"}) {
      String url = cluster.masterOf(key).url();
      assertThat(RedisConnection.askOnce(url, "SET", key, "written")).isEqualTo("OK");
    }
    assertThat(cluster.masterOf("foo")).isNotSameAs(cluster.masterOf("bar"));
  }

  @Test
  void a_killed_master_is_replaced_and_comes_back_as_a_replica(RedisCluster cluster)
      throws IOException {
    RedisServer killed = cluster.masterOf("key");
    // WAIT is about what its own connection has written, and tells how many replicas have that.
    try (RedisConnection connection = new RedisConnection(URI.create(killed.url()))) {
      connection.ask("SET", "key", "before");
      assertThat(Await.until(GUARD, () -> hasReplica(connection))).isTrue();
    }

    killed.kill();

    assertThat(Await.until(GUARD, () -> cluster.masterOf("key") != killed)).isTrue();
    RedisServer master = cluster.masterOf("key");
    assertThat(Await.until(GUARD, () -> master.says("before", "GET", "key"))).isTrue();

    killed.restart();

    assertThat(Await.until(GUARD, killed::followsItsMaster)).isTrue();
    assertThat(cluster.masterOf("key")).isSameAs(master);
  }

  private static boolean hasReplica(RedisConnection connection) {
    try {
      return connection.ask("WAIT", "1", "1000").equals("1");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
