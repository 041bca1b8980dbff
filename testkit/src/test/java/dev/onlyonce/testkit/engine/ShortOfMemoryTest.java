package dev.onlyonce.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.WorkerProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A process that runs out of memory now and then, as small containers do. */
class ShortOfMemoryTest {

  /**
   * An entry that was half made read as done: its key, and others that got its slot, were told to
   * be duplicates though nobody had handled them.
   */
  @Test
  @Semantics({1, 77})
  void keys_that_met_an_out_of_memory_error_are_neither_lost_nor_taken_for_done() {
    try (WorkerProcess worker =
        WorkerProcess.of(ShortOfMemoryWorker.class)
            .jvmOptions("-Xmx40m", "-Xmn1m", "-XX:+UseSerialGC")
            .start()) {
      assertThat(worker.awaitExit(Duration.ofMinutes(5))).as("%s", worker.errorTail()).isZero();
    }
  }
}
