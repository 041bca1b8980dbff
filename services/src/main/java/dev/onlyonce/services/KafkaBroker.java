package dev.onlyonce.services;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A Kafka broker that is its own controller (KRaft), from the jars that Maven brings, in a JVM with
 * a heap of 256 MB.
 *
 * <p>By default: Kafka's own settings as far as one node can have them, with one partition for
 * offsets and one for transactions; topics are not made by being used; a consumer group does not
 * wait for more members. Clients need no password. What it has acknowledged survives a kill of its
 * process, not one of the system: it is not synced.
 */
public final class KafkaBroker extends Server {
  private static final JarServer JARS = new JarServer("kafka", "256m");
  private static final String LOG_LEVEL = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn";

  private final String clusterId = randomId();
  private final Map<String, String> settings = new LinkedHashMap<>();

  KafkaBroker(Map<String, String> settings) {
    super("Kafka", RunAs.SELF);
    this.settings.put("process.roles", "broker,controller");
    this.settings.put("node.id", "1");
    this.settings.put("controller.listener.names", "CONTROLLER");
    this.settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    this.settings.put("log.dirs", home().folder("data").toString());
    for (String topic : List.of("offsets.topic", "transaction.state.log")) {
      this.settings.put(topic + ".num.partitions", "1");
      this.settings.put(topic + ".replication.factor", "1");
    }
    this.settings.put("transaction.state.log.min.isr", "1");
    this.settings.put("share.coordinator.state.topic.num.partitions", "1");
    this.settings.put("share.coordinator.state.topic.replication.factor", "1");
    this.settings.put("share.coordinator.state.topic.min.isr", "1");
    this.settings.put("group.initial.rebalance.delay.ms", "0");
    this.settings.put("broker.session.timeout.ms", "3000"); // for so long it misses who was killed
    this.settings.put("broker.heartbeat.interval.ms", "300");
    this.settings.put("auto.create.topics.enable", "false");
    this.settings.put("log.cleaner.dedupe.buffer.size", "8388608"); // else half of the heap
    this.settings.putAll(settings);
  }

  /** Starts one with the default settings. */
  public static KafkaBroker start() {
    return start(Map.of());
  }

  /** Starts one with properties of a broker. */
  public static KafkaBroker start(Map<String, String> settings) {
    return start(new KafkaBroker(settings));
  }

  /** As Kafka makes them itself: sixteen bytes in Base64 for URLs, without padding. */
  private static String randomId() {
    UUID id = UUID.randomUUID();
    ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES);
    bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  /** With ports that nobody connects to: it only looks at the settings. */
  @Override
  void prepare() {
    String file = configuration(1, 2).toString();
    String id = "--cluster-id=" + clusterId;
    Child.run(
        home(),
        JARS.java(home(), LOG_LEVEL, "kafka.tools.StorageTool", "format", id, "--config", file));
  }

  @Override
  List<String> command(int port) {
    return JARS.java(
        home(), LOG_LEVEL, "kafka.Kafka", configuration(port, Ports.free()).toString());
  }

  private Path configuration(int port, int controllerPort) {
    String controller = "127.0.0.1:" + controllerPort;
    Map<String, String> all = new LinkedHashMap<>();
    all.put("listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://" + controller);
    all.put("controller.quorum.voters", "1@" + controller);
    all.putAll(settings);
    List<String> lines = new ArrayList<>();
    all.forEach((name, value) -> lines.add(name + "=" + value));
    return home().file("server.properties", lines);
  }

  @Override
  boolean answers(long pid) throws IOException {
    return KafkaQuestion.clusterId(address()).equals(clusterId);
  }

  /** What clients call {@code bootstrap.servers}. */
  @Override
  public String url() {
    return "127.0.0.1:" + address().getPort();
  }
}
