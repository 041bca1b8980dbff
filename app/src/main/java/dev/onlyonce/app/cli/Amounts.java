package dev.onlyonce.app.cli;

import dev.onlyonce.app.dedup.KeysInFilter;
import dev.onlyonce.app.input.ReadSettings;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads amounts as people write them. */
final class Amounts {

  private static final Pattern AMOUNT = Pattern.compile("([0-9]{1,12})([a-zA-Z]*)");

  private static final Pattern WHOLE_NUMBER = Pattern.compile("[-+]?[0-9]+");

  private Amounts() {}

  /**
   * Reads a positive duration: {@code 500ms}, {@code 90s}, {@code 15m}, {@code 24h}, {@code 7d}.
   */
  static Duration duration(String text) {
    Matcher amount = AMOUNT.matcher(text);
    try {
      Duration duration = amount.matches() ? duration(amount) : Duration.parse(text);
      if (duration.isZero() || duration.isNegative()) {
        throw new TypeConversionException("'" + text + "' is not a positive time");
      }
      return duration;
    } catch (DateTimeParseException | ArithmeticException e) {
      throw new TypeConversionException(
          "'" + text + "' is not a time; write it as 500ms, 90s, 15m, 24h or 7d");
    }
  }

  private static Duration duration(Matcher amount) {
    long count = Long.parseLong(amount.group(1));
    return switch (amount.group(2)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      case "d" -> Duration.ofDays(count);
      default -> throw new DateTimeParseException("no unit", amount.group(), 0);
    };
  }

  /** Reads a whole number. */
  static long longCount(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new TypeConversionException(
          WHOLE_NUMBER.matcher(text).matches()
              ? "'" + text + "' is too large"
              : "'" + text + "' is not a whole number");
    }
  }

  /** Reads a whole number that is not large. */
  static int count(String text) {
    long number = longCount(text);
    if (number != (int) number) {
      throw new TypeConversionException("'" + text + "' is too large");
    }
    return (int) number;
  }

  /** Reads the part of something that may go wrong: {@code 0.001}, {@code 1e-3}. */
  static final class ErrorRate implements ITypeConverter<Double> {
    @Override
    public Double convert(String text) {
      try {
        double rate = Double.parseDouble(text);
        if (rate >= KeysInFilter.MIN_ERROR_RATE && rate < KeysInFilter.TOO_LARGE_ERROR_RATE) {
          return rate;
        }
      } catch (NumberFormatException e) {
        // The sentence is the same.
      }
      throw new TypeConversionException(
          "'" + text + "' is not a rate; it may be from 0.000001 to less than 0.5, as in 0.001");
    }
  }

  /** Reads a number of bytes: {@code 4096}, {@code 64KiB}, {@code 64M}, {@code 1GiB}. */
  static final class Bytes implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      Matcher amount = AMOUNT.matcher(text);
      if (!amount.matches()) {
        throw wrong(text);
      }
      int shift =
          switch (amount.group(2).toUpperCase(Locale.ROOT)) {
            case "", "B" -> 0;
            case "K", "KB", "KIB" -> 10;
            case "M", "MB", "MIB" -> 20;
            case "G", "GB", "GIB" -> 30;
            default -> throw wrong(text);
          };
      long count = Long.parseLong(amount.group(1));
      long bytes = count << shift;
      boolean overflows = bytes >> shift != count;
      if (overflows || bytes < 1 || bytes > ReadSettings.LARGEST_MAX_RECORD_BYTES) {
        throw new TypeConversionException(
            "'" + text + "' is out of range; it may be from 1 byte to 1GiB");
      }
      return (int) bytes;
    }

    private static TypeConversionException wrong(String text) {
      return new TypeConversionException(
          "'" + text + "' is not a size; write it as 4096, 64KiB, 64MiB or 1GiB");
    }
  }
}
