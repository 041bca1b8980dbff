package dev.onlyonce.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.Channel;
import dev.onlyonce.Backoff;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.broker.rabbitmq.RabbitBroker;
import dev.onlyonce.broker.rabbitmq.RabbitPublisher;
import dev.onlyonce.broker.rabbitmq.RabbitRetries;
import dev.onlyonce.broker.rabbitmq.RabbitSource;
import dev.onlyonce.json.JsonKeys;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.DeliveryHandler;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.spi.Publisher.Receipt;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The pieces of docs/guides/rabbitmq.md; a test compares them and runs them. */
final class RabbitGuide {

  // region queues
  void declareQueues(Channel channel) throws IOException {
    Map<String, Object> quorum = Map.of("x-queue-type", "quorum");
    channel.exchangeDeclare("shop", "topic", true);
    channel.queueDeclare("payments", true, false, false, quorum);
    channel.queueBind("payments", "shop", "payment.#");
    channel.queueDeclare("payments.dead", true, false, false, quorum);
  }

  // endregion

  // region consume
  OnlyOnce<@Nullable Void> engine(ClaimStore store) {
    return OnlyOnce.builder(store).scope("billing").onInDoubt(OnInDoubt.PARK).build();
  }

  MessageConsumer consume(
      OnlyOnce<@Nullable Void> once,
      RabbitBroker broker,
      RabbitPublisher publisher,
      DeliveryHandler.Action charge) {
    return once.consume(RabbitSource.from(broker, "payments").open())
        .keys(JsonKeys.at("/payment", "/status"))
        .handler(charge)
        .deadLetters(DeadLetters.to(publisher, "payments.dead"))
        .start();
  }

  // endregion

  // region publish
  void send(RabbitPublisher publisher, String payment, String status) {
    String body = "{\"payment\": \"%s\", \"status\": \"%s\"}".formatted(payment, status);
    Message message =
        new Message(
            payment + "/" + status,
            "shop/payment." + status,
            null,
            payment,
            Map.of(),
            body.getBytes(UTF_8));
    Receipt receipt = publisher.publish(List.of(message)).get(0);
    if (!(receipt instanceof Confirmed)) {
      throw new IllegalStateException("payment " + payment + " is not sent for sure: " + receipt);
    }
  }

  // endregion

  // region retries
  OnlyOnce<@Nullable Void> patientEngine(ClaimStore store, Duration pause) {
    Backoff tenfold = Backoff.exponential(pause, 10, Duration.ofHours(1)).withoutJitter();
    return OnlyOnce.builder(store)
        .scope("billing")
        .onInDoubt(OnInDoubt.PARK)
        .onFailure(OnFailure.defaults().attempts(3).backoff(tenfold))
        .build();
  }

  MessageConsumer consumeWithRetries(
      OnlyOnce<@Nullable Void> once,
      RabbitBroker broker,
      RabbitPublisher publisher,
      Duration pause,
      DeliveryHandler.Action charge) {
    RabbitRetries retries = RabbitRetries.of("payments", pause, pause.multipliedBy(10));
    retries.declare(broker);
    return once.consume(RabbitSource.from(broker, "payments").open())
        .keys(JsonKeys.at("/payment", "/status"))
        .handler(charge)
        .orderBy(delivery -> null)
        .deadLetters(DeadLetters.to(publisher, "payments.dead"))
        .retries(retries.through(publisher))
        .start();
  }

  // endregion
}
