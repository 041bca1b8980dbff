package dev.onlyonce.broker.rocketmq;

import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Receipt;
import dev.onlyonce.spi.Publisher.Refused;
import dev.onlyonce.spi.Publisher.Unknown;
import java.util.Set;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.remoting.protocol.ResponseCode;

/** Says what the producer's answers and exceptions mean for a message. */
final class Receipts {
  private static final Set<Integer> NEVER_TAKEN =
      Set.of(
          ResponseCode.MESSAGE_ILLEGAL,
          ResponseCode.NO_PERMISSION,
          ResponseCode.TOPIC_NOT_EXIST,
          ResponseCode.INVALID_PARAMETER);

  private Receipts() {}

  /** Only one status says that the broker has done all that it is set to do. */
  static Receipt of(SendResult result) {
    return result.getSendStatus() == SendStatus.SEND_OK
        ? new Confirmed()
        : new Unknown("the broker has the message, but says " + result.getSendStatus());
  }

  static Receipt of(String topic, Exception failure) {
    return NEVER_TAKEN.contains(code(failure))
        ? new Refused(topic + ": " + Failures.words(failure))
        : new Unknown(topic + ": " + Failures.words(failure));
  }

  private static int code(Exception failure) {
    if (failure instanceof MQBrokerException broker) {
      return broker.getResponseCode();
    }
    return failure instanceof MQClientException client ? Failures.code(client) : -1;
  }
}
