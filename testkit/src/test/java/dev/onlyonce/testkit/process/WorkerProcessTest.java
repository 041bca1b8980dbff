package dev.onlyonce.testkit.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkerProcessTest {
  /** No test is about this time; it only keeps one that hangs from hanging for ever. */
  private static final Duration GUARD = Duration.ofSeconds(60);

  private static WorkerProcess start() {
    return ready(WorkerProcess.of(EchoWorker.class));
  }

  private static WorkerProcess ready(WorkerProcess.Builder builder) {
    WorkerProcess worker = builder.start();
    worker.awaitLine(line -> line.startsWith("ready"), GUARD);
    return worker;
  }

  private static String ask(WorkerProcess worker, String line) {
    worker.send(line);
    return worker.awaitLine(answer -> true, GUARD);
  }

  /** Whether the process runs; one that is dead but not reaped by whoever inherited it does not. */
  private static boolean isAlive(long pid) {
    try {
      return !Files.readString(Path.of("/proc/" + pid + "/stat"), ISO_8859_1).contains(") Z ");
    } catch (IOException e) {
      return Files.notExists(Path.of("/proc"))
          && ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
  }

  @Test
  void a_worker_gets_its_arguments_options_variables_and_directory(@TempDir Path directory)
      throws Exception {
    WorkerProcess.Builder builder =
        WorkerProcess.of(EchoWorker.class)
            .name("bank")
            .arguments("a b", "")
            .arguments("c")
            .jvmOptions("-Dfirst=1", "-XX:+UseParallelGC")
            .systemProperty("user.timezone", "Pacific/Apia")
            .environment("COLOUR", "red")
            .directory(directory);
    try (WorkerProcess worker = builder.start()) {
      worker.awaitLine("ready a b,,c", GUARD);
      assertThat(worker.name()).isEqualTo("bank");
      assertThat(ask(worker, "property first")).isEqualTo("1");
      assertThat(ask(worker, "zone ")).isEqualTo("Pacific/Apia");
      assertThat(ask(worker, "variable COLOUR")).isEqualTo("red");
      assertThat(Path.of(ask(worker, "directory ")).toRealPath()).isEqualTo(directory.toRealPath());
    }
  }

  @Test
  void lines_are_utf_8_in_both_directions() {
    try (WorkerProcess worker = start()) {
      String line = "caf\u00e9 \u8ba2\u5355 \ud83d\ude00";
      assertThat(ask(worker, "echo " + line)).isEqualTo(line);
    }
  }

  @Test
  void a_line_can_be_taken_once_and_the_others_stay() {
    try (WorkerProcess worker = start()) {
      worker.send("echo first");
      worker.send("echo second");
      worker.send("echo second");
      worker.awaitLine("second", GUARD);
      worker.awaitLine("first", GUARD);
      worker.awaitLine("second", GUARD);
      assertThatThrownBy(() -> worker.awaitLine("second", Duration.ZERO))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("did not write the line second within PT0S");
    }
  }

  @Test
  void the_last_lines_stay_when_a_worker_writes_more_than_is_taken() {
    try (WorkerProcess worker = start()) {
      worker.send("flood 12000");
      worker.awaitLine("flood 11999", GUARD);
      worker.awaitLine("flood 2001", Duration.ZERO);
      assertThatThrownBy(() -> worker.awaitLine("flood 1", Duration.ZERO))
          .isInstanceOf(AssertionError.class);
    }
  }

  @Test
  void a_line_with_a_line_feed_is_not_sent() {
    try (WorkerProcess worker = start()) {
      assertThatThrownBy(() -> worker.send("echo a\nexit 3"))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(ask(worker, "echo b")).isEqualTo("b");
    }
  }

  @Test
  void a_worker_that_exits_gives_its_exit_code() {
    try (WorkerProcess worker = start()) {
      worker.send("exit 7");
      assertThat(worker.awaitExit(GUARD)).isEqualTo(7);
      assertThat(worker.isAlive()).isFalse();
      assertThat(worker.kill()).isFalse();
      assertThatThrownBy(() -> worker.send("echo a")).isInstanceOf(UncheckedIOException.class);
      assertThatThrownBy(worker::suspend).isInstanceOf(AssertionError.class);
    }
  }

  @Test
  void a_failed_wait_tells_how_the_worker_ended_and_its_last_words() {
    try (WorkerProcess worker = start()) {
      worker.send("echo so far so good");
      worker.send("throw out of money");
      assertThatThrownBy(() -> worker.awaitLine("done", GUARD))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("worker EchoWorker (pid " + worker.pid() + ", exited with 1)")
          .hasMessageContaining("ended without the line done")
          .hasMessageContaining("  so far so good")
          .hasMessageContaining("IllegalStateException: out of money");
      assertThat(worker.errorTail()).anyMatch(line -> line.contains("out of money"));
    }
  }

  @Test
  void a_terminated_worker_exits() {
    try (WorkerProcess worker = start()) {
      worker.terminate();
      assertThat(worker.awaitExit(GUARD)).isEqualTo(128 + 15);
    }
  }

  @Test
  void a_killed_worker_is_gone_when_kill_returns_and_what_it_began_to_write_is_no_line() {
    try (WorkerProcess worker = start()) {
      worker.send("begin done 12");
      assertThat(ask(worker, "echo 3")).isEqualTo("done 123");
      worker.send("begin done 12");
      worker.send("error begun");
      Await.until("the beginning", GUARD, () -> worker.errorTail().contains("begun"));
      assertThat(worker.kill()).isTrue();
      assertThat(isAlive(worker.pid())).isFalse();
      assertThat(worker.awaitExit(Duration.ZERO)).isEqualTo(128 + 9);
      assertThatThrownBy(() -> worker.awaitLine(line -> line.startsWith("done"), GUARD))
          .hasMessageContaining("exited with 137");
    }
  }

  @Test
  void the_lines_of_a_killed_worker_can_still_be_taken() {
    try (WorkerProcess worker = start()) {
      worker.send("flood 1000");
      worker.send("error flooded");
      Await.until("the flood", GUARD, () -> worker.errorTail().contains("flooded"));
      worker.kill();
      worker.awaitLine("flood 0", GUARD);
      worker.awaitLine("flood 999", GUARD);
    }
  }

  @Test
  void a_suspended_worker_stands_still_until_it_is_resumed() {
    try (WorkerProcess worker = start();
        WorkerProcess other = start()) {
      worker.suspend();
      assertThat(worker.isAlive()).isTrue();
      assertThat(worker.toString()).endsWith(", suspended)");
      worker.send("echo awake");
      // Another worker does the same many times over in the meantime.
      for (int i = 0; i < 100; i++) {
        assertThat(ask(other, "echo " + i)).isEqualTo("" + i);
      }
      assertThatThrownBy(() -> worker.awaitLine("awake", Duration.ZERO))
          .hasMessageContaining("suspended");
      worker.resume();
      worker.awaitLine("awake", GUARD);
      assertThat(worker.toString()).endsWith(", running)");
    }
  }

  @Test
  void a_suspended_worker_can_be_killed() {
    try (WorkerProcess worker = start()) {
      worker.suspend();
      assertThat(worker.kill()).isTrue();
    }
  }

  @Test
  void a_closed_worker_is_gone_with_what_it_had_started() {
    long child;
    try (WorkerProcess worker = start()) {
      child = Long.parseLong(ask(worker, "fork "));
      assertThat(isAlive(child)).isTrue();
      worker.close();
      assertThat(worker.isAlive()).isFalse();
    }
    Await.until("the child to be gone", GUARD, () -> !isAlive(child));
  }

  @Test
  void no_worker_outlives_a_parent_that_exits() {
    try (WorkerProcess parent = start()) {
      long child = Long.parseLong(ask(parent, "fork "));
      parent.send("exit 0");
      parent.awaitExit(GUARD);
      Await.until("the child to be gone", GUARD, () -> !isAlive(child));
    }
  }

  @Test
  void no_worker_outlives_a_parent_that_is_killed() {
    try (WorkerProcess parent = start()) {
      long child = Long.parseLong(ask(parent, "fork "));
      assertThat(parent.kill()).isTrue();
      Await.until("the child to be gone", GUARD, () -> !isAlive(child));
    }
  }

  @Test
  void an_interrupted_wait_ends_and_the_thread_stays_interrupted() {
    try (WorkerProcess worker = start()) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> worker.awaitLine("never", GUARD))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("interrupt");
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void a_program_that_cannot_be_started_is_said_to_be_so(@TempDir Path directory) {
    WorkerProcess.Builder builder =
        WorkerProcess.of(EchoWorker.class).directory(directory.resolve("absent"));
    assertThatThrownBy(builder::start).isInstanceOf(UncheckedIOException.class);
  }

  @Test
  void a_wait_for_a_condition_that_does_not_come_says_for_what() {
    assertThatThrownBy(() -> Await.until("rain", Duration.ofMillis(1), () -> false))
        .isInstanceOf(AssertionError.class)
        .hasMessage("waited PT0.001S for rain");
    Await.until("the second look", Duration.ZERO, lookingTwice());
  }

  private static BooleanSupplier lookingTwice() {
    int[] looks = {0};
    return () -> ++looks[0] == 2;
  }
}
