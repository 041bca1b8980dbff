package dev.onlyonce.broker.kafka;

import static dev.onlyonce.broker.kafka.Cluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.services.KafkaBroker;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.spi.Source;
import dev.onlyonce.testkit.messaging.SourceContract;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class KafkaSourceContractTest {

  @Nested
  class Classic extends Contract {
    Classic() {
      super("classic");
    }
  }

  @Nested
  class ConsumerProtocol extends Contract {
    ConsumerProtocol() {
      super("consumer");
    }
  }

  abstract static class Contract extends SourceContract {
    private final String protocol;
    private final String group = Cluster.name("billing");
    private Cluster cluster;
    private KafkaPublisher publisher;
    private String topic;

    Contract(String protocol) {
      this.protocol = protocol;
    }

    @BeforeEach
    void connect(@Shared KafkaBroker broker) throws Exception {
      cluster = new Cluster(broker);
      topic = cluster.topic(3);
      publisher = KafkaPublisher.open(cluster.settings());
    }

    @AfterEach
    void disconnect() {
      publisher.close();
      cluster.close();
    }

    @Override
    protected void send(String orderingKey, String body) {
      Message message = new Message(body, topic, null, orderingKey, Map.of(), bytes(body));
      assertThat(publisher.publish(List.of(message))).containsExactly(new Confirmed());
    }

    @Override
    protected Source join() {
      return KafkaSource.with(cluster.settings("group.id", group, "group.protocol", protocol))
          .topics(topic)
          .open();
    }
  }
}
