package dev.onlyonce.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.WorkerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two processes with eight threads each, and all of them want every key. */
@ExtendWith(Servers.class)
class ProcessRaceTest {

  private static final Duration GUARD = Duration.ofMinutes(2);
  private static final int KEYS = 2_000;

  @Test
  @Semantics({1, 2, 3})
  @Case(23)
  void two_processes_handle_each_key_once_on_one_server(RedisServer server) {
    Raw.syncLater(server);
    race(List.of(server.url()));
  }

  @Test
  @Semantics({1, 2, 3})
  @Case(23)
  void two_processes_handle_each_key_once_on_a_cluster(RedisCluster cluster) {
    cluster.nodes().forEach(Raw::syncLater);
    race(cluster.urls());
  }

  private static void race(List<String> uris) {
    List<String> arguments = new ArrayList<>(List.of(Integer.toString(KEYS)));
    arguments.addAll(uris);
    List<WorkerProcess> racers = new ArrayList<>();
    List<String> handled = new ArrayList<>();
    try {
      for (int i = 0; i < 2; i++) {
        racers.add(
            WorkerProcess.of(RacingWorker.class)
                .name("racer-" + i)
                .arguments(arguments.toArray(String[]::new))
                .start());
      }
      racers.forEach(it -> it.awaitLine("ready", GUARD));
      racers.forEach(it -> it.send("go"));
      for (WorkerProcess each : racers) {
        int before = handled.size();
        for (String line = next(each); !line.equals("end"); line = next(each)) {
          handled.add(line);
        }
        assertThat(handled).as("%s has won some", each.name()).hasSizeGreaterThan(before);
      }
    } finally {
      racers.forEach(WorkerProcess::close);
    }
    assertThat(handled).allMatch(it -> it.startsWith("HELD "));
    assertThat(handled).doesNotHaveDuplicates().hasSize(KEYS);
  }

  private static String next(WorkerProcess racer) {
    return racer.awaitLine(line -> true, GUARD);
  }
}
