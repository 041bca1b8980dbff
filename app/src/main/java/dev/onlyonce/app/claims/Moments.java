package dev.onlyonce.app.claims;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Shows moments, which are milliseconds since the epoch. */
final class Moments {

  private static final DateTimeFormatter ISO =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  /** Nine thousand years from the epoch: what is later is for ever. */
  private static final long FOR_EVER_MILLIS = Duration.ofDays(365L * 7_900).toMillis();

  private Moments() {}

  /** Returns ISO 8601, in UTC. */
  static String iso(long millis) {
    return isForEver(millis) ? "for ever" : ISO.format(Instant.ofEpochMilli(millis));
  }

  static boolean isForEver(long millis) {
    return millis >= FOR_EVER_MILLIS;
  }

  /** Returns ISO 8601 and how far away that is. */
  static String both(long millis, long now) {
    return isForEver(millis) ? "for ever" : iso(millis) + " (" + distance(millis, now) + ")";
  }

  /** Returns how far away a moment is: {@code 2 h 5 min ago}, {@code in 25 s}. */
  static String distance(long millis, long now) {
    if (millis > now) {
      return isForEver(millis) ? "never" : "in " + length(millis - now);
    }
    return length(now - millis) + " ago";
  }

  /** Returns a length of time by its two largest units. */
  static String length(long millis) {
    Duration length = Duration.ofMillis(millis);
    if (length.toDays() > 0) {
      return units(length.toDays(), "d", length.toHoursPart(), "h");
    }
    if (length.toHours() > 0) {
      return units(length.toHours(), "h", length.toMinutesPart(), "min");
    }
    if (length.toMinutes() > 0) {
      return units(length.toMinutes(), "min", length.toSecondsPart(), "s");
    }
    return length.toSeconds() > 0 ? length.toSeconds() + " s" : millis + " ms";
  }

  private static String units(long large, String largeUnit, long small, String smallUnit) {
    String whole = large + " " + largeUnit;
    return small == 0 ? whole : whole + " " + small + " " + smallUnit;
  }
}
