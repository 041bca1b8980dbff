package dev.onlyonce.broker.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import dev.onlyonce.services.RabbitMqServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.Delivery;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class DeliveriesTest {
  private static final Instant NOON = Instant.parse("2026-07-01T12:00:00Z");

  private Node node;
  private String queue;

  @BeforeEach
  void connect(@Shared RabbitMqServer server) throws Exception {
    node = new Node(server);
    queue = node.queue();
  }

  @AfterEach
  void disconnect() {
    node.close();
  }

  @Test
  void headers_of_every_amqp_type_arrive_as_bytes() throws Exception {
    Map<String, Object> headers = new LinkedHashMap<>();
    headers.put("text", "für");
    headers.put("bytes", new byte[] {0, -1});
    headers.put("byte", (byte) -3);
    headers.put("short", (short) 300);
    headers.put("int", 70_000);
    headers.put("long", Long.MAX_VALUE);
    headers.put("float", 0.5f);
    headers.put("double", 0.25);
    headers.put("decimal", new BigDecimal("12.34"));
    headers.put("boolean", true);
    headers.put("time", date());
    headers.put("nothing", null);
    headers.put("list", Arrays.asList("a", 2, null));
    headers.put("table", Map.of("count", 1L));
    headers.put("tables", List.of(Map.of("reasons", List.of("expired", "rejected"))));

    Delivery delivery = delivered("", queue, Node.properties().headers(headers).build(), null);

    assertThat(delivery.headers().get("bytes")).containsExactly(new byte[] {0, -1});
    assertThat(text(delivery, "text")).containsExactly("für");
    assertThat(text(delivery, "byte")).containsExactly("-3");
    assertThat(text(delivery, "short")).containsExactly("300");
    assertThat(text(delivery, "int")).containsExactly("70000");
    assertThat(text(delivery, "long")).containsExactly("9223372036854775807");
    assertThat(text(delivery, "float")).containsExactly("0.5");
    assertThat(text(delivery, "double")).containsExactly("0.25");
    assertThat(text(delivery, "decimal")).containsExactly("12.34");
    assertThat(text(delivery, "boolean")).containsExactly("true");
    assertThat(text(delivery, "time")).containsExactly("" + NOON.getEpochSecond());
    assertThat(text(delivery, "nothing")).containsExactly("");
    assertThat(text(delivery, "list")).containsExactly("a", "2", "");
    assertThat(text(delivery, "table")).containsExactly("{count=1}");
    assertThat(text(delivery, "tables")).containsExactly("{reasons=[expired, rejected]}");
  }

  @Test
  void properties_arrive_as_headers_that_a_producer_cannot_forge() throws Exception {
    BasicProperties properties =
        Node.properties()
            .messageId("m-1")
            .contentType("application/json")
            .contentEncoding("gzip")
            .correlationId("c-1")
            .replyTo("answers")
            .type("paid")
            .appId("shop")
            .userId("guest")
            .priority(3)
            .timestamp(date())
            .headers(Map.of(RabbitHeaders.EXCHANGE, "forged", RabbitHeaders.MESSAGE_ID, "forged"))
            .build();

    Delivery delivery = delivered("amq.topic", "orders.4711", properties, null);

    assertThat(delivery.source()).isEqualTo(queue);
    assertThat(delivery.recordKey()).isNull();
    assertThat(delivery.sentAt()).isEqualTo(NOON);
    assertThat(text(delivery, RabbitHeaders.MESSAGE_ID)).containsExactly("m-1");
    assertThat(text(delivery, RabbitHeaders.CONTENT_TYPE)).containsExactly("application/json");
    assertThat(text(delivery, RabbitHeaders.CONTENT_ENCODING)).containsExactly("gzip");
    assertThat(text(delivery, RabbitHeaders.CORRELATION_ID)).containsExactly("c-1");
    assertThat(text(delivery, RabbitHeaders.REPLY_TO)).containsExactly("answers");
    assertThat(text(delivery, RabbitHeaders.TYPE)).containsExactly("paid");
    assertThat(text(delivery, RabbitHeaders.APP_ID)).containsExactly("shop");
    assertThat(text(delivery, RabbitHeaders.USER_ID)).containsExactly("guest");
    assertThat(text(delivery, RabbitHeaders.PRIORITY)).containsExactly("3");
    assertThat(text(delivery, RabbitHeaders.TIMESTAMP)).containsExactly("" + NOON.getEpochSecond());
    assertThat(text(delivery, RabbitHeaders.EXCHANGE)).containsExactly("amq.topic");
    assertThat(text(delivery, RabbitHeaders.ROUTING_KEY)).containsExactly("orders.4711");
  }

  @Test
  void the_ordering_key_is_the_routing_key_unless_that_is_the_name_of_the_queue() throws Exception {
    BasicProperties plain = Node.properties().build();

    assertThat(delivered("amq.topic", "orders.1", plain, null).orderingKey()).isEqualTo("orders.1");
    assertThat(delivered("", queue, plain, null).orderingKey()).isNull();
  }

  @Test
  void the_ordering_key_is_in_the_header_that_is_named_and_the_publishers_goes_before_it()
      throws Exception {
    BasicProperties named = Node.properties().headers(Map.of("order", 7)).build();
    BasicProperties both =
        Node.properties().headers(Map.of("order", 7, RabbitHeaders.ORDERING_KEY, "o-8")).build();

    assertThat(delivered("amq.topic", "orders.1", named, "order").orderingKey()).isEqualTo("7");
    assertThat(delivered("amq.topic", "orders.1", named, "other").orderingKey()).isNull();
    assertThat(delivered("amq.topic", "orders.1", both, "order").orderingKey()).isEqualTo("o-8");
  }

  private Delivery delivered(
      String exchange, String routingKey, BasicProperties properties, String orderingHeader)
      throws Exception {
    node.channel().queueBind(queue, "amq.topic", "orders.#");
    node.channel().basicPublish(exchange, routingKey, properties, new byte[0]);
    RabbitSource.Builder source = RabbitSource.from(node.broker(), queue);
    if (orderingHeader != null) {
      source.orderBy(orderingHeader);
    }
    try (Reader reader = new Reader(source.open()).read(1)) {
      reader.acknowledgeAll();
      return reader.arrivals.get(0).delivery();
    }
  }

  private static List<String> text(Delivery delivery, String header) {
    return delivery.headers().get(header).stream().map(it -> new String(it, UTF_8)).toList();
  }

  private static Date date() {
    return Date.from(NOON);
  }
}
