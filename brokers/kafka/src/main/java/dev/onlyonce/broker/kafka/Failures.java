package dev.onlyonce.broker.kafka;

import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.SourceException.Kind;
import dev.onlyonce.spi.StoreException;
import java.util.Set;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/**
 * Says what the client's exceptions mean for a consumer.
 *
 * @param place who reads where: {@code group billing at kafka-1:9092}
 */
record Failures(String place, String group) {

  SourceException of(KafkaException failure) {
    if (failure instanceof AuthenticationException) {
      return last(
          failure,
          "the broker does not accept who we are: set security.protocol, sasl.mechanism and"
              + " sasl.jaas.config, or the ssl settings, as it wants them");
    }
    if (failure instanceof AuthorizationException denied) {
      return last(failure, remedy(denied));
    }
    if (failure instanceof NoOffsetForPartitionException lost) {
      return last(failure, noPosition(lost.partitions()));
    }
    if (failure instanceof OffsetOutOfRangeException lost) {
      return last(failure, noPosition(lost.partitions()));
    }
    if (failure instanceof FencedInstanceIdException) {
      return last(
          failure,
          "another consumer has joined with the same group.instance.id: give each one its own");
    }
    if (failure instanceof UnsupportedVersionException) {
      return last(
          failure,
          "the broker is too old for what it was asked: leave group.protocol as it is (classic)");
    }
    return failure instanceof RetriableException || failure instanceof InterruptException
        ? of(Kind.PASSING, failure, "the broker does not answer, which may pass")
        : last(failure, "the client cannot go on");
  }

  SourceException missing(String topic, KafkaException failure) {
    return last(
        failure,
        "topic %s is not there: create it with the number of partitions that it is to have"
            .formatted(topic));
  }

  /** None of the brokers has a connection. */
  SourceException away() {
    return new SourceException(
        Kind.PASSING, place + ": no broker can be reached, which may pass", null);
  }

  SourceException withoutPositions(StoreException failure) {
    return new SourceException(
        failure.kind() == StoreException.Kind.UNAVAILABLE ? Kind.PASSING : Kind.FINAL,
        place + ": where to read on cannot be read from the store: " + failure.getMessage(),
        failure);
  }

  private String remedy(AuthorizationException denied) {
    if (denied instanceof TopicAuthorizationException topics) {
      return "READ on topic %s is not allowed: add it with kafka-acls --add --operation Read --topic"
          .formatted(String.join(", ", topics.unauthorizedTopics()));
    }
    if (denied instanceof GroupAuthorizationException) {
      return "READ on group %s is not allowed: add it with kafka-acls --add --operation Read --group"
          .formatted(group);
    }
    return "the broker does not allow what it was asked: see kafka-acls --list";
  }

  private static String noPosition(Set<?> partitions) {
    return "auto.offset.reset is none, and there is no offset to read on from for "
        + partitions
        + ": commit one with kafka-consumer-groups --reset-offsets, or set earliest";
  }

  private SourceException last(KafkaException failure, String what) {
    return of(Kind.FINAL, failure, what);
  }

  private SourceException of(Kind kind, KafkaException failure, String what) {
    return new SourceException(kind, place + ": " + what + " (" + words(failure) + ")", failure);
  }

  private static String words(KafkaException failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
