package dev.onlyonce.app.cli;

import dev.onlyonce.app.dedup.Counts;
import java.util.Locale;

/** How a run says what it did: in one line, or not at all. */
enum Stats {
  TEXT {
    @Override
    String line(Counts counts, long bytes, long nanos) {
      return String.format(
          Locale.ROOT,
          "%,d %s: %,d passed on, %,d duplicates, %,d without key, %,d bad, %,d blank%s%s; %.2f s",
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
          nanos / 1e9);
    }
  },
  JSON {
    @Override
    String line(Counts counts, long bytes, long nanos) {
      return String.format(
          Locale.ROOT,
          "{\"records\":%d,\"passed\":%d,\"duplicates\":%d,\"withoutKey\":%d,\"bad\":%d,"
              + "\"blank\":%d,\"late\":%d,\"resumed\":%d,\"bytesRead\":%d,\"seconds\":%.3f}",
          counts.records(),
          counts.passed(),
          counts.duplicates(),
          counts.withoutKey(),
          counts.bad(),
          counts.blank(),
          counts.late(),
          counts.resumed(),
          bytes,
          nanos / 1e9);
    }
  },
  NONE {
    @Override
    String line(Counts counts, long bytes, long nanos) {
      return "";
    }
  };

  /** The line, without its end; empty for nothing. */
  abstract String line(Counts counts, long bytes, long nanos);
}
