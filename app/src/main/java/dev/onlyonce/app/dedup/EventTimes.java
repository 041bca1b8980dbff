package dev.onlyonce.app.dedup;

import dev.onlyonce.app.input.RecordBatch;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import dev.onlyonce.spi.Time;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * Reads the time that a field of a record tells: ISO 8601 with an offset, or without one in UTC; or
 * a number of seconds since 1970, with a fraction or without, or of milliseconds, microseconds or
 * nanoseconds, told by its size. Not thread-safe.
 */
final class EventTimes {

  /** A time that is further ahead would make all that follow late. */
  private static final Duration MOST_AHEAD = Duration.ofDays(1);

  private static final String NUMBER = "~j:";
  private static final BigDecimal THOUSAND = BigDecimal.valueOf(1_000);

  /** Seconds up to the year 5138, milliseconds from 1973 on. */
  private static final BigDecimal MOST_SECONDS = BigDecimal.valueOf(100_000_000_000L);

  private final RecordKeys field;
  private final Time wall;

  EventTimes(RecordKeys field, Time wall) {
    this.field = field;
    this.wall = wall;
  }

  /** A record's time, or why it has none. */
  sealed interface Found permits At, None {}

  record At(long millis) implements Found {}

  record None(String reason) implements Found {}

  Found find(RecordBatch batch, int entry) {
    Extracted extracted = field.find(batch, entry);
    if (extracted instanceof Unkeyed unkeyed) {
      return new None(unkeyed.detail());
    }
    String text = ((Keyed) extracted).key().toString();
    try {
      long millis = text.startsWith(NUMBER) ? number(text.substring(NUMBER.length())) : text(text);
      return checked(millis, text);
    } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
      return new None("'" + text + "' is no time");
    }
  }

  private Found checked(long millis, String text) {
    if (millis < 0) {
      return new None("'" + text + "' is before 1970");
    }
    if (millis > wall.millis() + MOST_AHEAD.toMillis()) {
      return new None("'" + text + "' is more than a day ahead of this machine's clock");
    }
    return new At(millis);
  }

  private static long text(String text) {
    if (text.matches("-?[0-9]+(\\.[0-9]+)?")) {
      return number(text);
    }
    String normal = text.indexOf(' ') == 10 ? text.replaceFirst(" ", "T") : text;
    boolean hasOffset = normal.matches(".*(Z|z|[+-][0-9]{2}(:?[0-9]{2})?)") && normal.length() > 16;
    return hasOffset
        ? OffsetDateTime.parse(withColon(normal)).toInstant().toEpochMilli()
        : LocalDateTime.parse(normal).toInstant(ZoneOffset.UTC).toEpochMilli();
  }

  private static String withColon(String text) {
    return text.replaceFirst("([+-][0-9]{2})([0-9]{2})$", "$1:$2")
        .replaceFirst("(T[0-9:.]+[+-][0-9]{2})$", "$1:00");
  }

  private static long number(String text) {
    BigDecimal number = new BigDecimal(text);
    if (number.precision() - number.scale() > 30) {
      throw new ArithmeticException("too large");
    }
    BigDecimal millis = number.multiply(THOUSAND);
    for (BigDecimal most = MOST_SECONDS;
        number.abs().compareTo(most) >= 0;
        most = most.multiply(THOUSAND)) {
      millis = millis.divide(THOUSAND);
    }
    return Instant.ofEpochMilli(millis.setScale(0, java.math.RoundingMode.FLOOR).longValueExact())
        .toEpochMilli();
  }
}
