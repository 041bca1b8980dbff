package dev.onlyonce.app.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Key;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.input.DelimitedFields;
import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.Header;
import dev.onlyonce.app.input.RecordBatch;
import dev.onlyonce.json.JsonKeys;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import dev.onlyonce.spi.KeyExtractor.Reason;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Finds the key of a whole, well-formed record. Not thread-safe. */
public interface RecordKeys {

  /** Returns the key of an entry, or why it has none. */
  Extracted find(RecordBatch batch, int entry);

  /**
   * Returns what finds the keys that these expressions name.
   *
   * @param header the columns' names, if the input has a header line
   * @param option what the command line calls them, for messages
   * @param expressions pointers or columns; none stands for the whole record
   * @throws Failure if an expression does not fit the format
   */
  static RecordKeys of(
      Format format, Optional<Header> header, String option, List<String> expressions) {
    if (expressions.isEmpty()) {
      return RecordKeys::wholeRecord;
    }
    return switch (format) {
      case JSONL -> json(option, expressions);
      case CSV, TSV -> new Columns(format, header, option, expressions);
      case LINES ->
          throw Failure.usage(
              "plain lines have no fields that %s %s could name; leave it out, or give --format"
                  .formatted(option, expressions.get(0)));
    };
  }

  private static Extracted wholeRecord(RecordBatch batch, int entry) {
    int start = batch.start(entry);
    return new Keyed(Key.digestOf(batch.bytes(), start, batch.contentEnd(entry) - start));
  }

  private static RecordKeys json(String option, List<String> pointers) {
    JsonKeys keys;
    try {
      keys = JsonKeys.at(pointers.toArray(String[]::new));
    } catch (IllegalArgumentException e) {
      throw Failure.usage(option + ": " + e.getMessage());
    }
    return (batch, entry) -> {
      int start = batch.start(entry);
      return keys.extract(batch.bytes(), start, batch.contentEnd(entry) - start);
    };
  }

  /** Keys of one or several columns. */
  final class Columns implements RecordKeys {
    private final DelimitedFields fields;
    private final int[] columns;
    private final List<String> names;
    private final int wanted;

    private Columns(
        Format format, Optional<Header> header, String option, List<String> expressions) {
      this.fields = new DelimitedFields(format);
      this.names = expressions;
      this.columns =
          expressions.stream()
              .mapToInt(
                  name ->
                      header.map(known -> known.column(name)).orElseGet(() -> number(option, name)))
              .toArray();
      this.wanted = Arrays.stream(columns).max().orElse(0) + 1;
    }

    private static int number(String option, String expression) {
      if (!expression.matches("[1-9][0-9]{0,5}")) {
        throw Failure.usage(
            option
                + " "
                + expression
                + ": without a header line a column is a number from 1 to 999999");
      }
      return Integer.parseInt(expression) - 1;
    }

    @Override
    public Extracted find(RecordBatch batch, int entry) {
      fields.split(batch.bytes(), batch.start(entry), batch.contentEnd(entry), wanted);
      List<Key> parts = new ArrayList<>(columns.length);
      for (int i = 0; i < columns.length; i++) {
        if (!fields.select(columns[i])) {
          return new Unkeyed(Reason.MISSING, "there is no column " + names.get(i));
        }
        if (isBlank()) {
          return new Unkeyed(Reason.EMPTY, "column " + names.get(i) + " is empty");
        }
        parts.add(value());
      }
      return new Keyed(columns.length == 1 ? parts.get(0) : Key.fitting(parts));
    }

    /** Says the same as {@link String#isBlank}, as for JSON text. */
    private boolean isBlank() {
      if (fields.length() > 0 && isVisible(fields.bytes()[fields.offset()])) {
        return false;
      }
      return new String(fields.bytes(), fields.offset(), fields.length(), UTF_8).isBlank();
    }

    private static boolean isVisible(byte b) {
      return b > ' ';
    }

    private Key value() {
      return Key.fitting(fields.bytes(), fields.offset(), fields.length());
    }
  }
}
