package dev.onlyonce.broker.rabbitmq;

import java.util.Set;

/**
 * Headers with a meaning of their own: what AMQP says of a message beside its headers. A {@link
 * RabbitSource} sets them; what a producer has sent under these names is not handed on. A {@link
 * RabbitPublisher} makes properties of them again, where that is said.
 */
public final class RabbitHeaders {

  /**
   * The property {@code message-id}. A copy of a delivery, such as its dead letter, keeps it: it
   * goes before the id of the {@link dev.onlyonce.spi.Publisher.Message}.
   */
  public static final String MESSAGE_ID = "onlyonce-rabbitmq-message-id";

  /** The property {@code content-type}; published again. */
  public static final String CONTENT_TYPE = "onlyonce-rabbitmq-content-type";

  /** The property {@code content-encoding}; published again. */
  public static final String CONTENT_ENCODING = "onlyonce-rabbitmq-content-encoding";

  /** The property {@code correlation-id}; published again. */
  public static final String CORRELATION_ID = "onlyonce-rabbitmq-correlation-id";

  /** The property {@code reply-to}; published again. */
  public static final String REPLY_TO = "onlyonce-rabbitmq-reply-to";

  /** The property {@code type}; published again. */
  public static final String TYPE = "onlyonce-rabbitmq-type";

  /** The property {@code app-id}; published again. */
  public static final String APP_ID = "onlyonce-rabbitmq-app-id";

  /** The property {@code timestamp}, in seconds since 1970; published again. */
  public static final String TIMESTAMP = "onlyonce-rabbitmq-timestamp";

  /** The property {@code priority}; published again. */
  public static final String PRIORITY = "onlyonce-rabbitmq-priority";

  /** The property {@code user-id}. Not published again: it must be the user of the connection. */
  public static final String USER_ID = "onlyonce-rabbitmq-user-id";

  /** The exchange that the message came through last; empty for the default one. */
  public static final String EXCHANGE = "onlyonce-rabbitmq-exchange";

  /** The routing key that the message came with last. */
  public static final String ROUTING_KEY = "onlyonce-rabbitmq-routing-key";

  /**
   * What must stay in order. A {@link RabbitPublisher} sends the ordering key of a message as this
   * header, which a {@link RabbitSource} reads before anything else.
   */
  public static final String ORDERING_KEY = "onlyonce-ordering-key";

  /** Those that are properties or the place of a message, and not headers of it. */
  static final Set<String> NO_HEADERS =
      Set.of(
          MESSAGE_ID,
          CONTENT_TYPE,
          CONTENT_ENCODING,
          CORRELATION_ID,
          REPLY_TO,
          TYPE,
          APP_ID,
          TIMESTAMP,
          PRIORITY,
          USER_ID,
          EXCHANGE,
          ROUTING_KEY);

  private RabbitHeaders() {}
}
