package dev.onlyonce.services;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A RabbitMQ server, the installed one, as a node of its own: with a daemon of its own that knows
 * its name (epmd), a cookie of its own, and no plugin.
 *
 * <p>By default: RabbitMQ's own settings. Its user {@code guest} may do everything; the password is
 * in {@link #url}.
 */
public final class RabbitMqServer extends Server {
  private static final Path DEBIAN = Path.of("/usr/lib/rabbitmq/lib");
  private static final int LIMIT_MILLIS = 2_000;
  private static final byte[] GREETING = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
  private static final int START_BYTES_LIMIT = 64 * 1024;

  /**
   * The node would start a daemon that outlives it, if it found none. The shell becomes the node,
   * whose end ends this one.
   */
  private static final String WITH_EPMD =
      "setpriv --pdeathsig=KILL epmd & epmd=$!; "
          + "until timeout 5 epmd -names >/dev/null 2>&1; "
          + "do sleep 0.05; kill -0 $epmd 2>/dev/null || exit 1; done; exec \"$@\"";

  private final Path scripts;
  private final Path data;
  private final String id = "onlyonce-" + UUID.randomUUID();
  private final Map<String, String> settings = new LinkedHashMap<>();
  private final Map<String, String> environment = new LinkedHashMap<>();

  RabbitMqServer(Path scripts, Map<String, String> settings) {
    super("RabbitMQ");
    this.scripts = scripts;
    data = home().folder("data");
    this.settings.put("cluster_name", id);
    this.settings.putAll(settings);
  }

  /** Starts one with the default settings. */
  public static RabbitMqServer start() {
    return start(Map.of());
  }

  /** Starts one with settings of {@code rabbitmq.conf}. */
  public static RabbitMqServer start(Map<String, String> settings) {
    return start(new RabbitMqServer(scripts(), settings));
  }

  static Path scripts() {
    return scripts(Programs.installed(), DEBIAN);
  }

  /** The folder of the scripts themselves: what Debian has in the PATH changes the user first. */
  static Path scripts(Programs programs, Path debian) {
    return newestOf(debian)
        .or(() -> programs.find("rabbitmq-server").map(Path::getParent))
        .filter(it -> Files.isRegularFile(it.resolve("rabbitmq-env")))
        .orElseThrow(() -> programs.missing("rabbitmq-server", "rabbitmq-server"));
  }

  private static Optional<Path> newestOf(Path debian) {
    if (!Files.isDirectory(debian)) {
      return Optional.empty();
    }
    try (Stream<Path> versions = Files.list(debian)) {
      return versions.max(Comparator.naturalOrder()).map(it -> it.resolve("sbin"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  List<String> command(int port) {
    List<String> lines = new ArrayList<>(List.of("listeners.tcp.1 = 127.0.0.1:" + port));
    settings.forEach((name, value) -> lines.add(name + " = " + value));
    Path folder = home().directory();
    environment.put("RABBITMQ_CONFIG_FILE", home().file("rabbitmq.conf", lines).toString());
    environment.put(
        "RABBITMQ_ENABLED_PLUGINS_FILE", home().file("plugins", List.of("[].")).toString());
    environment.put("RABBITMQ_MNESIA_BASE", data.toString());
    environment.put("RABBITMQ_LOG_BASE", folder.toString());
    environment.put("RABBITMQ_LOGS", "-");
    // Those of the machine are not for this one.
    environment.put("RABBITMQ_CONF_ENV_FILE", folder.resolve("no.conf").toString());
    environment.put("RABBITMQ_ADVANCED_CONFIG_FILE", folder.resolve("no.config").toString());
    environment.put("RABBITMQ_NODENAME", "onlyonce@localhost");
    environment.put("RABBITMQ_DIST_PORT", Integer.toString(Ports.free()));
    environment.put("ERL_EPMD_PORT", Integer.toString(Ports.free()));
    environment.put("ERL_EPMD_ADDRESS", "127.0.0.1");
    environment.put("ERL_CRASH_DUMP_SECONDS", "0");
    String loopback = "-kernel inet_dist_use_interface {127,0,0,1}";
    environment.put("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", loopback);
    environment.put("RABBITMQ_CTL_ERL_ARGS", loopback + " -start_epmd false");
    environment.put("RUNNING_UNDER_SYSTEMD", "true"); // the script becomes the server
    return inEnvironment("/bin/sh", "-c", WITH_EPMD, "sh", script("rabbitmq-server"));
  }

  private String script(String name) {
    return scripts.resolve(name).toString();
  }

  private List<String> inEnvironment(String... program) {
    List<String> command = new ArrayList<>(List.of("/usr/bin/env"));
    environment.forEach((name, value) -> command.add(name + "=" + value));
    command.addAll(Arrays.asList(program));
    return command;
  }

  /** Runs {@code rabbitmqctl} and returns what it prints, without headings. */
  public synchronized String ctl(String... words) {
    pid(); // throws if it does not run
    List<String> command = inEnvironment(script("rabbitmqctl"), "--quiet");
    command.addAll(Arrays.asList(words));
    return Child.output(home(), command);
  }

  /** What it says first has the name of its cluster. */
  @Override
  boolean answers(long pid) throws IOException {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(LIMIT_MILLIS);
      socket.connect(address(), LIMIT_MILLIS);
      socket.getOutputStream().write(GREETING);
      return new String(frame(socket.getInputStream()), ISO_8859_1).contains(id);
    }
  }

  /** A frame of AMQP 0-9-1: its type, its channel, the length of what follows. */
  private static byte[] frame(InputStream answers) throws IOException {
    byte[] head = answers.readNBytes(7);
    if (head.length < 7) {
      throw new IOException("RabbitMQ answers nothing");
    }
    int length = ByteBuffer.wrap(head).getInt(3);
    return answers.readNBytes(Math.min(Math.max(length, 0), START_BYTES_LIMIT));
  }

  @Override
  boolean saysThatAPortIsTaken(String log) {
    return log.contains("eaddrinuse")
        || log.contains("could not bind to distribution port")
        || super.saysThatAPortIsTaken(log);
  }

  /** A URI such as {@code amqp://guest:guest@127.0.0.1:12345}, for the virtual host {@code /}. */
  @Override
  public String url() {
    return "amqp://guest:guest@127.0.0.1:" + address().getPort();
  }
}
