package dev.onlyonce.broker.rabbitmq;

import static dev.onlyonce.broker.rabbitmq.Billing.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Backoff;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.DeliveryHandler;
import dev.onlyonce.messaging.Retries;
import dev.onlyonce.services.RabbitMqServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.SourceException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class RabbitRetriesTest {
  private static final Duration STEP = Duration.ofMillis(300);

  private final Billing billing =
      new Billing().backoff(Backoff.fixed(STEP).withoutJitter()).attempts(4);
  private final AtomicInteger tries = new AtomicInteger();
  private RabbitMqServer server;
  private Node node;
  private String queue;
  private RabbitPublisher publisher;

  @BeforeEach
  void connect(@Shared RabbitMqServer shared) throws Exception {
    server = shared;
    node = new Node(shared);
    queue = node.quorumQueue();
    publisher = billing.with(RabbitPublisher.open(node.broker()));
  }

  @AfterEach
  void disconnect() throws Exception {
    billing.close();
    node.close();
  }

  @Test
  void one_that_fails_waits_in_the_queue_of_its_step_and_comes_back_as_often_as_it_takes()
      throws Exception {
    RabbitRetries retries = RabbitRetries.of(queue, STEP, Duration.ofHours(1));
    retries.declare(node.broker());
    node.send(queue, Node.properties().messageId("m-1").type("paid").build(), "order-1");
    billing.start(
        billing
            .consumer(
                node.broker(),
                queue,
                delivery -> {
                  assertThat(text(delivery, RabbitHeaders.MESSAGE_ID)).isEqualTo("m-1");
                  assertThat(text(delivery, RabbitHeaders.TYPE)).isEqualTo("paid");
                  failing(3).handle(delivery);
                })
            .retries(retries.through(publisher)));

    await("the effect", () -> billing.effects.contains("order-1"));
    assertThat(tries).hasValue(4);
    assertThat(retries.queues()).allMatch(it -> node.ready(it) == 0);
  }

  @Test
  void one_whose_attempts_are_used_up_is_a_dead_letter() throws Exception {
    RabbitRetries retries = RabbitRetries.of(queue, STEP);
    retries.declare(node.broker());
    String letters = node.queue();
    node.send(queue, "order-1");
    billing.start(
        billing
            .consumer(node.broker(), queue, failing(100))
            .deadLetters(DeadLetters.to(publisher, letters))
            .retries(retries.through(publisher)));

    await("its letter", () -> node.ready(letters) == 1);
    assertThat(tries).hasValue(4);
    assertThat(node.drain(letters).get(0).getProps().getHeaders().get(DeadLetters.ATTEMPTS))
        .hasToString("4");
  }

  @Test
  void while_its_queues_are_not_there_a_message_waits_in_the_consumer() throws Exception {
    RabbitRetries retries = RabbitRetries.of(queue, STEP);
    node.send(queue, "order-1");
    billing.start(
        billing.consumer(node.broker(), queue, failing(2)).retries(retries.through(publisher)));

    await("the effect", () -> billing.effects.contains("order-1"));
    assertThat(tries).hasValue(3);
  }

  @Test
  void what_expires_while_the_work_queue_is_gone_is_kept_and_is_lost_by_default() throws Exception {
    server.ctl(
        "eval", "application:set_env(rabbit, dead_letter_worker_publisher_confirm_timeout, 500).");
    RabbitRetries retries = RabbitRetries.of(queue, STEP);
    retries.declare(node.broker());
    Map<String, Object> byDefault = new HashMap<>(Node.QUORUM);
    byDefault.put("x-message-ttl", STEP.toMillis());
    byDefault.put("x-dead-letter-exchange", "");
    byDefault.put("x-dead-letter-routing-key", queue);
    String atMostOnce = node.queue(byDefault);
    node.channel().queueDelete(queue);

    node.send(retries.queues().get(0), "kept");
    node.send(atMostOnce, "lost");
    await(
        "both to expire",
        () -> node.ready(retries.queues().get(0)) == 0 && node.ready(atMostOnce) == 0);
    node.channel().queueDeclare(queue, true, false, false, Node.QUORUM);

    await("it to come back", () -> node.ready(queue) > 0);
    assertThat(node.drainBodies(queue)).containsExactly("kept");
  }

  @Test
  void a_message_waits_for_the_longest_step_that_is_not_too_long() {
    RabbitRetries steps = RabbitRetries.of("orders", Duration.ofMinutes(1), Duration.ofSeconds(10));
    Retries retries = steps.through(publisher);
    Delivery delivery = Delivery.of("orders", "1", new byte[0]);

    assertThat(steps.queues()).containsExactly("orders.retry.10000", "orders.retry.60000");
    assertThat(retries.destination(delivery, Duration.ofSeconds(9))).isEmpty();
    assertThat(retries.destination(delivery, Duration.ofSeconds(10)))
        .hasValue("/orders.retry.10000");
    assertThat(retries.destination(delivery, Duration.ofSeconds(59)))
        .hasValue("/orders.retry.10000");
    assertThat(retries.destination(delivery, Duration.ofHours(1))).hasValue("/orders.retry.60000");
  }

  @Test
  void queues_are_declared_as_often_as_one_likes_but_not_over_others() throws Exception {
    RabbitRetries retries = RabbitRetries.of(queue, STEP);
    retries.declare(node.broker());
    retries.declare(node.broker());
    assertThat(server.ctl("list_queues", "name", "type", "arguments"))
        .contains(retries.queues().get(0) + "\tquorum")
        .contains("at-least-once", "reject-publish");

    Duration other = Duration.ofMillis(400);
    node.channel().queueDeclare(queue + ".retry.400", true, false, false, Map.of());
    assertThatThrownBy(() -> RabbitRetries.of(queue, other).declare(node.broker()))
        .isInstanceOfSatisfying(
            SourceException.class,
            it -> assertThat(it.kind()).isEqualTo(SourceException.Kind.FINAL))
        .hasMessageContaining("retry queues of " + queue)
        .hasMessageContaining("a queue is there with other arguments")
        .hasMessageContaining("inequivalent arg");
  }

  @Test
  void steps_that_make_no_sense_are_refused() {
    assertThatThrownBy(() -> RabbitRetries.of("orders")).hasMessageContaining("at least one step");
    assertThatThrownBy(() -> RabbitRetries.of("orders", Duration.ZERO))
        .hasMessageContaining("step must be positive");
  }

  private DeliveryHandler.Action failing(int times) {
    return delivery -> {
      if (tries.incrementAndGet() <= times) {
        throw new IllegalStateException("not yet");
      }
      billing.effect(delivery);
    };
  }

  private static String text(Delivery delivery, String header) {
    return new String(delivery.headers().get(header).get(0), UTF_8);
  }
}
