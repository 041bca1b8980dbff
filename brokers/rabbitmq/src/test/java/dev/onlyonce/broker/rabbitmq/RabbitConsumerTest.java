package dev.onlyonce.broker.rabbitmq;

import static dev.onlyonce.broker.rabbitmq.Billing.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import dev.onlyonce.messaging.Acknowledge;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.DeliveryHandler;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.services.RabbitMqServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Event;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.process.TcpFaultProxy;
import dev.onlyonce.testkit.process.TcpFaultProxy.Ending;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Consumers on a real broker with all that makes duplicates, each beside a naive one. */
@ExtendWith(Servers.class)
class RabbitConsumerTest {
  private static final List<String> ORDERS = Node.numbers(0, 20);
  private static final String LAST = "19";

  private final Billing billing = new Billing();
  private final List<String> naive = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch isLate = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private final CountDownLatch isNaiveLate = new CountDownLatch(1);
  private RabbitMqServer server;
  private Node node;
  private String queue;
  private String naiveQueue;

  @BeforeEach
  void connect(RabbitMqServer own) throws Exception {
    server = own;
    node = new Node(own);
    queue = node.queue(); // a quorum queue says only now and then how much is unacknowledged
    naiveQueue = node.queue();
  }

  @AfterEach
  void disconnect() throws Exception {
    mayEnd.countDown();
    billing.close();
    node.close();
  }

  @Test
  void what_a_producer_sends_again_with_another_message_id_takes_effect_once() throws Exception {
    for (String id : List.of("first", "again")) {
      for (String order : ORDERS) {
        BasicProperties properties = Node.properties().messageId(id + order).build();
        node.send(queue, properties, order);
        node.send(naiveQueue, properties, order);
      }
    }
    billing.with(new NaiveConsumer(server.url(), naiveQueue, 1, naive::add));
    billing.start(billing.consumer(node.broker(), queue, billing::effect));

    await("all of them", () -> isEmpty(queue) && isEmpty(naiveQueue));
    assertThat(billing.effects).containsExactlyInAnyOrderElementsOf(ORDERS);
    assertThat(billing.count(Event.Duplicate.class)).isEqualTo(20);
    assertThat(naive).hasSize(40);
  }

  @Test
  void what_a_broker_that_was_killed_delivers_again_takes_effect_once() throws Exception {
    sendAll();
    billing.with(new NaiveConsumer(server.url(), naiveQueue, 20, this::naiveEffect));
    billing.start(
        billing.consumer(node.broker(), queue, waitingEffect()).acknowledge(Acknowledge.MANUAL));
    awaitLast();

    server.kill();
    mayEnd.countDown();
    await("its effect", () -> billing.effects.contains(LAST));
    server.restart();
    node.connect();

    await("all of them", () -> isEmpty(queue) && naive.size() == 40);
    assertThat(billing.effects).containsExactlyInAnyOrderElementsOf(ORDERS);
    assertThat(billing.count(Event.Duplicate.class)).isEqualTo(20);
  }

  @Test
  void what_was_under_way_when_the_connection_was_cut_takes_effect_once() throws Exception {
    sendAll();
    try (TcpFaultProxy proxy = TcpFaultProxy.toLocal(server.address().getPort())) {
      billing.with(new NaiveConsumer(through(proxy), naiveQueue, 20, this::naiveEffect));
      MessageConsumer consumer =
          billing.start(
              billing
                  .consumer(RabbitBroker.at(through(proxy)), queue, waitingEffect())
                  .acknowledge(Acknowledge.MANUAL));
      awaitLast();

      proxy.cutAll(Ending.RST);
      // Those that were done are duplicates at once, the one that runs has a copy that waits.
      await("them to come again", () -> billing.count(Event.Duplicate.class) == 19);
      assertThat(consumer.underWay()).isEqualTo(2);
      mayEnd.countDown();

      await("all of them", () -> isEmpty(queue) && naive.size() == 40);
      assertThat(billing.effects).containsExactlyInAnyOrderElementsOf(ORDERS);
      consumer.close();
    }
  }

