package dev.onlyonce.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.broker.rabbitmq.RabbitBroker;
import dev.onlyonce.broker.rabbitmq.RabbitPublisher;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.services.RabbitMqServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.process.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the pieces of the guide to RabbitMQ, and holds the guide to them. */
@ExtendWith(Servers.class)
class RabbitGuideTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final RabbitGuide guide = new RabbitGuide();
  private final MemoryStore store = MemoryStore.builder().forgetful().build();
  private final List<String> charged = Collections.synchronizedList(new ArrayList<>());
  private RabbitBroker broker;
  private RabbitPublisher publisher;
  private Connection connection;
  private Channel channel;

  @BeforeEach
  void connect(RabbitMqServer server) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(server.url());
    connection = factory.newConnection();
    channel = connection.createChannel();
    broker = RabbitBroker.at(server.url());
    publisher = RabbitPublisher.open(broker);
  }

  @AfterEach
  void close() {
    publisher.close();
    connection.abort(10_000);
    store.close();
  }

  @Test
  void the_guide_shows_the_regions_of_the_program() {
    assertThat(Guide.regions(RabbitGuide.class)).hasSize(4);
    assertThat(Guide.of("rabbitmq.md").java()).isEqualTo(Guide.regions(RabbitGuide.class));
  }

  @Test
  void a_payment_that_is_sent_twice_is_charged_once() throws Exception {
    assertThatThrownBy(() -> guide.send(publisher, "p-1", "due"))
        .hasMessageContaining("payment p-1 is not sent for sure: Refused")
        .hasMessageContaining("exchange shop is not there");
    guide.declareQueues(channel);
    guide.send(publisher, "p-1", "due");
    guide.send(publisher, "p-1", "due");
    guide.send(publisher, "p-1", "refunded");

    try (OnlyOnce<@Nullable Void> once = guide.engine(store);
        MessageConsumer consumer =
            guide.consume(
                once, broker, publisher, it -> charged.add(new String(it.body(), UTF_8)))) {
      Await.until("an empty queue", PATIENCE, () -> isDone(consumer));
    }
    assertThat(charged)
        .containsExactlyInAnyOrder(
            "{\"payment\": \"p-1\", \"status\": \"due\"}",
            "{\"payment\": \"p-1\", \"status\": \"refunded\"}");
  }

  @Test
  void a_payment_that_fails_waits_at_the_broker() throws Exception {
    guide.declareQueues(channel);
    AtomicInteger tries = new AtomicInteger();
    guide.send(publisher, "p-2", "due");
    Duration pause = Duration.ofMillis(200);
    try (OnlyOnce<@Nullable Void> once = guide.patientEngine(store, pause);
        MessageConsumer consumer =
            guide.consumeWithRetries(
                once,
                broker,
                publisher,
                pause,
                it -> {
                  if (tries.incrementAndGet() < 3) {
                    throw new IllegalStateException("the bank is closed");
                  }
                  charged.add("p-2");
                })) {
      Await.until("the charge", PATIENCE, () -> charged.contains("p-2"));
      Await.until("an empty queue", PATIENCE, () -> isDone(consumer));
    }
    assertThat(tries).hasValue(3);
  }

  private boolean isDone(MessageConsumer consumer) {
    try {
      return !charged.isEmpty()
          && consumer.underWay() == 0
          && channel.messageCount("payments") == 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
