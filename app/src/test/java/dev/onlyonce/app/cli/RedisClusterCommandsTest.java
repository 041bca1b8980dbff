package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The program on a store in Redis Cluster. */
@ExtendWith(Servers.class)
class RedisClusterCommandsTest extends SharedStoreRules {

  private final RedisCluster cluster;
  private final String address;

  RedisClusterCommandsTest(RedisCluster cluster) {
    this.cluster = cluster;
    this.address =
        "redis-cluster://"
            + String.join(
                ",", cluster.urls().stream().map(it -> it.replace("redis://", "")).toList());
  }

  @Override
  String address() {
    return address;
  }

  @Test
  void a_setting_of_all_nodes_is_one_finding_and_the_rules_of_a_cluster_are_asked_for() {
    for (RedisServer each : cluster.nodes()) {
      redis(each, "config set appendfsync everysec");
      redis(each, "acl setuser clerk on '>pw' '~*' +@all -cluster -asking");
    }
    try {
      InProcess program = new InProcess(folder);
      assertThat(program.run("doctor", "--store=" + address).lines())
          .filteredOn(it -> it.contains("have appendfsync everysec"))
          .hasSize(2)
          .allMatch(it -> it.matches("unsafe +settings +([0-9.:]+, )+[0-9.:]+ and [0-9.:]+.*"))
          .anyMatch(it -> it.contains(", replicas, have"));
      Result denied = program.run("doctor", "--store=" + address.replace("//", "//clerk:pw@"));
      assertThat(denied.code()).as(denied.err()).isEqualTo(1);
      assertThat(denied.out()).contains("ACL SETUSER clerk +asking +cluster|slots\n");
      String clerk = "--store=" + address.replace("//", "//clerk:pw@");
      for (String store : List.of(clerk, clerk.replaceFirst(",.*", ""))) {
        Result refused = program.run("claims", "stats", store);
        assertThat(refused.code()).isEqualTo(4);
        assertThat(refused.err()).contains("is of a cluster", "+cluster|slots +asking");
      }
    } finally {
      cluster.nodes().forEach(it -> redis(it, "config set appendfsync always"));
      cluster.nodes().forEach(it -> redis(it, "acl deluser clerk"));
    }
  }

  private void redis(RedisServer server, String command) {
    Shell.withProgram(folder).run("redis-cli -p " + server.address().getPort() + " " + command);
  }
}