  @Test
  void what_a_consumer_leaves_behind_that_vanishes_takes_effect_once_at_another() throws Exception {
    sendAll();
    try (TcpFaultProxy proxy = TcpFaultProxy.toLocal(server.address().getPort())) {
      MessageConsumer first =
          billing.start(
              billing
                  .consumer(RabbitBroker.at(through(proxy)), queue, waitingEffect())
                  .acknowledge(Acknowledge.MANUAL));
      await("all but one", () -> billing.count(Event.Completed.class) == 19);
      isLate.await();

      proxy.refuse();
      proxy.cutAll(Ending.RST);
      billing.start(billing.consumer(node.broker(), queue, billing::effect));
      await("them to come to the other", () -> billing.count(Event.Duplicate.class) >= 19);
      await("it to be in progress there", () -> billing.count(Event.InProgress.class) > 0);
      mayEnd.countDown();

      await("all of them", () -> isEmpty(queue));
      assertThat(billing.effects).containsExactlyInAnyOrderElementsOf(ORDERS);
      first.close();
    }
  }

  @Test
  void what_a_consumer_gives_back_that_leaves_is_handled_by_another() throws Exception {
    sendAll();
    MessageConsumer first =
        billing.start(
            billing.consumer(node.broker(), queue, waitingEffect()).concurrency(1).mostUnderWay(4));
    await("some", () -> billing.effects.size() > 4);
    first.close();
    billing.start(billing.consumer(node.broker(), queue, waitingEffect()));
    mayEnd.countDown();

    await("all of them", () -> isEmpty(queue));
    assertThat(billing.effects).containsExactlyInAnyOrderElementsOf(ORDERS);
  }

  @Test
  void a_handler_that_takes_longer_than_the_broker_waits_takes_effect_once() throws Exception {
    server.ctl(
        "eval",
        "application:set_env(rabbit, consumer_timeout, 1000),"
            + " application:set_env(rabbit, channel_tick_interval, 200).");
    try {
      node.send(queue, LAST);
      node.send(naiveQueue, LAST);
      billing.with(new NaiveConsumer(server.url(), naiveQueue, 1, this::naiveEffect));
      billing.with(new NaiveConsumer(server.url(), naiveQueue, 1, this::naiveEffect));
      MessageConsumer consumer =
          billing.start(billing.consumer(node.broker(), queue, waitingEffect()));
      awaitLast();

      await("it to be delivered again", () -> consumer.underWay() == 2 && naive.size() == 2);
      assertThat(failures()).anySatisfy(it -> assertThat(it).contains("consumer_timeout"));
      mayEnd.countDown();

      await("all of it", () -> isEmpty(queue));
      assertThat(billing.effects).containsExactly(LAST);
    } finally {
      server.ctl(
          "eval",
          "application:set_env(rabbit, consumer_timeout, 1800000),"
              + " application:set_env(rabbit, channel_tick_interval, 60000).");
    }
  }

