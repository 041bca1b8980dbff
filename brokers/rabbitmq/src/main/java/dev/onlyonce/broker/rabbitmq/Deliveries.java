package dev.onlyonce.broker.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.LongString;
import dev.onlyonce.spi.Delivery;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes deliveries of what the client hands over.
 *
 * @param queue that they come from
 * @param session whose delivery tags are meant
 * @param orderingHeader the header that says what must stay in order; null for the routing key
 */
record Deliveries(String queue, String session, @Nullable String orderingHeader) {
  private static final byte[] NOTHING = {};

  Delivery of(Envelope envelope, BasicProperties properties, byte[] body) {
    Map<String, List<byte[]>> headers = headers(envelope, properties);
    Date sent = properties.getTimestamp();
    return new Delivery(
        queue,
        envelope.getDeliveryTag() + "@" + session,
        null,
        orderingKey(envelope, headers),
        sent == null ? null : sent.toInstant(),
        headers,
        body);
  }

  /**
   * Through the default exchange a message comes with the name of the queue, which is no more one
   * than another.
   */
  private @Nullable String orderingKey(Envelope envelope, Map<String, List<byte[]>> headers) {
    String own = text(headers, RabbitHeaders.ORDERING_KEY);
    if (own != null) {
      return own;
    }
    if (orderingHeader != null) {
      return text(headers, orderingHeader);
    }
    return envelope.getExchange().isEmpty() ? null : envelope.getRoutingKey();
  }

  private static @Nullable String text(Map<String, List<byte[]>> headers, String name) {
    List<byte[]> values = headers.getOrDefault(name, List.of());
    return values.isEmpty() ? null : new String(values.get(0), UTF_8);
  }

  private static Map<String, List<byte[]>> headers(Envelope envelope, BasicProperties properties) {
    Map<String, List<byte[]>> headers = new LinkedHashMap<>();
    if (properties.getHeaders() != null) {
      properties.getHeaders().forEach((name, value) -> headers.put(name, values(value)));
    }
    headers.keySet().removeAll(RabbitHeaders.NO_HEADERS);
    Map<String, Object> more = new LinkedHashMap<>();
    more.put(RabbitHeaders.MESSAGE_ID, properties.getMessageId());
    more.put(RabbitHeaders.CONTENT_TYPE, properties.getContentType());
    more.put(RabbitHeaders.CONTENT_ENCODING, properties.getContentEncoding());
    more.put(RabbitHeaders.CORRELATION_ID, properties.getCorrelationId());
    more.put(RabbitHeaders.REPLY_TO, properties.getReplyTo());
    more.put(RabbitHeaders.TYPE, properties.getType());
    more.put(RabbitHeaders.APP_ID, properties.getAppId());
    more.put(RabbitHeaders.TIMESTAMP, properties.getTimestamp());
    more.put(RabbitHeaders.PRIORITY, properties.getPriority());
    more.put(RabbitHeaders.USER_ID, properties.getUserId());
    more.put(RabbitHeaders.EXCHANGE, envelope.getExchange());
    more.put(RabbitHeaders.ROUTING_KEY, envelope.getRoutingKey());
    more.forEach(
        (name, value) -> {
          if (value != null) {
            headers.put(name, List.of(bytes(value)));
          }
        });
    return headers;
  }

  /** An array is a header with several values. */
  private static List<byte[]> values(@Nullable Object value) {
    return value instanceof List<?> list
        ? list.stream().map(Deliveries::bytes).toList()
        : List.of(bytes(value));
  }

  /** Bytes and strings are what they are, a time is seconds, the rest is text. */
  private static byte[] bytes(@Nullable Object value) {
    if (value == null) {
      return NOTHING;
    }
    if (value instanceof byte[] bytes) {
      return bytes;
    }
    return value instanceof LongString string ? string.getBytes() : text(value).getBytes(UTF_8);
  }

  private static String text(@Nullable Object value) {
    if (value instanceof Map<?, ?> table) {
      return table.entrySet().stream()
          .map(it -> it.getKey() + "=" + text(it.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(Deliveries::text).collect(Collectors.joining(", ", "[", "]"));
    }
    if (value instanceof Date date) {
      return Long.toString(date.toInstant().getEpochSecond());
    }
    return value instanceof byte[] bytes ? new String(bytes, UTF_8) : String.valueOf(value);
  }
}
