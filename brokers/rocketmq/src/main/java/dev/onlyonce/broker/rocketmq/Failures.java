package dev.onlyonce.broker.rocketmq;

import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.SourceException.Kind;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.jspecify.annotations.Nullable;

/** Says what the client's exceptions mean. */
final class Failures {
  private Failures() {}

  /** The code of a failure or of what it comes from; -1 if there is none. */
  static int code(MQClientException failure) {
    return failure.getCause() instanceof MQClientException cause
        ? cause.getResponseCode()
        : failure.getResponseCode();
  }

  static SourceException of(String place, String topic, MQClientException failure) {
    if (code(failure) == ResponseCode.TOPIC_NOT_EXIST) {
      return new SourceException(
          Kind.FINAL,
          "%s: topic %s is not there: create it with mqadmin updateTopic".formatted(place, topic),
          failure);
    }
    return new SourceException(
        Kind.PASSING,
        "%s: the queues of topic %s cannot be looked up, which may pass (%s)"
            .formatted(place, topic, words(failure)),
        failure);
  }

  /** The first line of what was meant for people; links follow. */
  static String words(Exception failure) {
    Throwable deepest = failure;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    String words =
        deepest instanceof MQBrokerException broker ? broker.getErrorMessage() : said(deepest);
    return words == null
        ? deepest.getClass().getSimpleName()
        : words.lines().findFirst().orElse("");
  }

  private static @Nullable String said(Throwable failure) {
    return failure instanceof MQClientException client && client.getErrorMessage() != null
        ? client.getErrorMessage()
        : failure.getMessage();
  }
}
