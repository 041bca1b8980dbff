package dev.onlyonce.broker.kafka;

import dev.onlyonce.spi.Publisher.Receipt;
import dev.onlyonce.spi.Publisher.Refused;
import dev.onlyonce.spi.Publisher.Unknown;
import java.util.List;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Says what the producer's exceptions mean for a message. */
final class Receipts {
  private static final List<Class<? extends Exception>> NEVER_TAKEN =
      List.of(
          RecordTooLargeException.class,
          RecordBatchTooLargeException.class,
          InvalidRecordException.class,
          InvalidTopicException.class,
          UnknownTopicOrPartitionException.class,
          AuthorizationException.class);

  private Receipts() {}

  static Receipt of(String topic, Exception failure) {
    // What waited in vain for a topic says only in its cause that there is none.
    for (Throwable each = failure; each != null; each = each.getCause()) {
      for (Class<? extends Exception> refusal : NEVER_TAKEN) {
        if (refusal.isInstance(each)) {
          return new Refused("topic " + topic + ": " + words(each));
        }
      }
    }
    return new Unknown("topic " + topic + ": " + words(failure));
  }

  private static String words(Throwable failure) {
    return failure.getClass().getSimpleName()
        + (failure.getMessage() == null ? "" : ": " + failure.getMessage());
  }
}
