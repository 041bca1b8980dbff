package dev.onlyonce.broker.kafka;

import java.util.Map;

/**
 * Reads a topic, finishes the first 20 records of each partition, and goes on until it is killed.
 */
final class ReadingWorker {

  private ReadingWorker() {}

  public static void main(String[] args) {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers", args[0],
            "group.id", args[2],
            "session.timeout.ms", "2000",
            "heartbeat.interval.ms", "200",
            "partition.assignment.strategy",
                "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");
    try (Reader reader = new Reader(KafkaSource.with(settings).topics(args[1]).open());
        Cluster cluster = new Cluster(args[0])) {
      reader.read(200);
      reader.source.acknowledge(reader.arrivals.stream().filter(it -> it.number() < 20).toList());
      reader.pollOnUntil(
          () -> {
            try {
              return cluster.committed(args[2], args[1], 0, 1, 2, 3).stream()
                  .allMatch(it -> it == 20);
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          });
      System.out.println("committed");
      while (true) {
        reader.pollOn();
      }
    }
  }
}
