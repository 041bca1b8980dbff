package dev.onlyonce.services;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

class RabbitMqServerTest extends ServerContract<RabbitMqServer> {
  private static final String NOTES = "notes";

  @Override
  RabbitMqServer start(IntSupplier ports, Map<String, String> settings) {
    return Server.start(new RabbitMqServer(RabbitMqServer.scripts(), settings), ports);
  }

  @Override
  void write(RabbitMqServer to, String value) throws Exception {
    try (Connection connection = connect(to);
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(NOTES, true, false, false, Map.of());
      channel.confirmSelect();
      byte[] body = value.getBytes(StandardCharsets.UTF_8);
      channel.basicPublish("", NOTES, MessageProperties.PERSISTENT_BASIC, body);
      channel.waitForConfirmsOrDie();
    }
  }

  /** Without an acknowledgement, so that they go back. */
  @Override
  List<String> read(RabbitMqServer from) throws Exception {
    List<String> values = new ArrayList<>();
    try (Connection connection = connect(from);
        Channel channel = connection.createChannel()) {
      GetResponse next = channel.basicGet(NOTES, false);
      while (next != null) {
        values.add(new String(next.getBody(), StandardCharsets.UTF_8));
        next = channel.basicGet(NOTES, false);
      }
    }
    return values;
  }

  @Override
  String settingOf(RabbitMqServer of, String name) {
    return of.ctl("eval", "application:get_env(rabbit, " + name + ").")
        .strip()
        .replaceAll("^\\{ok,(.*)\\}$", "$1");
  }

  /** What the losing side of a split has taken is thrown away. */
  @Override
  Map.Entry<String, String> unsafeSetting() {
    return Map.entry("cluster_partition_handling", "autoheal");
  }

  @Test
  void rabbitmqctl_says_how_many_messages_a_queue_has() throws Exception {
    try (Connection connection = connect(server());
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("counted", true, false, false, Map.of());
      channel.confirmSelect();
      channel.basicPublish("", "counted", MessageProperties.PERSISTENT_BASIC, new byte[1]);
      channel.waitForConfirmsOrDie();
    }

    assertThat(server().ctl("list_queues", "name", "messages").lines()).contains("counted\t1");
  }

  private static Connection connect(RabbitMqServer to) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(to.url());
    factory.setAutomaticRecoveryEnabled(false);
    return factory.newConnection();
  }
}