  @Test
  @Case({43, 55})
  void a_dead_letter_to_an_exchange_without_a_queue_is_not_lost_and_holds_up_nobody()
      throws Exception {
    String exchange = Node.name("letters");
    node.channel().exchangeDeclare(exchange, "direct", true);
    node.send(queue, Node.properties().contentType("text/plain").build(), "bad");
    node.send(queue, "good");
    RabbitPublisher publisher = billing.with(RabbitPublisher.open(node.broker()));
    billing.start(
        billing
            .consumer(
                node.broker(),
                queue,
                delivery -> {
                  if (Billing.body(delivery).equals("bad")) {
                    throw new IllegalStateException("never");
                  }
                  billing.effect(delivery);
                })
            .deadLetters(DeadLetters.to(publisher, exchange + "/orders")));

    await("two tries", () -> billing.count(Event.DeadLetterFailed.class) >= 2);
    assertThat(billing.effects).containsExactly("good");
    assertThat(unacknowledged(queue)).isEqualTo(1);
    String letters = node.queue();
    node.channel().queueBind(letters, exchange, "orders");

    await("all of them", () -> isEmpty(queue));
    GetResponse letter = node.drain(letters).get(0);
    assertThat(letter.getBody()).isEqualTo(Node.bytes("bad"));
    assertThat(letter.getProps().getContentType()).isEqualTo("text/plain");
    assertThat(letter.getProps().getHeaders().get(DeadLetters.REASON)).hasToString("FAILED");
    assertThat(letter.getProps().getHeaders().get(DeadLetters.ATTEMPTS)).hasToString("3");
    assertThat(billing.count(Event.DeadLettered.class)).isEqualTo(1);
    assertThat(node.drain(letters)).isEmpty();
  }

  /** The control of the test before this one. */
  @Test
  void a_broker_confirms_a_message_that_has_reached_no_queue() throws Exception {
    String exchange = Node.name("letters");
    node.channel().exchangeDeclare(exchange, "direct", true);

    byte[] body = Node.bytes("lost");
    node.channel().basicPublish(exchange, "orders", MessageProperties.PERSISTENT_BASIC, body);

    assertThat(node.channel().waitForConfirms()).isTrue();
  }

  @Test
  void what_comes_back_more_often_than_the_delivery_limit_is_taken_away_by_the_broker()
      throws Exception {
    String letters = node.queue();
    Map<String, Object> limited =
        Map.of(
            "x-queue-type",
            "quorum",
            "x-delivery-limit",
            2,
            "x-dead-letter-exchange",
            "",
            "x-dead-letter-routing-key",
            letters);
    String orders = node.queue(limited);
    node.send(orders, "innocent");

    // Nobody has handled it: it only waited where consumers died.
    for (int deaths = 0; deaths < 3; deaths++) {
      try (Reader reader = new Reader(RabbitSource.from(node.broker(), orders).open())) {
        reader.read(1);
      }
    }

    await("its letter", () -> node.ready(letters) == 1);
    assertThat(node.drainBodies(letters)).containsExactly("innocent");
  }

  private void sendAll() throws Exception {
    for (String order : ORDERS) {
      node.send(queue, order);
      node.send(naiveQueue, order);
    }
  }

  /** The last order waits until it may end; in mode manual, none is acknowledged after it ran. */
  private DeliveryHandler.Action waitingEffect() {
    return delivery -> {
      if (Billing.body(delivery).equals(LAST)) {
        isLate.countDown();
        mayEnd.await();
      }
      billing.effect(delivery);
    };
  }

  private void naiveEffect(String order) {
    naive.add(order);
    if (order.equals(LAST)) {
      isNaiveLate.countDown();
      try {
        mayEnd.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void awaitLast() throws InterruptedException {
    isLate.await();
    isNaiveLate.await();
    await(
        "the others",
        () -> billing.count(Event.Completed.class) == billing.count(Event.Received.class) - 1);
  }

  private List<String> failures() {
    synchronized (billing.events) {
      return billing.events.stream()
          .filter(Event.SourceFailed.class::isInstance)
          .map(it -> ((Event.SourceFailed) it).cause().getMessage())
          .toList();
    }
  }

  private boolean isEmpty(String name) {
    return messages(name, "messages") == 0;
  }

  private long unacknowledged(String name) {
    return messages(name, "messages_unacknowledged");
  }

  private long messages(String name, String column) {
    return server
        .ctl("list_queues", "name", column)
        .lines()
        .filter(it -> it.startsWith(name + "\t"))
        .mapToLong(it -> Long.parseLong(it.substring(name.length() + 1)))
        .sum();
  }

  private static String through(TcpFaultProxy proxy) {
    return "amqp://guest:guest@127.0.0.1:" + proxy.port();
  }
}
