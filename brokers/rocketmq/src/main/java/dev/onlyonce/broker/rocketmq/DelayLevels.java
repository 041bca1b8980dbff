package dev.onlyonce.broker.rocketmq;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The delays that a broker has for messages that are sent back, as {@code messageDelayLevel}. */
final class DelayLevels {
  private static final List<Duration> DELAYS =
      Stream.of(
              IntStream.of(1, 5, 10, 30).mapToObj(Duration::ofSeconds),
              IntStream.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30).mapToObj(Duration::ofMinutes),
              IntStream.of(1, 2).mapToObj(Duration::ofHours))
          .flatMap(it -> it)
          .toList();

  private DelayLevels() {}

  /** The first level with a delay that is not shorter, from 1; the last one if all are. */
  static int notShorterThan(Duration wait) {
    int level = 1;
    while (level < DELAYS.size() && DELAYS.get(level - 1).compareTo(wait) < 0) {
      level++;
    }
    return level;
  }
}
