package dev.onlyonce.services;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntSupplier;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

class RocketMqServerTest extends ServerContract<RocketMqServer> {
  private static final String NOTES = "notes";

  @Override
  RocketMqServer start(IntSupplier ports, Map<String, String> settings) {
    return Server.start(new RocketMqServer(settings), ports);
  }

  @Override
  void write(RocketMqServer to, String value) throws Exception {
    to.createTopic(NOTES, 1);
    DefaultMQProducer producer = new DefaultMQProducer("writers");
    producer.setNamesrvAddr(to.url());
    producer.setInstanceName(UUID.randomUUID().toString());
    producer.start();
    try {
      var unused = producer.send(new Message(NOTES, value.getBytes(UTF_8)), 30_000);
    } finally {
      producer.shutdown();
    }
  }

  @Override
  List<String> read(RocketMqServer from) throws Exception {
    DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("readers");
    consumer.setNamesrvAddr(from.url());
    consumer.setInstanceName(UUID.randomUUID().toString());
    consumer.setAutoCommit(false);
    consumer.start();
    try {
      List<MessageQueue> queues = List.copyOf(consumer.fetchMessageQueues(NOTES));
      consumer.assign(queues);
      consumer.seekToBegin(queues.get(0));
      List<String> values = new ArrayList<>();
      List<MessageExt> next = consumer.poll(5_000);
      while (!next.isEmpty()) {
        next.forEach(it -> values.add(new String(it.getBody(), UTF_8)));
        next = consumer.poll(1_000);
      }
      return values;
    } finally {
      consumer.shutdown();
    }
  }

  @Override
  String settingOf(RocketMqServer of, String name) throws Exception {
    return of.configuration()
        .lines()
        .filter(it -> it.startsWith(name + "="))
        .findFirst()
        .orElseThrow()
        .substring(name.length() + 1);
  }

  @Override
  Map.Entry<String, String> unsafeSetting() {
    return Map.entry("flushDiskType", "ASYNC_FLUSH");
  }

  @Override
  Map.Entry<String, String> refusedSetting() {
    return Map.entry("bindAddress", "bindAddress.invalid");
  }
}
