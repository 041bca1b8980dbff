package dev.onlyonce.services;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

class RedisServerTest extends ServerContract<RedisServer> {

  @Override
  RedisServer start(IntSupplier ports, Map<String, String> settings) {
    return Server.start(new RedisServer(Programs.installed(), settings), ports);
  }

  @Override
  void write(RedisServer to, String value) throws IOException {
    RedisConnection.askOnce(to.url(), "RPUSH", "notes", value);
  }

  @Override
  List<String> read(RedisServer from) throws IOException {
    List<String> values = new ArrayList<>();
    try (RedisConnection connection = new RedisConnection(URI.create(from.url()))) {
      int length = Integer.parseInt(connection.ask("LLEN", "notes"));
      for (int i = 0; i < length; i++) {
        values.add(connection.ask("LINDEX", "notes", Integer.toString(i)));
      }
    }
    return values;
  }

  @Override
  String settingOf(RedisServer of, String name) throws IOException {
    return RedisConnection.askOnce(of.url(), "CONFIG", "GET", name).split("\n", 2)[1];
  }

  @Override
  Map.Entry<String, String> unsafeSetting() {
    return Map.entry("appendfsync", "no");
  }

  @Test
  void a_setting_of_several_words_is_one_setting() throws IOException {
    try (RedisServer server = RedisServer.start(Map.of("save", "900 1 300 10"))) {
      assertThat(settingOf(server, "save")).isEqualTo("900 1 300 10");
    }
  }

  @Test
  void a_replica_has_what_its_master_had_and_gets_what_comes() throws IOException {
    try (RedisServer master = RedisServer.start()) {
      write(master, "old");
      try (RedisServer replica = master.startReplica(Map.of())) {
        assertThat(read(replica)).containsExactly("old");

        write(master, "new");
        awaitContent(replica, "old", "new");
      }
    }
  }

  @Test
  void a_replica_follows_its_master_again_after_a_kill() throws IOException {
    try (RedisServer master = RedisServer.start();
        RedisServer replica = master.startReplica(Map.of())) {
      master.kill();
      master.restart();

      write(master, "new");
      awaitContent(replica, "new");
    }
  }

  /** WAIT on another connection than the one that wrote would not tell. */
  private void awaitContent(RedisServer replica, String... values) {
    assertThat(Await.until(Duration.ofSeconds(30), () -> has(replica, List.of(values)))).isTrue();
  }

  private boolean has(RedisServer replica, List<String> values) {
    try {
      return read(replica).equals(values);
    } catch (IOException e) {
      return false; // it is loading what its master has
    }
  }
}
