package dev.onlyonce.services;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.testkit.process.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DiesWithItsJvmTest {
  private static final Duration GUARD = Duration.ofMinutes(3);

  enum State {
    RUNNING,
    PAUSED
  }

  @ParameterizedTest
  @EnumSource(State.class)
  void no_process_of_a_server_outlives_a_jvm_that_is_killed(State state, @TempDir Path folder)
      throws IOException {
    try (WorkerProcess jvm = jvmWithServers(state, folder)) {
      List<Long> pids = pidsOf(jvm);
      assertThat(pids).hasSizeGreaterThan(3).noneMatch(Signals::isDead);

      jvm.kill();

      boolean dead = Await.until(GUARD, () -> pids.stream().allMatch(Signals::isDead));
      pids.stream()
          .flatMap(it -> ProcessHandle.of(it).stream())
          .forEach(ProcessHandle::destroyForcibly);
      assertThat(dead).isTrue();
    }
  }

  @Test
  void a_jvm_that_exits_leaves_neither_processes_nor_files(@TempDir Path folder)
      throws IOException {
    try (WorkerProcess jvm = jvmWithServers(State.PAUSED, folder)) {
      List<Long> pids = pidsOf(jvm);

      jvm.terminate();
      jvm.awaitExit(GUARD);

      assertThat(pids).allMatch(Signals::isDead);
      try (Stream<Path> files = Files.list(folder)) {
        assertThat(files.filter(it -> it.getFileName().toString().startsWith("onlyonce-")))
            .isEmpty();
      }
    }
  }

  private static WorkerProcess jvmWithServers(State state, Path folder) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    return WorkerProcess.of(StartsServers.class)
        .arguments(state.name())
        .systemProperty("java.io.tmpdir", folder.toString())
        .start();
  }

  private static List<Long> pidsOf(WorkerProcess jvm) {
    String line = jvm.awaitLine(it -> it.startsWith("pids "), GUARD);
    return Arrays.stream(line.split(" ", -1)).skip(1).map(Long::valueOf).toList();
  }

  /** The program of the other JVM. */
  static final class StartsServers {
    private StartsServers() {}

    public static void main(String[] arguments) throws IOException {
      List<Server> servers =
          List.of(
              PostgreSqlServer.start(),
              MariaDbServer.start(),
              RedisServer.start(),
              KafkaBroker.start(),
              RabbitMqServer.start(),
              RocketMqServer.start());
      if (State.valueOf(arguments[0]) == State.PAUSED) {
        servers.forEach(Server::pause);
      }
      System.out.println(
          servers.stream()
              .flatMap(it -> ProcessHandle.of(it.pid()).stream())
              .flatMap(it -> Stream.concat(Stream.of(it), it.descendants()))
              .map(it -> Long.toString(it.pid()))
              .collect(Collectors.joining(" ", "pids ", "")));
      int unused = System.in.read(); // until it is killed
    }
  }
}
