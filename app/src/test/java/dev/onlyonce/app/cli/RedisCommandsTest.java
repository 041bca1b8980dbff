package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The program on a store in Redis. */
@ExtendWith(Servers.class)
class RedisCommandsTest extends SharedStoreRules {

  private final String url;

  RedisCommandsTest(Database<RedisServer> database) {
    this.url = database.url();
  }

  @Override
  String address() {
    return url;
  }

  @Test
  void settings_that_forget_are_named() {
    try (RedisServer server =
        RedisServer.start(
            Map.of("appendonly", "no", "maxmemory", "64mb", "maxmemory-policy", "noeviction"))) {
      Result result =
          new InProcess(folder)
              .run("doctor", "--store=" + server.url(), "--rate=1000", "--retention=7d");

      assertThat(result.code()).isEqualTo(1);
      assertThat(result.out())
          .contains("has appendonly no: when it is started again")
          .containsPattern("(?m)^unsafe  window +the memory holds what comes in 0[.]");
    }
    try (RedisServer server =
        RedisServer.start(Map.of("maxmemory", "64mb", "maxmemory-policy", "allkeys-lru"))) {
      Result result = new InProcess(folder).run("doctor", "--store=" + server.url());

      assertThat(result.code()).isEqualTo(4);
      assertThat(result.err()).contains("has maxmemory-policy allkeys-lru");
    }
  }

  @Test
  void an_address_that_cannot_be_read_is_told_without_its_password() {
    Result result =
        new InProcess(folder).run("claims", "stats", "--store=redis://u:hush@127.0.0.1:notaport");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).doesNotContain("hush");
  }
}
