package dev.onlyonce.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.broker.rocketmq.RocketPublisher;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.services.RocketMqServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the pieces of the guide to RocketMQ, and holds the guide to them. */
@ExtendWith(Servers.class)
class RocketMqGuideTest {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final List<String> charged = new CopyOnWriteArrayList<>();
  private final RocketMqGuide guide = new RocketMqGuide(charged::add);

  @Test
  void the_guide_shows_the_regions_of_the_program() {
    assertThat(Guide.of("rocketmq.md").java()).isEqualTo(Guide.regions(RocketMqGuide.class));
  }

  @Test
  void each_order_is_charged_once_by_a_consumer_and_then_by_a_listener(RocketMqServer server)
      throws Exception {
    server.createTopic("orders", 4);
    try (RocketPublisher publisher = guide.publisher(server.url());
        MemoryStore store = MemoryStore.builder().forgetful().build();
        OnlyOnce<@Nullable Void> once = guide.engine(store)) {
      send(publisher, "o1", "o2", "o1");
      try (MessageConsumer consumer = guide.consume(once, server.url(), publisher)) {
        Await.until("both", PATIENCE, () -> charged.size() >= 2 && consumer.underWay() == 0);
      }
      send(publisher, "o1", "o3", "o2");
      DefaultMQPushConsumer consumer = guide.listen(once, server.url());
      Await.until("the third", PATIENCE, () -> charged.size() >= 3);
      consumer.shutdown();
    }
    assertThat(charged).containsExactlyInAnyOrder("o1", "o2", "o3");
  }

  private static void send(RocketPublisher publisher, String... orders) {
    List<Message> batch = new ArrayList<>();
    for (String id : orders) {
      batch.add(new Message(id, "orders", null, null, Map.of(), id.getBytes(UTF_8)));
    }
    assertThat(publisher.publish(batch)).hasOnlyElementsOfType(Confirmed.class);
  }
}
