package dev.onlyonce.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.spi.Publisher.Message;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Copies one topic to another in transactions, until it is killed. */
final class BillingWorker {

  private BillingWorker() {}

  public static void main(String[] args) throws Exception {
    Map<String, Object> consumer =
        Map.of("bootstrap.servers", args[0], "group.id", args[3], "session.timeout.ms", "6000");
    Map<String, Object> producer =
        Map.of("bootstrap.servers", args[0], "transactional.id", args[3] + "-worker");
    try (KafkaTransactions copying =
        KafkaTransactions.with(consumer, producer)
            .topics(args[1])
            .batch(100)
            .maxWait(Duration.ofMillis(100))
            .open()) {
      while (true) {
        int passed =
            copying.runOnce(
                it ->
                    List.of(
                        new Message(
                            new String(it.body(), UTF_8),
                            args[2],
                            null,
                            "all",
                            Map.of(),
                            it.body())));
        if (passed > 0) {
          System.out.println("passed " + passed);
        }
      }
    }
  }
}
