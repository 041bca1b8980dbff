package dev.onlyonce.app.dedup;

import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.Header;
import dev.onlyonce.spi.Time;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a record that count, as the command line names them.
 *
 * @param keys pointers or columns that together are the key; none stands for the whole record
 * @param time the pointer or column of the record's time; null if its arrival counts
 */
public record KeyExpressions(List<String> keys, @Nullable String time) {

  private static final String TIME = " --time ";

  /** Copies the list. */
  public KeyExpressions {
    keys = List.copyOf(keys);
  }

  /** Returns who finds the times of records, null if they do not count. */
  @Nullable EventTimes times(Format format, Optional<Header> header) {
    return time == null
        ? null
        : new EventTimes(RecordKeys.of(format, header, "--time", List.of(time)), Time.system());
  }

  /**
   * Says what the expressions mean in an input, as far as that depends on its format. Whole records
   * without a header line are the same in all formats, and a column's number means what the header
   * line calls it.
   */
  String layout(Format format, Optional<Header> header) {
    String name = format.name().toLowerCase(Locale.ROOT);
    if (header.isPresent()) {
      return name + " with a header line" + numbered(header.get());
    }
    if (keys.isEmpty()) {
      return "records without a header line";
    }
    return format.hasColumns() ? name + " without a header line" : name;
  }

  private String numbered(Header header) {
    return keys.stream()
        .filter(key -> !header.columns().contains(key))
        .map(
            key ->
                " whose column %s is %s".formatted(key, header.columns().get(header.column(key))))
        .collect(Collectors.joining(" and"));
  }

  /** Tells whether these are the settings, as text, of a state that goes by the records' time. */
  static boolean hasTime(String settings) {
    return settings.contains(TIME);
  }

  /** Returns them as options, with blanks inside them quoted as in a shell. */
  @Override
  public String toString() {
    String options =
        keys.isEmpty()
            ? "whole records"
            : keys.stream().map(key -> "--key " + quoted(key)).collect(Collectors.joining(" "));
    return time == null ? options : options + TIME + quoted(time);
  }

  private static String quoted(String expression) {
    return expression.replaceAll("[\\s\\\\]", "\\\\$0");
  }
}
