package dev.onlyonce.services;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A RocketMQ name server with one broker, from the jars that Maven brings, in a JVM with a heap of
 * 384 MB.
 *
 * <p>By default: what is acknowledged is synced; topics are not made by being used. The broker does
 * not serve replicas.
 */
public final class RocketMqServer extends Server {
  private static final JarServer JARS = new JarServer("rocketmq", "384m");
  private static final Duration ROUTE_LIMIT = Duration.ofMinutes(1);
  private static final int LIMIT_MILLIS = 2_000;
  private static final int UPDATE_AND_CREATE_TOPIC = 17;
  private static final int GET_BROKER_CONFIG = 26;
  private static final int GET_ROUTE = 105;
  private static final int GET_CLUSTER = 106;

  private final String id = "broker-" + UUID.randomUUID();
  private final Map<String, String> settings = new LinkedHashMap<>();
  private int nameServerPort;
  private volatile int brokerPort;

  RocketMqServer(Map<String, String> settings) {
    super("RocketMQ", RunAs.SELF);
    Path data = home().folder("data");
    this.settings.put("brokerClusterName", "onlyonce");
    this.settings.put("brokerName", id);
    this.settings.put("brokerIP1", "127.0.0.1");
    this.settings.put("bindAddress", "127.0.0.1");
    this.settings.put("brokerIP2", "127.0.0.1");
    this.settings.put("storePathRootDir", data.toString());
    this.settings.put("storePathCommitLog", data.resolve("commitlog").toString());
    this.settings.put("mappedFileSizeCommitLog", "16777216");
    this.settings.put("mappedFileSizeConsumeQueue", "60000");
    this.settings.put("maxIndexNum", "10000");
    this.settings.put("maxHashSlotNum", "2500");
    this.settings.put("flushDiskType", "SYNC_FLUSH");
    this.settings.put("autoCreateTopicEnable", "false");
    this.settings.putAll(settings);
  }

  /** Starts one with the default settings. */
  public static RocketMqServer start() {
    return start(Map.of());
  }

  /** Starts one with properties of a broker. */
  public static RocketMqServer start(Map<String, String> settings) {
    return start(new RocketMqServer(settings));
  }

  /** The broker keeps its port, too: clients look for another one only every half minute. */
  @Override
  List<String> command(int port) {
    if (port != nameServerPort) {
      nameServerPort = port;
      brokerPort = brokerPort(port);
    }
    Map<String, String> all = new LinkedHashMap<>();
    all.put("namesrvPort", Integer.toString(port));
    all.put("namesrvAddr", url());
    all.put("listenPort", Integer.toString(brokerPort));
    all.putAll(settings);
    List<String> lines = new ArrayList<>();
    all.forEach((name, value) -> lines.add(name + "=" + value));
    return JARS.java(
        home(),
        "-XX:MaxDirectMemorySize=128m",
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        "-Duser.home=" + home().directory(),
        "-Drocketmq.home.dir=" + home().directory(),
        "-Dtls.server.mode=disabled",
        "-Dtls.test.mode.enable=false",
        "dev.onlyonce.services.rocketmq.RocketMq",
        home().file("broker.properties", lines).toString());
  }

  /** The broker has a second one, two below. */
  private static int brokerPort(int taken) {
    int port = Ports.free();
    while (port - 2 == taken) {
      port = Ports.free();
    }
    return port;
  }

  /** It is there when its name server knows its broker. */
  @Override
  boolean answers(long pid) throws IOException {
    String cluster = ask(address(), GET_CLUSTER, "");
    if (!cluster.contains("\"127.0.0.1:")) {
      throw new IOException("the name server does not know a broker yet");
    }
    return cluster.contains(id);
  }

  /** Its clean end takes half a minute, and keeps no more than this. */
  @Override
  String stopSignal() {
    return "KILL";
  }

  /** What clients call the address of the name server. */
  @Override
  public String url() {
    return "127.0.0.1:" + address().getPort();
  }

  /** Makes a topic, or changes how many queues it has, and waits until clients find it. */
  public void createTopic(String topic, int queues) {
    try {
      String fields =
          "\"topic\":\"%s\",\"defaultTopic\":\"TBW102\",\"readQueueNums\":\"%d\",\"writeQueueNums\":\"%d\",\"perm\":\"6\",\"topicFilterType\":\"SINGLE_TAG\",\"topicSysFlag\":\"0\",\"order\":\"false\""
              .formatted(topic, queues, queues);
      String unused = ask(broker(), UPDATE_AND_CREATE_TOPIC, fields);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!Await.until(ROUTE_LIMIT, () -> isRouted(topic))) {
      throw failure("did not make the topic " + topic + " known within " + ROUTE_LIMIT);
    }
  }

  private boolean isRouted(String topic) {
    try {
      return ask(address(), GET_ROUTE, "\"topic\":\"" + topic + "\"").contains(id);
    } catch (IOException e) {
      return false;
    }
  }

  /** The broker's properties, as lines. */
  String configuration() throws IOException {
    return ask(broker(), GET_BROKER_CONFIG, "");
  }

  private InetSocketAddress broker() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), brokerPort);
  }

  /**
   * The body of the answer to a remoting command: the length of all that follows, the length of the
   * header, the header in JSON, the body. Throws if its code is not 0.
   */
  private static String ask(InetSocketAddress whom, int code, String fields) throws IOException {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(LIMIT_MILLIS);
      socket.connect(whom, LIMIT_MILLIS);
      String header =
          "{\"code\":%d,\"language\":\"JAVA\",\"version\":500,\"opaque\":1,\"flag\":0,\"extFields\":{%s}}"
              .formatted(code, fields);
      byte[] bytes = header.getBytes(UTF_8);
      ByteArrayOutputStream request = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(request);
      out.writeInt(Integer.BYTES + bytes.length);
      out.writeInt(bytes.length);
      out.write(bytes);
      request.writeTo(socket.getOutputStream());

      DataInputStream answer = new DataInputStream(socket.getInputStream());
      int length = answer.readInt();
      int headerLength = answer.readInt() & 0xff_ffff;
      String answered = new String(answer.readNBytes(headerLength), UTF_8);
      if (!answered.contains("\"code\":0,")) {
        throw new IOException("RocketMQ answers " + answered);
      }
      return new String(answer.readNBytes(length - Integer.BYTES - headerLength), UTF_8);
    }
  }
}
