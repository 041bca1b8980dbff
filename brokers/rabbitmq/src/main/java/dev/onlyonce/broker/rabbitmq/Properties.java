package dev.onlyonce.broker.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.LongStringHelper;
import dev.onlyonce.spi.Publisher.Message;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes properties and headers of messages. */
final class Properties {
  private static final int PERSISTENT = 2;

  /**
   * What the broker writes about a message's way, or reads as orders where to route it: not to be
   * sent on with a copy.
   */
  private static final Set<String> OF_THE_BROKER =
      Set.of(
          "CC",
          "BCC",
          "x-death",
          "x-delivery-count",
          "x-first-death-exchange",
          "x-first-death-queue",
          "x-first-death-reason",
          "x-last-death-exchange",
          "x-last-death-queue",
          "x-last-death-reason");

  private Properties() {}

  static BasicProperties of(Message message) {
    Map<String, List<byte[]>> given = message.headers();
    BasicProperties.Builder properties =
        new BasicProperties.Builder().deliveryMode(PERSISTENT).messageId(message.id());
    set(given, RabbitHeaders.MESSAGE_ID, properties::messageId);
    set(given, RabbitHeaders.CONTENT_TYPE, properties::contentType);
    set(given, RabbitHeaders.CONTENT_ENCODING, properties::contentEncoding);
    set(given, RabbitHeaders.CORRELATION_ID, properties::correlationId);
    set(given, RabbitHeaders.REPLY_TO, properties::replyTo);
    set(given, RabbitHeaders.TYPE, properties::type);
    set(given, RabbitHeaders.APP_ID, properties::appId);
    set(given, RabbitHeaders.TIMESTAMP, seconds -> properties.timestamp(date(seconds)));
    set(given, RabbitHeaders.PRIORITY, priority -> properties.priority(number(priority)));
    return properties.headers(headers(message)).build();
  }

  private static void set(Map<String, List<byte[]>> given, String name, Consumer<String> property) {
    List<byte[]> values = given.getOrDefault(name, List.of());
    if (!values.isEmpty()) {
      property.accept(new String(values.get(0), UTF_8));
    }
  }

  private static @Nullable Date date(String seconds) {
    try {
      return Date.from(Instant.ofEpochSecond(Long.parseLong(seconds)));
    } catch (IllegalArgumentException | DateTimeException e) {
      return null; // somebody else's header
    }
  }

  private static @Nullable Integer number(String text) {
    try {
      return Integer.valueOf(text);
    } catch (NumberFormatException e) {
      return null; // somebody else's header
    }
  }

  private static Map<String, Object> headers(Message message) {
    Map<String, Object> headers = new HashMap<>();
    message
        .headers()
        .forEach(
            (name, values) -> {
              if (!OF_THE_BROKER.contains(name) && !RabbitHeaders.NO_HEADERS.contains(name)) {
                headers.put(name, value(values));
              }
            });
    if (message.orderingKey() != null) {
      headers.put(RabbitHeaders.ORDERING_KEY, message.orderingKey());
    }
    return headers;
  }

  private static Object value(List<byte[]> values) {
    List<Object> strings = values.stream().<Object>map(LongStringHelper::asLongString).toList();
    return strings.size() == 1 ? strings.get(0) : strings;
  }
}
