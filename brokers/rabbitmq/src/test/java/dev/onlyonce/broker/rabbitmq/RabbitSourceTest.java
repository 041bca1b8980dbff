package dev.onlyonce.broker.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import dev.onlyonce.services.RabbitMqServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.SourceException.Kind;
import dev.onlyonce.testkit.process.TcpFaultProxy;
import dev.onlyonce.testkit.process.TcpFaultProxy.Ending;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class RabbitSourceTest {
  private RabbitMqServer server;
  private Node node;

  @BeforeEach
  void connect(@Shared RabbitMqServer shared) throws Exception {
    server = shared;
    node = new Node(shared);
  }

  @AfterEach
  void disconnect() {
    node.close();
  }

  @Test
  void no_more_than_the_prefetch_is_with_a_consumer() throws Exception {
    String queue = node.quorumQueue();
    node.send(queue, Node.numbers(0, 30).toArray(String[]::new));

    try (Reader reader = reader(queue, 10).read(10)) {
      assertThat(node.ready(queue)).isEqualTo(20);
      reader.acknowledge(0, 1, 2, 5);
      reader.read(14);
      Reader.until(() -> node.ready(queue) == 16, reader::poll);
    }
  }

  @Test
  void what_is_not_wanted_is_kept_and_what_was_not_taken_goes_back() throws Exception {
    String queue = node.queue();
    node.send(queue, Node.numbers(0, 10).toArray(String[]::new));
    Reader reader = reader(queue, 10);
    reader.pollUntil(() -> node.ready(queue) == 0);
    int taken = reader.arrivals.size();

    reader.close();

    assertThat(taken).isLessThanOrEqualTo(10);
    Reader.until(() -> node.ready(queue) == 10, () -> {});
  }

  @Test
  void acknowledgements_of_a_lane_that_is_lost_are_not_taken_for_those_of_the_new_one()
      throws Exception {
    String queue = node.queue();
    node.send(queue, "0", "1");
    try (TcpFaultProxy proxy = TcpFaultProxy.toLocal(server.address().getPort());
        Reader reader = new Reader(RabbitSource.from(through(proxy), queue).open()).read(2)) {
      String first = reader.arrivals.get(0).lane();
      proxy.cutAll(Ending.RST);
      reader.read(4);

      assertThat(reader.lost).containsExactly(first);
      assertThat(reader.passing).isNotEmpty();
      assertThat(reader.bodies()).containsExactly("0", "1", "0", "1");
      reader.acknowledge(0, 1); // too late, and with the tags that the others have now
      reader.acknowledge(3);
      reader.close();
      Reader.until(() -> node.ready(queue) == 1, () -> {});
      assertThat(node.drainBodies(queue)).containsExactly("0");
    }
  }

  @Test
  void a_broker_that_cannot_be_reached_is_passing_and_is_tried_again() throws Exception {
    String queue = node.queue();
    node.send(queue, "0");
    try (TcpFaultProxy proxy = TcpFaultProxy.toLocal(server.address().getPort());
        Reader reader = new Reader(RabbitSource.from(through(proxy), queue).open())) {
      proxy.refuse();
      reader.pollUntil(() -> reader.passing.size() >= 2);
      assertThat(reader.passing.get(0))
          .hasMessageContaining("queue " + queue + " at 127.0.0.1:" + proxy.port())
          .hasMessageContaining("cannot be reached");
      proxy.accept();
      assertThat(reader.read(1).bodies()).containsExactly("0");
    }
  }

  @Test
  void a_queue_that_is_deleted_while_it_is_read_ends_the_source() throws Exception {
    String queue = node.queue();
    node.send(queue, "0");
    try (Reader reader = reader(queue, 10).read(1)) {
      node.channel().queueDelete(queue);

      ends(reader).hasMessageContaining("the queue is not there: declare it");
      assertThat(reader.lost).containsExactly(reader.arrivals.get(0).lane());
      assertThat(reader.passing).singleElement().asString().contains("cancelled");
    }
  }

  @Test
  void a_queue_that_is_not_there_ends_the_source_and_is_not_made() {
    ends(reader("nowhere", 10))
        .hasMessageContaining("queue nowhere at 127.0.0.1:")
        .hasMessageContaining("virtual host /, as user guest: the queue is not there: declare it");
    assertThat(server.ctl("list_queues", "name").lines()).doesNotContain("nowhere");
  }

  @Test
  void a_password_that_is_wrong_ends_the_source_and_is_not_told() {
    String url = "amqp://guest:secret@127.0.0.1:" + server.address().getPort();
    RabbitSource source = RabbitSource.from(RabbitBroker.at(url), "orders").open();

    assertThat(source.description()).doesNotContain("secret").contains("as user guest");
    ends(new Reader(source))
        .hasMessageContaining("user or password are not accepted")
        .hasMessageNotContaining("secret");
  }

  @Test
  void a_virtual_host_that_is_not_there_ends_the_source() {
    String url = server.url() + "/nowhere";
    ends(new Reader(RabbitSource.from(RabbitBroker.at(url), "orders").open()))
        .hasMessageContaining("virtual host nowhere")
        .hasMessageContaining("is not there, or not for this user");
  }

  @Test
  void a_queue_that_may_not_be_read_ends_the_source_with_a_remedy() throws Exception {
    String queue = node.queue();
    server.ctl("add_user", "reader", "words");
    server.ctl("set_permissions", "reader", "", "", "others");
    String url = "amqp://reader:words@127.0.0.1:" + server.address().getPort();

    ends(new Reader(RabbitSource.from(RabbitBroker.at(url), queue).open()))
        .hasMessageContaining(
            "the user may not read it: allow it with rabbitmqctl set_permissions");

    server.ctl("set_permissions", "reader", "", "", queue); // nothing but reading is needed
    node.send(queue, "0");
    try (Reader reader = new Reader(RabbitSource.from(RabbitBroker.at(url), queue).open())) {
      assertThat(reader.read(1).bodies()).containsExactly("0");
    }
  }

  @Test
  void an_exclusive_queue_of_another_connection_ends_the_source() throws Exception {
    String queue = Node.name("own");
    node.channel().queueDeclare(queue, false, true, false, Map.of());

    ends(reader(queue, 10)).hasMessageContaining("exclusive to another connection");
  }

  @Test
  void a_stream_ends_the_source() throws Exception {
    String queue = node.queue(Map.of("x-queue-type", "stream"));
    node.send(queue, "0");
    // A consumer is given what comes from now on.
    try (Reader reader = reader(queue, 10)) {
      assertThatThrownBy(
              () ->
                  Reader.until(
                      () -> false,
                      () -> {
                        reader.poll();
                        sendTo(queue);
                      }))
          .isInstanceOfSatisfying(
              SourceException.class, it -> assertThat(it.kind()).isEqualTo(Kind.FINAL))
          .hasMessageContaining("it is a stream");
    }
  }

  @Test
  void what_listens_there_and_is_no_broker_is_told() {
    // A port that accepts and says nothing that is AMQP: the proxy to a broker that it cuts off.
    try (TcpFaultProxy proxy = TcpFaultProxy.toLocal(server.address().getPort())) {
      proxy.answers().cutAfter(3, Ending.FIN);
      Reader reader = new Reader(RabbitSource.from(through(proxy), "orders").open());
      reader.pollUntil(() -> !reader.passing.isEmpty());
      reader.close();
    }
  }

  @Test
  void of_several_nodes_any_will_do() throws Exception {
    String queue = node.queue();
    node.send(queue, "0");
    ConnectionFactory factory = new ConnectionFactory();
    RabbitBroker broker =
        RabbitBroker.with(
            factory,
            new Address("127.0.0.1", 1),
            new Address("127.0.0.1", server.address().getPort()));

    try (Reader reader = new Reader(RabbitSource.from(broker, queue).open())) {
      assertThat(reader.read(1).bodies()).containsExactly("0");
      assertThat(reader.source.description())
          .contains(queue, "127.0.0.1:1,127.0.0.1:" + server.address().getPort())
          .contains("prefetch 1000");
    }
    assertThat(factory.isAutomaticRecoveryEnabled()).isTrue(); // the caller's is as it was
  }

  @Test
  void settings_that_make_no_sense_are_refused() {
    assertThatThrownBy(() -> reader("orders", 0)).hasMessageContaining("prefetch must be from 1");
    assertThatThrownBy(() -> reader("orders", 70_000)).hasMessageContaining("was 70000");
    assertThatThrownBy(() -> RabbitBroker.at("amqp://guest:sec%ret@host"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("sec");
  }

  private Reader reader(String queue, int prefetch) {
    return new Reader(RabbitSource.from(node.broker(), queue).prefetch(prefetch).open());
  }

  private static RabbitBroker through(TcpFaultProxy proxy) {
    return RabbitBroker.at("amqp://guest:guest@127.0.0.1:" + proxy.port());
  }

  private void sendTo(String queue) {
    try {
      node.send(queue, "1");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> ends(Reader reader) {
    try (reader) {
      return assertThatThrownBy(() -> reader.pollUntil(() -> false))
          .isInstanceOfSatisfying(
              SourceException.class, it -> assertThat(it.kind()).isEqualTo(Kind.FINAL));
    }
  }
}
