package dev.onlyonce.broker.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.services.RocketMqServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Source;
import dev.onlyonce.testkit.messaging.SourceContract;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class RocketSourceContractTest extends SourceContract {
  private final String group = Cluster.name("billing");
  private Cluster cluster;
  private RocketPublisher publisher;
  private String topic;

  @BeforeEach
  void connect(@Shared RocketMqServer server) {
    cluster = new Cluster(server);
    topic = cluster.topic(3);
    publisher = cluster.publisher();
  }

  @AfterEach
  void disconnect() {
    publisher.close();
  }

  @Override
  protected void send(String orderingKey, String body) {
    assertThat(publisher.publish(List.of(Cluster.message(body, topic, orderingKey, body))))
        .containsExactly(new Confirmed());
  }

  @Override
  protected Source join() {
    return cluster.source(group, topic);
  }
}
