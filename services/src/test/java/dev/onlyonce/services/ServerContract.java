package dev.onlyonce.services;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What every kind of server does. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ServerContract<S extends Server> {
  private final int freePort = Ports.free();
  private S server;

  /** Has an unsafe setting; the first port that it was given belonged to another program. */
  private S second;

  abstract S start(IntSupplier ports, Map<String, String> settings);

  /** Writes a value in such a way that it is to stay. */
  abstract void write(S to, String value) throws Exception;

  abstract List<String> read(S from) throws Exception;

  /** The value of a setting, as the server itself says it. */
  abstract String settingOf(S of, String name) throws Exception;

  /** A setting and a value of it that risks data. */
  abstract Map.Entry<String, String> unsafeSetting();

  /** A setting with which the server does not start. */
  Map.Entry<String, String> refusedSetting() {
    return Map.entry("no_such_setting", "17");
  }

  @BeforeAll
  void start() throws IOException {
    server = start(Ports::free, Map.of());
    try (Socket taken = new Socket()) {
      taken.setReuseAddress(false);
      taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.free()));
      Queue<Integer> ports = new ArrayDeque<>(List.of(taken.getLocalPort(), freePort));
      second = start(ports::remove, Map.ofEntries(unsafeSetting()));
    }
  }

  @AfterAll
  void close() {
    server.close();
    second.close();
  }

  final S server() {
    return server;
  }

  @Test
  void what_was_written_survives_a_kill() throws Exception {
    InetSocketAddress address = server.address();
    write(server, "before a kill");

    server.kill();
    assertThat(server.isRunning()).isFalse();
    server.restart();

    assertThat(read(server)).contains("before a kill");
    assertThat(server.address()).isEqualTo(address);
  }

  @Test
  void what_was_written_survives_a_stop() throws Exception {
    write(server, "before a stop");

    server.stop();
    assertThat(server.isRunning()).isFalse();
    server.restart();

    assertThat(read(server)).contains("before a stop");
  }

  @Test
  void a_running_server_is_stopped_before_it_is_started_again() throws Exception {
    long pid = server.pid();

    server.restart();

    assertThat(server.pid()).isNotEqualTo(pid);
    assertThat(server.isReady(server.pid())).isTrue();
  }

  @Test
  void a_paused_server_does_not_answer_until_it_is_resumed() {
    server.pause();
    assertThat(server.isRunning()).isTrue();
    assertThat(server.isReady(server.pid())).isFalse();

    server.resume();
    assertThat(Await.until(Duration.ofSeconds(30), () -> server.isReady(server.pid()))).isTrue();
  }

  @Test
  void a_paused_server_can_be_killed_and_stopped() {
    server.pause();
    server.kill();
    server.restart();

    server.pause();
    server.stop();
    server.restart();

    assertThat(server.isReady(server.pid())).isTrue();
  }

  @Test
  void a_server_that_is_not_there_is_not_killed_again() {
    server.kill();
    try {
      assertThatThrownBy(server::kill)
          .isInstanceOf(ServerException.class)
          .hasMessageContaining("does not run and cannot be killed");
    } finally {
      server.restart();
    }
  }

  @Test
  void it_listens_on_the_loopback_interface_only() throws IOException {
    List<InetAddress> addresses = new ArrayList<>(ListeningSockets.addressesOf(server.pid()));
    for (ProcessHandle descendant :
        ProcessHandle.of(server.pid()).orElseThrow().descendants().toList()) {
      addresses.addAll(ListeningSockets.addressesOf(descendant.pid()));
    }
    assertThat(addresses).isNotEmpty().allMatch(InetAddress::isLoopbackAddress);
  }

  @Test
  void a_port_that_was_taken_meanwhile_is_replaced_by_another() {
    assertThat(second.address().getPort()).isEqualTo(freePort);
  }

  @Test
  void a_setting_that_the_server_refuses_is_told_in_its_own_words() {
    assertThatThrownBy(() -> start(Ports::free, Map.ofEntries(refusedSetting())))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("ended with")
        .hasMessageContaining(refusedSetting().getKey());
  }

  @Test
  void the_caller_s_settings_win_even_when_they_are_unsafe() throws Exception {
    String name = unsafeSetting().getKey();
    String unsafe = unsafeSetting().getValue();

    assertThat(settingOf(second, name)).isEqualTo(unsafe);
    assertThat(settingOf(server, name)).isNotEqualTo(unsafe);
  }

  @Test
  void a_closed_server_is_gone_with_its_data() {
    S third = start(Ports::free, Map.of());
    Path directory = third.home().directory();
    long pid = third.pid();
    assertThat(directory).isDirectory();

    third.close();
    third.close();

    assertThat(Signals.isDead(pid)).isTrue();
    assertThat(Files.exists(directory)).isFalse();
    assertThatThrownBy(third::restart).hasMessageContaining("is closed");
  }

  @Test
  void it_outlives_the_thread_that_started_it() throws InterruptedException {
    Thread thread = new Thread(server::restart);
    thread.start();
    thread.join();

    assertThat(server.isReady(server.pid())).isTrue();
  }
}
