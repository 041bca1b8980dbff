package dev.onlyonce.broker.rabbitmq;

import static dev.onlyonce.broker.rabbitmq.Node.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.GetResponse;
import dev.onlyonce.services.RabbitMqServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.spi.Publisher.Receipt;
import dev.onlyonce.spi.Publisher.Refused;
import dev.onlyonce.spi.Publisher.Unknown;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.process.TcpFaultProxy;
import dev.onlyonce.testkit.process.TcpFaultProxy.Ending;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class RabbitPublisherTest {
  private RabbitMqServer server;
  private Node node;
  private RabbitPublisher publisher;

  @BeforeEach
  void connect(@Shared RabbitMqServer shared) throws Exception {
    server = shared;
    node = new Node(shared);
    publisher = RabbitPublisher.open(node.broker());
  }

  @AfterEach
  void disconnect() {
    publisher.close();
    node.close();
  }

  @Test
  void a_message_arrives_as_it_was_sent_and_persistent() throws Exception {
    String queue = node.queue();
    Map<String, List<byte[]>> headers =
        Map.of("tenant", List.of(bytes("a")), "tags", List.of(bytes("x"), bytes("y")));

    List<Receipt> receipts =
        publisher.publish(
            List.of(new Message("m-1", queue, null, "order-1", headers, bytes("paid"))));

    assertThat(receipts).containsExactly(new Confirmed());
    GetResponse got = node.drain(queue).get(0);
    BasicProperties properties = got.getProps();
    assertThat(got.getBody()).isEqualTo(bytes("paid"));
    assertThat(properties.getDeliveryMode()).isEqualTo(2);
    assertThat(properties.getMessageId()).isEqualTo("m-1");
    assertThat(properties.getHeaders().get("tenant")).hasToString("a");
    assertThat(properties.getHeaders().get("tags")).hasToString("[x, y]");
    assertThat(properties.getHeaders().get(RabbitHeaders.ORDERING_KEY)).hasToString("order-1");
  }

  @Test
  @Case(43)
  void a_message_that_reaches_no_queue_is_refused_until_one_is_bound() throws Exception {
    String exchange = Node.name("events");
    node.channel().exchangeDeclare(exchange, "topic", true);
    String destination = RabbitPublisher.destination(exchange, "orders.paid");

    assertThat(publish(message("1", destination)))
        .isEqualTo(new Refused(destination + ": no queue is bound for it (NO_ROUTE)"));
    assertThat(publish(message("2", "no-such-queue")))
        .isEqualTo(new Refused("/no-such-queue: no queue is bound for it (NO_ROUTE)"));

    String queue = node.queue();
    node.channel().queueBind(queue, exchange, "orders.#");
    assertThat(publish(message("1", destination))).isEqualTo(new Confirmed());
    assertThat(node.drainBodies(queue)).containsExactly("body of 1");
  }

  @Test
  @Case(43)
  void a_message_to_an_exchange_that_is_not_there_is_refused_until_it_is() throws Exception {
    String exchange = Node.name("later");
    Message message = message("1", exchange + "/paid");

    assertThat(publish(message))
        .isEqualTo(
            new Refused(
                "exchange " + exchange + " is not there: declare it, and bind a" + " queue to it"));

    String queue = node.queue();
    node.channel().exchangeDeclare(exchange, "fanout", true);
    node.channel().queueBind(queue, exchange, "");
    assertThat(publish(message)).isEqualTo(new Confirmed());
    assertThat(node.drainBodies(queue)).containsExactly("body of 1");
  }

  @Test
  void an_exchange_that_is_deleted_is_noticed() throws Exception {
    String exchange = Node.name("gone");
    String queue = node.queue();
    node.channel().exchangeDeclare(exchange, "fanout", true);
    node.channel().queueBind(queue, exchange, "");
    assertThat(publish(message("1", exchange + "/"))).isEqualTo(new Confirmed());

    node.channel().exchangeDelete(exchange);

    assertThat(publish(message("2", exchange + "/"))).isInstanceOf(Unknown.class);
    assertThat(publish(message("2", exchange + "/"))).isInstanceOf(Refused.class);
    assertThat(publish(message("3", queue))).isEqualTo(new Confirmed());
  }

  /** It shifted the numbers of its channel, and later messages had the receipts of others. */
  @Test
  void a_message_that_cannot_be_written_as_amqp_is_refused_and_confuses_no_others()
      throws Exception {
    String queue = node.queue();
    assertThat(publish(message("x".repeat(300), queue))).isInstanceOf(Refused.class);
    for (int i = 0; i < 20; i++) {
      assertThat(publish(message("" + i, queue))).isEqualTo(new Confirmed());
      assertThat(publish(message("" + i, "nowhere"))).isInstanceOf(Refused.class);
    }
    assertThat(node.drainBodies(queue)).hasSize(20);
  }

  @Test
  void each_message_has_its_own_receipt() throws Exception {
    String queue = node.queue();
    List<Message> batch = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      batch.add(message("" + i, i % 3 == 0 ? "nowhere" : queue));
    }
    batch.add(message("x", "no-exchange/key"));

    List<Receipt> receipts = publisher.publish(batch);

    assertThat(receipts.get(1_000)).isInstanceOf(Refused.class);
    for (int i = 0; i < 1_000; i++) {
      assertThat(receipts.get(i)).isInstanceOf(i % 3 == 0 ? Refused.class : Confirmed.class);
    }
    assertThat(node.drainBodies(queue))
        .isEqualTo(
            IntStream.range(0, 1_000)
                .filter(it -> it % 3 != 0)
                .mapToObj(it -> "body of " + it)
                .toList());
  }

  @Test
  void copies_of_a_message_of_which_one_is_returned_are_told_apart_by_their_destination()
      throws Exception {
    String queue = node.queue();
    assertThat(
            publisher.publish(
                List.of(message("1", queue), message("1", "nowhere"), message("1", queue))))
        .extracting(Object::getClass)
        .isEqualTo(List.of(Confirmed.class, Refused.class, Confirmed.class));
  }

  @Test
  void a_queue_that_takes_no_more_refuses() throws Exception {
    String queue = node.quorumQueue("x-max-length", 1, "x-overflow", "reject-publish");
    List<Receipt> receipts = new ArrayList<>();
    // A quorum queue takes a few more than it should before it rejects.
    Reader.until(
        () -> receipts.stream().anyMatch(Refused.class::isInstance),
        () -> receipts.add(publish(message("1", queue))));

    assertThat(receipts.get(0)).isEqualTo(new Confirmed());
    assertThat(receipts.get(receipts.size() - 1))
        .isEqualTo(
            new Refused(
                "/" + queue + ": the broker rejected it (a queue is full, or has" + " failed)"));
    assertThat(node.drain(queue))
        .hasSize((int) receipts.stream().filter(Confirmed.class::isInstance).count());
  }

  @Test
  void a_destination_that_is_not_allowed_leaves_messages_to_others_alone() throws Exception {
    String queue = node.queue();
    String exchange = Node.name("secret");
    node.channel().exchangeDeclare(exchange, "fanout", true);
    node.channel().queueBind(queue, exchange, "");
    server.ctl("add_user", exchange, "words");
    server.ctl("set_permissions", exchange, "", "amq.default", "");
    String url = "amqp://" + exchange + ":words@127.0.0.1:" + server.address().getPort();

    try (RabbitPublisher limited = RabbitPublisher.open(RabbitBroker.at(url))) {
      List<Receipt> receipts =
          limited.publish(
              List.of(message("1", queue), message("2", exchange + "/"), message("3", queue)));

      assertThat(receipts.get(0)).isEqualTo(new Confirmed());
      assertThat(receipts.get(1))
          .isInstanceOfSatisfying(
              Unknown.class, it -> assertThat(it.reason()).contains("ACCESS_REFUSED", exchange));
      assertThat(receipts.get(2)).isEqualTo(new Confirmed());
    }
    assertThat(node.drainBodies(queue)).containsExactly("body of 1", "body of 3");
  }

  @Test
  void nothing_is_known_of_a_message_that_is_not_confirmed_in_time() throws Exception {
    String queue = node.queue();
    try (TcpFaultProxy proxy = TcpFaultProxy.toLocal(server.address().getPort());
        RabbitPublisher slow = RabbitPublisher.open(through(proxy), Duration.ofMillis(300))) {
      untilConfirmed(slow, queue);
      node.drain(queue);
      proxy.answers().stall();

      assertThat(slow.publish(List.of(message("2", queue), message("3", "nowhere"))))
          .containsOnly(new Unknown("no confirmation within PT0.3S"));

      proxy.answers().resume();
      Reader.until(() -> node.ready(queue) == 1, () -> {}); // it has arrived all the same
      assertThat(node.drainBodies(queue)).containsExactly("body of 2");
      untilConfirmed(slow, queue);
    }
  }

  @Test
  void nothing_is_known_of_messages_whose_connection_ends_and_the_next_ones_have_another()
      throws Exception {
    String queue = node.queue();
    try (TcpFaultProxy proxy = TcpFaultProxy.toLocal(server.address().getPort());
        RabbitPublisher cut = RabbitPublisher.open(through(proxy))) {
      assertThat(cut.publish(List.of(message("1", queue)))).containsExactly(new Confirmed());
      proxy.answers().cutOnceAfter(0, Ending.RST);

      assertThat(cut.publish(List.of(message("2", queue), message("3", queue))))
          .hasOnlyElementsOfType(Unknown.class);

      proxy.heal();
      assertThat(cut.publish(List.of(message("2", queue)))).containsExactly(new Confirmed());
    }
  }

  @Test
  void nothing_is_known_of_messages_for_which_there_is_no_broker() {
    RabbitBroker nobody = RabbitBroker.at("amqp://guest:guest@127.0.0.1:1");
    try (RabbitPublisher lonely = RabbitPublisher.open(nobody)) {
      assertThat(lonely.publish(List.of(message("1", "a"), message("2", "b/c"))))
          .allSatisfy(
              it ->
                  assertThat(it)
                      .isInstanceOfSatisfying(
                          Unknown.class,
                          why -> assertThat(why.reason()).contains("127.0.0.1:1", "refused")));
    }
    publisher.close();
    assertThat(publish(message("1", "a"))).isInstanceOf(Unknown.class);
  }

  @Test
  void a_broker_that_is_short_of_disk_is_not_waited_for_without_end() throws Exception {
    String queue = node.queue();
    try (RabbitMqServer full =
        RabbitMqServer.start(Map.of("disk_free_limit.absolute", "1000000GB"))) {
      try (Node other = new Node(full);
          RabbitPublisher held = RabbitPublisher.open(other.broker(), Duration.ofMillis(500))) {
        other.channel().queueDeclare(queue, true, false, false, Map.of());
        List<Receipt> receipts = new ArrayList<>();
        Reader.until(
            () -> receipts.stream().anyMatch(it -> it.toString().contains("low on disk")),
            () -> receipts.addAll(held.publish(List.of(message("1", queue)))));
        assertThat(receipts).hasOnlyElementsOfType(Unknown.class);

        full.ctl("set_disk_free_limit", "1MB");

        untilConfirmed(held, queue);
      }
    }
  }

  @Test
  void any_number_of_threads_publish_and_each_has_its_order() throws Exception {
    List<String> queues = new ArrayList<>();
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String queue = node.queue();
      queues.add(queue);
      threads.add(
          CompletableFuture.runAsync(
              () -> {
                for (int from = 0; from < 500; from += 50) {
                  List<Message> batch =
                      IntStream.range(from, from + 50)
                          .mapToObj(it -> message("" + it, queue))
                          .toList();
                  assertThat(publisher.publish(batch)).hasSize(50).containsOnly(new Confirmed());
                }
              }));
    }
    for (CompletableFuture<Void> each : threads) {
      each.get();
    }
    List<String> expected = Node.numbers(0, 500).stream().map(it -> "body of " + it).toList();
    for (String queue : queues) {
      assertThat(node.drainBodies(queue)).isEqualTo(expected);
    }
  }

  @Test
  void a_copy_of_a_delivery_keeps_its_properties_and_not_its_way() throws Exception {
    String from = node.queue();
    String to = node.queue();
    BasicProperties properties =
        Node.properties()
            .messageId("m-1")
            .contentType("application/json")
            .correlationId("c-1")
            .replyTo("answers")
            .type("paid")
            .appId("shop")
            .userId("guest")
            .priority(3)
            .expiration("3600000")
            .timestamp(Date.from(Instant.ofEpochSecond(1_000)))
            .headers(
                Map.of(
                    "tenant",
                    "a",
                    "CC",
                    List.of("elsewhere"),
                    "x-death",
                    List.of(Map.of("count", 1L)),
                    "x-delivery-count",
                    3L))
            .build();
    node.send(from, properties, "body");
    Delivery delivery;
    try (Reader reader = new Reader(RabbitSource.from(node.broker(), from).open()).read(1)) {
      delivery = reader.arrivals.get(0).delivery();
    }

    Message copy = new Message("letter", to, null, null, delivery.headers(), delivery.body());
    assertThat(publish(copy)).isEqualTo(new Confirmed());

    BasicProperties copied = node.drain(to).get(0).getProps();
    assertThat(copied.getHeaders()).containsOnlyKeys("tenant");
    BasicProperties expected =
        properties.builder().headers(copied.getHeaders()).expiration(null).userId(null).build();
    assertThat(copied).hasToString(expected.toString());
  }

  @Test
  void destinations_are_divided_at_the_first_slash() {
    assertThat(Destination.of("orders")).isEqualTo(new Destination("", "orders"));
    assertThat(Destination.of("events/a/b")).isEqualTo(new Destination("events", "a/b"));
    assertThat(Destination.of("/a/b")).isEqualTo(new Destination("", "a/b"));
    assertThat(Destination.of("events/")).isEqualTo(new Destination("events", ""));
    assertThat(RabbitPublisher.destination("", "a/b")).isEqualTo("/a/b");
    assertThatThrownBy(() -> RabbitPublisher.destination("a/b", "c"))
        .hasMessageContaining("no slash in its name, was a/b");
  }

  private static void untilConfirmed(RabbitPublisher publisher, String queue) {
    Reader.until(
        () -> publisher.publish(List.of(message("1", queue))).contains(new Confirmed()), () -> {});
  }

  private Receipt publish(Message message) {
    return publisher.publish(List.of(message)).get(0);
  }

  private static Message message(String id, String destination) {
    return new Message(id, destination, null, null, Map.of(), bytes("body of " + id));
  }

  private static RabbitBroker through(TcpFaultProxy proxy) {
    return RabbitBroker.at("amqp://guest:guest@127.0.0.1:" + proxy.port());
  }
}
