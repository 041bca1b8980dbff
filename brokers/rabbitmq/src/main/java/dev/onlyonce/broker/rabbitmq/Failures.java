package dev.onlyonce.broker.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.ProtocolVersionMismatchException;
import com.rabbitmq.client.ShutdownSignalException;
import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.SourceException.Kind;
import java.security.cert.CertificateException;
import org.jspecify.annotations.Nullable;

/**
 * Says what the client's exceptions mean for a consumer.
 *
 * @param place what is read where
 */
record Failures(String place) {
  private static final String TIMED_OUT = "timed out";

  /** The broker could not be reached, or did not let the consumer begin. */
  SourceException opening(Exception failure) {
    ShutdownSignalException signal = cause(failure, ShutdownSignalException.class);
    if (signal != null) {
      return refused(signal);
    }
    if (cause(failure, AuthenticationFailureException.class) != null) {
      return last(failure, "user or password are not accepted: see rabbitmqctl authenticate_user");
    }
    if (cause(failure, ProtocolVersionMismatchException.class) != null) {
      return last(failure, "what listens there does not speak AMQP 0-9-1: set its port, as 5672");
    }
    if (cause(failure, CertificateException.class) != null) {
      return last(failure, "the certificate of the broker is not trusted: set the TLS context");
    }
    return passing(failure, "the broker cannot be reached, which may pass");
  }

  private SourceException refused(ShutdownSignalException signal) {
    int code = code(signal);
    String reason = words(signal);
    return switch (code) {
      case AMQP.NOT_FOUND ->
          reason.contains("home node")
              ? passing(signal, "the node that has the queue is down, which may pass")
              : last(signal, "the queue is not there: declare it, durable, and bind it");
      case AMQP.ACCESS_REFUSED ->
          last(signal, "the user may not read it: allow it with rabbitmqctl set_permissions");
      case AMQP.RESOURCE_LOCKED ->
          last(signal, "the queue is exclusive to another connection: declare it without that");
      case AMQP.PRECONDITION_FAILED ->
          last(signal, "the queue does not take this consumer: declare it as it is to be");
      case AMQP.NOT_ALLOWED ->
          reason.contains("limit")
              ? passing(signal, "the broker takes no more connections, which may pass")
              : last(
                  signal,
                  "the virtual host is not there, or not for this user: see rabbitmqctl"
                      + " list_permissions");
      case AMQP.NOT_IMPLEMENTED -> last(signal, "the broker cannot do what it was asked");
      default -> passing(signal, "the broker does not let the consumer begin, which may pass");
    };
  }

  /** A session has ended that had begun. */
  SourceException ended(ShutdownSignalException signal) {
    String reason = words(signal);
    if (code(signal) == AMQP.PRECONDITION_FAILED && reason.contains(TIMED_OUT)) {
      return passing(
          signal,
          "a message was not acknowledged in the time that the broker gives, consumer_timeout: what"
              + " this consumer had is delivered again; make consumer_timeout longer, or prefetch"
              + " smaller");
    }
    return passing(signal, "the connection has ended, which may pass");
  }

  /** The broker delivers nothing more: the queue was deleted, or its leader has changed. */
  SourceException cancelled() {
    return new SourceException(
        Kind.PASSING, place + ": the broker has cancelled the consumer, which may pass", null);
  }

  SourceException stream() {
    return new SourceException(
        Kind.FINAL,
        place
            + ": it is a stream, which forgets nothing that is acknowledged and delivers nothing"
            + " again: read a classic or a quorum queue",
        null);
  }

  SourceException passing(Exception failure, String what) {
    return of(Kind.PASSING, failure, what);
  }

  private SourceException last(Exception failure, String what) {
    return of(Kind.FINAL, failure, what);
  }

  private SourceException of(Kind kind, Exception failure, String what) {
    return new SourceException(kind, place + ": " + what + " (" + words(failure) + ")", failure);
  }

  /** Whether the broker has said that what was asked for is not there. */
  static boolean isMissing(Exception failure) {
    ShutdownSignalException signal = cause(failure, ShutdownSignalException.class);
    return signal != null && code(signal) == AMQP.NOT_FOUND;
  }

  /** The reply code by which the broker has closed a channel or connection; 0 if it has not. */
  private static int code(ShutdownSignalException signal) {
    if (signal.getReason() instanceof AMQP.Channel.Close close) {
      return close.getReplyCode();
    }
    return signal.getReason() instanceof AMQP.Connection.Close close ? close.getReplyCode() : 0;
  }

  /** What the broker says, else what the client does. */
  static String words(Exception failure) {
    ShutdownSignalException signal = cause(failure, ShutdownSignalException.class);
    if (signal != null) {
      if (signal.getReason() instanceof AMQP.Channel.Close close) {
        return close.getReplyText();
      }
      if (signal.getReason() instanceof AMQP.Connection.Close close) {
        return close.getReplyText();
      }
    }
    String message = failure.getMessage();
    String name = failure.getClass().getSimpleName();
    return message == null ? name : name + ": " + message;
  }

  private static <T extends Throwable> @Nullable T cause(Throwable failure, Class<T> type) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (type.isInstance(each)) {
        return type.cast(each);
      }
    }
    return null;
  }
}
