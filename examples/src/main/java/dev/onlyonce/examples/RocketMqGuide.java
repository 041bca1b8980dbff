package dev.onlyonce.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.broker.rocketmq.OnceListener;
import dev.onlyonce.broker.rocketmq.RocketKeys;
import dev.onlyonce.broker.rocketmq.RocketPublisher;
import dev.onlyonce.broker.rocketmq.RocketSource;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Publisher;
import java.util.function.Consumer;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.jspecify.annotations.Nullable;

/** The pieces of docs/guides/rocketmq.md; a test compares them and runs them. */
final class RocketMqGuide {

  private final Consumer<String> bank;

  RocketMqGuide(Consumer<String> bank) {
    this.bank = bank;
  }

  private void charge(Delivery order) {
    bank.accept(new String(order.body(), UTF_8));
  }

  OnlyOnce<@Nullable Void> engine(ClaimStore store) {
    return OnlyOnce.builder(store).scope("billing").onInDoubt(OnInDoubt.PARK).build();
  }

  // region consume
  MessageConsumer consume(OnlyOnce<@Nullable Void> once, String nameServer, Publisher letters) {
    DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("billing");
    consumer.setNamesrvAddr(nameServer);
    return once.consume(RocketSource.with(consumer).topic("orders", "*").open())
        .keys(RocketKeys.messageKeys())
        .handler(order -> charge(order))
        .deadLetters(DeadLetters.to(letters, "orders-dead"))
        .start();
  }

  // endregion

  // region publish
  RocketPublisher publisher(String nameServer) {
    DefaultMQProducer producer = new DefaultMQProducer("shop");
    producer.setNamesrvAddr(nameServer);
    return RocketPublisher.start(producer);
  }

  // endregion

  // region listen
  DefaultMQPushConsumer listen(OnlyOnce<@Nullable Void> once, String nameServer)
      throws MQClientException {
    DefaultMQPushConsumer consumer = new DefaultMQPushConsumer("billing");
    consumer.setNamesrvAddr(nameServer);
    consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
    consumer.subscribe("orders", "*");
    OnceListener<@Nullable Void> listener =
        OnceListener.of(once, consumer, RocketKeys.messageKeys(), order -> charge(order));
    consumer.registerMessageListener(listener.concurrently()); // or listener.orderly()
    consumer.start();
    return consumer;
  }

  // endregion
}
