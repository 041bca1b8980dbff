package dev.onlyonce.bench;

import java.util.Arrays;
import java.util.Locale;

/** What is said of a figure that was measured in some rounds. */
final class Spread {

  private Spread() {}

  /** Returns the median and, if there are several rounds, the least and the most. */
  static String of(String format, double... rounds) {
    double[] sorted = sorted(rounds);
    String median = median(format, rounds);
    return sorted.length == 1
        ? median
        : "%s (%s to %s)"
            .formatted(median, text(format, sorted[0]), text(format, sorted[sorted.length - 1]));
  }

  static String median(String format, double... rounds) {
    double[] sorted = sorted(rounds);
    return text(format, (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2);
  }

  private static double[] sorted(double[] rounds) {
    double[] sorted = rounds.clone();
    Arrays.sort(sorted);
    return sorted;
  }

  private static String text(String format, double figure) {
    return String.format(Locale.ROOT, format, figure);
  }
}
