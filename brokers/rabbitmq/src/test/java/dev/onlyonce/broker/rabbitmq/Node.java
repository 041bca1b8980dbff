package dev.onlyonce.broker.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import dev.onlyonce.services.RabbitMqServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** What tests do at a server beside what they test. */
final class Node implements AutoCloseable {
  static final Map<String, Object> QUORUM = Map.of("x-queue-type", "quorum");

  private static final AtomicInteger NAMES = new AtomicInteger();

  private final String url;
  private Connection connection;
  private Channel channel;

  Node(RabbitMqServer server) throws Exception {
    url = server.url();
    connect();
  }

  /** Connects anew, after a restart of the server. */
  void connect() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(url);
    factory.setAutomaticRecoveryEnabled(false);
    connection = factory.newConnection();
    channel = connection.createChannel();
    channel.confirmSelect();
  }

  RabbitBroker broker() {
    return RabbitBroker.at(url);
  }

  Channel channel() {
    return channel;
  }

  /** A name that no other test uses. */
  static String name(String prefix) {
    return prefix + "-" + NAMES.incrementAndGet();
  }

  /** Makes a durable queue of a new name. */
  String queue(Map<String, Object> arguments) throws Exception {
    String name = name("orders");
    channel.queueDeclare(name, true, false, false, arguments);
    return name;
  }

  String queue() throws Exception {
    return queue(Map.of());
  }

  String quorumQueue(Object... more) throws Exception {
    Map<String, Object> arguments = new HashMap<>(QUORUM);
    for (int i = 0; i < more.length; i += 2) {
      arguments.put((String) more[i], more[i + 1]);
    }
    return queue(arguments);
  }

  void send(String queue, String... bodies) throws Exception {
    for (String body : bodies) {
      send(queue, properties().build(), body);
    }
  }

  void send(String queue, BasicProperties properties, String body) throws Exception {
    channel.basicPublish("", queue, properties, bytes(body));
    channel.waitForConfirmsOrDie();
  }

  /** Of a message that survives a restart. */
  static BasicProperties.Builder properties() {
    return new BasicProperties.Builder().deliveryMode(2);
  }

  /** How many messages are ready there, and not with a consumer. */
  long ready(String queue) {
    try {
      return channel.messageCount(queue);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Takes all messages that are ready there away. */
  List<GetResponse> drain(String queue) throws Exception {
    List<GetResponse> all = new ArrayList<>();
    GetResponse next = channel.basicGet(queue, true);
    while (next != null) {
      all.add(next);
      next = channel.basicGet(queue, true);
    }
    return all;
  }

  /** Takes all messages away, and returns what they say. */
  List<String> drainBodies(String queue) throws Exception {
    return drain(queue).stream().map(it -> new String(it.getBody(), UTF_8)).toList();
  }

  static List<String> numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(Integer::toString).toList();
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @Override
  public void close() {
    connection.abort(10_000);
  }
}
