package dev.onlyonce.app.cli;

import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.dedup.Counts;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import java.util.OptionalDouble;

/** How a run says what it did: in one line, or not at all. */
enum Stats {
  TEXT {
    @Override
    String line(Counts counts, long bytes, long nanos, OptionalDouble errorRate) {
      return String.format(
          Locale.ROOT,
          "%s: %,d passed on, %s, %,d without key, %,d bad, %,d blank%s%s; %.2f s%s",
          Quantity.of(counts.records(), "record"),
          counts.passed(),
          Quantity.of(counts.duplicates(), "duplicate"),
          counts.withoutKey(),
          counts.bad(),
          counts.blank(),
          counts.late() == 0 ? "" : String.format(Locale.ROOT, ", %,d late", counts.late()),
          counts.resumed() == 0
              ? ""
              : String.format(Locale.ROOT, ", %,d resumed", counts.resumed()),
          nanos / 1e9,
          errorRate.isEmpty() ? "" : taken(100 * errorRate.getAsDouble()));
    }
  },
  JSON {
    @Override
    String line(Counts counts, long bytes, long nanos, OptionalDouble errorRate) {
      return String.format(
          Locale.ROOT,
          "{\"records\":%d,\"passed\":%d,\"duplicates\":%d,\"withoutKey\":%d,\"bad\":%d,"
              + "\"blank\":%d,\"late\":%d,\"resumed\":%d,\"bytesRead\":%d,\"seconds\":%.3f%s}",
          counts.records(),
          counts.passed(),
          counts.duplicates(),
          counts.withoutKey(),
          counts.bad(),
          counts.blank(),
          counts.late(),
          counts.resumed(),
          bytes,
          nanos / 1e9,
          errorRate.isEmpty()
              ? ""
              : String.format(
                  Locale.ROOT, ",\"estimatedErrorRate\":%.3e", errorRate.getAsDouble()));
    }
  },
  NONE {
    @Override
    String line(Counts counts, long bytes, long nanos, OptionalDouble errorRate) {
      return "";
    }
  };

  /** What is less is not worth its zeros. */
  private static final double LEAST_PERCENT = 1e-6;

  private static final MathContext TWO_DIGITS = new MathContext(2);

  private static String taken(double percent) {
    String part =
        percent < LEAST_PERCENT
            ? "less than 0.000001"
            : "about "
                + new BigDecimal(percent).round(TWO_DIGITS).stripTrailingZeros().toPlainString();
    return "; of new records, " + part + " % are taken for duplicates by now";
  }

  /**
   * The line, without its end; empty for nothing.
   *
   * @param errorRate by which new records are taken for duplicates at the end, if any are
   */
  abstract String line(Counts counts, long bytes, long nanos, OptionalDouble errorRate);
}
