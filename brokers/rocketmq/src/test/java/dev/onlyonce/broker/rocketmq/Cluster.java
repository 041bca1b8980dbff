package dev.onlyonce.broker.rocketmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.services.RocketMqServer;
import dev.onlyonce.spi.Publisher.Message;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;

/** What tests do at a broker beside what they test; topics and groups have names of their own. */
record Cluster(RocketMqServer server) {

  static String name(String prefix) {
    return prefix + "-" + UUID.randomUUID();
  }

  String topic(int queues) {
    String topic = name("orders");
    server.createTopic(topic, queues);
    return topic;
  }

  DefaultMQProducer producer() {
    DefaultMQProducer producer = new DefaultMQProducer(name("senders"));
    producer.setNamesrvAddr(server.url());
    producer.setInstanceName(name("sender"));
    producer.setSendMsgTimeout(30_000); // the machine may be busy
    return producer;
  }

  RocketPublisher publisher() {
    return RocketPublisher.start(producer());
  }

  DefaultLitePullConsumer puller(String group) {
    DefaultLitePullConsumer consumer = new DefaultLitePullConsumer(group);
    consumer.setNamesrvAddr(server.url());
    consumer.setInstanceName(name("reader"));
    return consumer;
  }

  RocketSource source(String group, String topic) {
    return RocketSource.with(puller(group)).topic(topic, "*").open();
  }

  DefaultMQPushConsumer pusher(String group) {
    DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(group);
    consumer.setNamesrvAddr(server.url());
    consumer.setInstanceName(name("pusher"));
    consumer.setPollNameServerInterval(1_000); // or it finds its topic for retries after 30 seconds
    consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
    return consumer;
  }

  static Message message(String id, String topic, String orderingKey, String body) {
    return new Message(id, topic, null, orderingKey, Map.of(), bytes(body));
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static List<String> numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(Integer::toString).toList();
  }
}
