package dev.onlyonce.app.cli;

import dev.onlyonce.app.dedup.Counts;
import java.util.Locale;
import java.util.OptionalDouble;

/** How a run says what it did: in one line, or not at all. */
enum Stats {
  TEXT {
    @Override
    String line(Counts counts, long bytes, long nanos, OptionalDouble errorRate) {
      return String.format(
          Locale.ROOT,
          "%,d %s: %,d passed on, %,d duplicates, %,d without key, %,d bad, %,d blank%s%s; %.2f s%s",
          counts.records(),
          counts.records() == 1 ? "record" : "records",
          counts.passed(),
          counts.duplicates(),
          counts.withoutKey(),
          counts.bad(),
          counts.blank(),
          counts.late() == 0 ? "" : String.format(Locale.ROOT, ", %,d late", counts.late()),
          counts.resumed() == 0
              ? ""
              : String.format(Locale.ROOT, ", %,d resumed", counts.resumed()),
          nanos / 1e9,
          piece("; of new records, about %.2g %% are taken for duplicates by now", errorRate, 100));
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
          piece(",\"estimatedErrorRate\":%.3e", errorRate, 1));
    }
  },
  NONE {
    @Override
    String line(Counts counts, long bytes, long nanos, OptionalDouble errorRate) {
      return "";
    }
  };

  private static String piece(String format, OptionalDouble errorRate, double factor) {
    return errorRate.isEmpty()
        ? ""
        : String.format(Locale.ROOT, format, factor * errorRate.getAsDouble());
  }

  /**
   * The line, without its end; empty for nothing.
   *
   * @param errorRate by which new records are taken for duplicates at the end, if any are
   */
  abstract String line(Counts counts, long bytes, long nanos, OptionalDouble errorRate);
}
