package dev.onlyonce.services;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server, the installed one.
 *
 * <p>By default: an append-only file, which is synced before each answer; no snapshots; replicas
 * are served without delay. Else Redis's own settings: no password, and no limit on its memory.
 */
public final class RedisServer extends Server {
  private static final Duration REPLICA_LIMIT = Duration.ofMinutes(1);

  private final Programs programs;
  private final Path data;
  private final Map<String, String> settings = new LinkedHashMap<>();
  private int tlsPort;
  private @Nullable Certificate certificate;

  RedisServer(Programs programs, Map<String, String> settings) {
    super("Redis");
    this.programs = programs;
    data = home().folder("data");
    this.settings.put("save", "");
    this.settings.put("appendonly", "yes");
    this.settings.put("appendfsync", "always");
    this.settings.put("repl-diskless-sync-delay", "0");
    this.settings.putAll(settings);
  }

  /** Starts one with the default settings. */
  public static RedisServer start() {
    return start(Map.of());
  }

  /** Starts one with directives of {@code redis.conf}. */
  public static RedisServer start(Map<String, String> settings) {
    return start(Programs.installed(), settings);
  }

  /** Starts one that takes connections with TLS, too, on a port of their own. */
  public static RedisServer startWithTls() {
    RedisServer server = new RedisServer(Programs.installed(), Map.of());
    server.tlsPort = Ports.free();
    server.certificate = Certificate.create(server.home());
    server.settings.put("tls-port", Integer.toString(server.tlsPort));
    server.settings.put("tls-cert-file", server.certificate.certificate().toString());
    server.settings.put("tls-key-file", server.certificate.key().toString());
    server.settings.put("tls-ca-cert-file", server.certificate.certificate().toString());
    server.settings.put("tls-auth-clients", "no");
    return start(server);
  }

  static RedisServer start(Programs programs, Map<String, String> settings) {
    return start(new RedisServer(programs, settings));
  }

  /** Starts a replica of this server, and waits until it has all data. It is closed by itself. */
  public RedisServer startReplica(Map<String, String> replicaSettings) {
    Map<String, String> all = new LinkedHashMap<>(replicaSettings);
    all.put("replicaof", "127.0.0.1 " + address().getPort());
    RedisServer replica = start(programs, all);
    if (!Await.until(REPLICA_LIMIT, replica::followsItsMaster)) {
      ServerException failure = replica.failure("did not reach its master");
      replica.close();
      throw failure;
    }
    return replica;
  }

  boolean followsItsMaster() {
    return says("master_link_status:up", "INFO", "replication");
  }

  /** Whether it answers, with an answer that contains the words. */
  boolean says(String words, String... question) {
    try {
      return RedisConnection.askOnce(url(), question).contains(words);
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  List<String> command(int port) {
    StringBuilder lines = new StringBuilder();
    lines.append("bind 127.0.0.1\nport ").append(port).append("\ndir ").append(data).append('\n');
    settings.forEach(
        (name, value) ->
            lines.append(name).append(' ').append(value.isEmpty() ? "\"\"" : value).append('\n'));
    Path file = home().file("redis.conf", List.of(lines.toString()));
    return List.of(programs.require("redis-server", "redis-server"), file.toString());
  }

  /** It answers PING when it has loaded its data. */
  @Override
  boolean answers(long pid) throws IOException {
    String pong = RedisConnection.askOnce(url(), "PING");
    String server = RedisConnection.askOnce(url(), "INFO", "server");
    return pong.equals("PONG") && server.contains("process_id:" + pid + "\r\n");
  }

  /** A URL such as {@code redis://127.0.0.1:12345}. */
  @Override
  public String url() {
    return "redis://127.0.0.1:" + address().getPort();
  }

  /** The URL for TLS, with the host name that its certificate has. */
  public String tlsUrl() {
    return "rediss://localhost:" + tlsPort;
  }

  /** A store of trusted certificates that has its own: PKCS #12, the password {@code changeit}. */
  public Path trustStore() {
    if (certificate == null) {
      throw new IllegalStateException("only a server with TLS has a certificate");
    }
    return certificate.trustStore();
  }
}
