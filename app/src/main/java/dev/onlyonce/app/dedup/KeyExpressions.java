package dev.onlyonce.app.dedup;

import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.Header;
import dev.onlyonce.spi.Time;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a record that count, as the command line names them.
 *
 * @param keys pointers or columns that together are the key; none stands for the whole record
 * @param time the pointer or column of the record's time; null if its arrival counts
 */
public record KeyExpressions(List<String> keys, @Nullable String time) {

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

  @Override
  public String toString() {
    String options = keys.isEmpty() ? "whole records" : "--key " + String.join(" --key ", keys);
    return time == null ? options : options + " --time " + time;
  }
}
