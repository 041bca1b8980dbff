package dev.onlyonce.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.WorkerProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that is killed again and again, while it handles keys. */
class KillTest {

  private static final int KILLS = 20;
  private static final Duration GUARD = Duration.ofSeconds(60);
  private static final Scope SCOPE = Scope.of("billing");

  @TempDir private Path directory;

  @Test
  @Semantics({8, 9, 20, 76})
  @Case({19, 29})
  void what_a_killed_process_had_said_is_done() {
    SplittableRandom random = new SplittableRandom(4711);
    List<Integer> done = new ArrayList<>();
    int next = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      try (WorkerProcess worker =
          WorkerProcess.of(KilledWorker.class)
              .arguments(directory.toString(), Integer.toString(next))
              .start()) {
        worker.awaitLine("ready", GUARD);
        int most = next;
        for (int lines = 1 + random.nextInt(400); lines > 0; lines--) {
          String line = worker.awaitLine(it -> it.startsWith("done "), GUARD);
          int number = Integer.parseInt(line.substring(5));
          done.add(number);
          most = Math.max(most, number);
        }
        worker.kill();
        next = most + 100; // beyond what it may have begun
      }
    }
    try (LocalStore store = LocalStore.open(directory)) {
      for (int number : done) {
        ClaimRecord record = store.find(SCOPE, Key.of("order-" + number)).orElseThrow();
        assertThat(record.state()).as("order-%d", number).isEqualTo(ClaimState.DONE);
        assertThat(text(record)).isEqualTo("receipt " + number + " " + record.token());
      }
    }
  }

  private static String text(ClaimRecord record) {
    return new String(((Result.Value) record.result()).bytes(), StandardCharsets.UTF_8);
  }
}
