package dev.onlyonce.app.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Events as a queue delivers them that promises at least once: copies close together, older copies,
 * stretches replayed as after a rebalance, and late copies. Each delivery has an id of its own.
 */
final class AtLeastOnceStream {
  private final List<String> lines = new ArrayList<>();
  private final List<String> firstDeliveries = new ArrayList<>();
  private final List<Integer> delivered = new ArrayList<>();

  AtLeastOnceStream(Random random, int events) {
    for (int event = 0; event < events; event++) {
      firstDeliveries.add(deliver(event, 1));
      if (random.nextInt(8) == 0) {
        deliver(event, 2);
      }
      if (random.nextInt(20) == 0) {
        deliver(delivered.get(random.nextInt(delivered.size())), 2);
      }
      if (random.nextInt(200) == 0) {
        int from = Math.max(0, delivered.size() - random.nextInt(60));
        List.copyOf(delivered.subList(from, delivered.size())).forEach(old -> deliver(old, 3));
      }
    }
    for (int i = 0; i < events / 50; i++) {
      deliver(random.nextInt(events), 4);
    }
  }

  /** All deliveries, without line ends. */
  List<String> lines() {
    return lines;
  }

  /** The ids of the first delivery of each event, in order. */
  List<String> firstDeliveries() {
    return firstDeliveries;
  }

  static String deliveryId(String line) {
    String before = "\"deliveryId\":\"";
    int start = line.indexOf(before) + before.length();
    return line.substring(start, line.indexOf('"', start));
  }

  private String deliver(int event, int attempt) {
    String id = "d-%06d".formatted(lines.size() + 1);
    Random content = new Random(event);
    lines.add(
        ("{\"deliveryId\":\"%s\",\"attempt\":%d,\"event\":{\"eventName\":\"Get%s\",\"resources\":"
                + "[{\"eventID\":\"%s\"}],\"note\":\"%s\",\"eventID\":\"%08x-%d\"}}")
            .formatted(
                id,
                attempt,
                content.nextInt(5),
                "not-this-one",
                "x\\\"".repeat(content.nextInt(300)),
                content.nextInt(),
                event));
    delivered.add(event);
    return id;
  }
}
