package dev.onlyonce.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.services.RedisServer;
import dev.onlyonce.testkit.process.WorkerProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A server with TLS, whose certificate is for localhost and was signed by itself. */
class TlsTest {

  private static final Duration GUARD = Duration.ofMinutes(1);

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.startWithTls();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String answer(String trustStore, String uri) {
    try (WorkerProcess worker =
        WorkerProcess.of(TlsWorker.class).arguments(trustStore, uri).start()) {
      return worker.awaitLine(line -> true, GUARD);
    }
  }

  @Test
  void a_server_whose_certificate_is_trusted_is_used() {
    assertThat(answer(server.trustStore().toString(), server.tlsUrl())).isEqualTo("[HELD]");
  }

  @Test
  void a_certificate_that_nobody_vouches_for_is_not_taken() {
    assertThat(answer("default", server.tlsUrl()))
        .startsWith("UNAVAILABLE no store can be opened at " + server.tlsUrl())
        .contains("unable to find valid certification path");
  }

  @Test
  void a_certificate_of_another_host_is_not_taken() {
    String other = server.tlsUrl().replace("localhost", "127.0.0.1");
    assertThat(answer(server.trustStore().toString(), other))
        .startsWith("UNAVAILABLE")
        .contains("No subject alternative names matching IP address 127.0.0.1");
  }
}
