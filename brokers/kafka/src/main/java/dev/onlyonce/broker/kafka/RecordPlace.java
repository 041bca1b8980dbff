package dev.onlyonce.broker.kafka;

import dev.onlyonce.spi.Source.Arrival;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** Where a record is, as text: {@code orders-3@TOPIC_ID:17}. */
record RecordPlace(TopicPartition partition, Uuid topicId, long offset) {

  static RecordPlace of(Arrival arrival) {
    return parse(arrival.lane() + ":" + arrival.number());
  }

  /**
   * @throws IllegalArgumentException if the text is not a place
   */
  static RecordPlace parse(String text) {
    int at = text.lastIndexOf('@');
    int dash = text.lastIndexOf('-', Math.max(at, 0));
    int colon = text.lastIndexOf(':');
    if (dash < 1 || colon < at) {
      throw new IllegalArgumentException(
          "place must be like orders-3@TOPIC_ID:17, was '" + text + "'");
    }
    return new RecordPlace(
        new TopicPartition(text.substring(0, dash), Integer.parseInt(text.substring(dash + 1, at))),
        Uuid.fromString(text.substring(at + 1, colon)),
        Long.parseLong(text.substring(colon + 1)));
  }

  @Override
  public String toString() {
    return Lane.name(partition, topicId) + ":" + offset;
  }
}
