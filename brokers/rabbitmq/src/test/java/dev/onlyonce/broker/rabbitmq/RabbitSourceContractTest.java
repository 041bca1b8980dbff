package dev.onlyonce.broker.rabbitmq;

import dev.onlyonce.services.RabbitMqServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.Source;
import dev.onlyonce.testkit.messaging.SourceContract;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class RabbitSourceContractTest {

  @Nested
  class ClassicQueue extends Contract {
    ClassicQueue() {
      super(Map.of(), 1_000);
    }
  }

  @Nested
  class QuorumQueue extends Contract {
    QuorumQueue() {
      super(Node.QUORUM, 1_000);
    }
  }

  @Nested
  class SmallPrefetch extends Contract {
    SmallPrefetch() {
      super(Node.QUORUM, 100);
    }
  }

  abstract static class Contract extends SourceContract {
    private final Map<String, Object> arguments;
    private final int prefetch;
    private Node node;
    private String queue;

    Contract(Map<String, Object> arguments, int prefetch) {
      this.arguments = arguments;
      this.prefetch = prefetch;
    }

    @BeforeEach
    void connect(@Shared RabbitMqServer server) throws Exception {
      node = new Node(server);
      queue = node.queue(arguments);
    }

    @AfterEach
    void disconnect() {
      node.close();
    }

    @Override
    protected void send(String orderingKey, String body) throws Exception {
      Map<String, Object> headers = Map.of(RabbitHeaders.ORDERING_KEY, orderingKey);
      node.send(queue, Node.properties().headers(headers).build(), body);
    }

    @Override
    protected Source join() {
      return RabbitSource.from(node.broker(), queue).prefetch(prefetch).open();
    }
  }
}
