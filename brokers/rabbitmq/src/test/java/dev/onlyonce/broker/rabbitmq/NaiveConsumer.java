package dev.onlyonce.broker.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * The control: what most consumers do. Each message takes effect, then is acknowledged, some of
 * them together; the client recovers its connection.
 */
final class NaiveConsumer implements AutoCloseable {
  private final Connection connection;

  NaiveConsumer(String url, String queue, int together, Consumer<String> effect) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(url);
    factory.setNetworkRecoveryInterval(100);
    connection = factory.newConnection();
    Channel channel = connection.createChannel();
    channel.basicQos(100);
    channel.basicConsume(
        queue,
        false,
        new DefaultConsumer(channel) {
          private int handled;

          @Override
          public void handleDelivery(
              String consumerTag, Envelope envelope, BasicProperties properties, byte[] body)
              throws IOException {
            effect.accept(new String(body, UTF_8));
            handled++;
            if (handled % together == 0) {
              try {
                channel.basicAck(envelope.getDeliveryTag(), true);
              } catch (AlreadyClosedException e) {
                // it comes again
              }
            }
          }
        });
  }

  @Override
  public void close() {
    connection.abort(10_000);
  }
}
