package dev.onlyonce.app.input;

import java.util.Arrays;

/**
 * The fields of one CSV or TSV record at a time, as bytes without quotes and escapes. Columns count
 * from 0. A value is a range of the record's own buffer, or of a scratch buffer if it had doubled
 * quotes; either is good until the next call. Not thread-safe; make one per thread and use it
 * again.
 *
 * <p>Own code, because keys are compared as bytes and a library would decode them (and replace what
 * is not valid UTF-8, so that different keys become one); the rules are those of {@link CsvFramer}.
 */
public final class DelimitedFields {
  private final byte delimiter;
  private final boolean quoting;
  private int[] starts = new int[16];
  private int[] ends = new int[16];
  private int count;

  private byte[] record = new byte[0];
  private byte[] value = record;
  private int offset;
  private int length;
  private byte[] scratch = new byte[64];

  /** For records of this format, which must be one that has columns. */
  public DelimitedFields(Format format) {
    if (!format.hasColumns()) {
      throw new IllegalArgumentException("format must have columns, was " + format);
    }
    this.delimiter = format.delimiter();
    this.quoting = format == Format.CSV;
  }

  /**
   * Cuts the record between {@code start} and {@code end}, its line end not included, into fields,
   * up to {@code wanted} of them. Returns how many there are, or {@code wanted} if there are more.
   */
  public int split(byte[] bytes, int start, int end, int wanted) {
    record = bytes;
    count = 0;
    int at = start;
    while (count < wanted) {
      int fieldEnd = fieldEnd(bytes, at, end);
      add(at, fieldEnd);
      if (fieldEnd >= end) {
        break;
      }
      at = fieldEnd + 1;
    }
    return count;
  }

  /**
   * Makes the value of a column the current one, see {@link #bytes()}. Returns false if the record
   * is too short to have that column.
   */
  public boolean select(int column) {
    if (column >= count) {
      return false;
    }
    int start = starts[column];
    int end = ends[column];
    value = record;
    offset = start;
    length = end - start;
    if (quoting && start < end && record[start] == '"') {
      unquote(start + 1, end);
    }
    return true;
  }

  /** The buffer that has the selected value. */
  public byte[] bytes() {
    return value;
  }

  /** Where the selected value begins. */
  public int offset() {
    return offset;
  }

  /** How many bytes the selected value has. */
  public int length() {
    return length;
  }

  private void add(int start, int end) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    starts[count] = start;
    ends[count] = end;
    count++;
  }

  private int fieldEnd(byte[] bytes, int start, int end) {
    int at = start;
    if (quoting && start < end && bytes[start] == '"') {
      at = closingQuote(bytes, start + 1, end);
    }
    while (at < end && bytes[at] != delimiter) {
      at++;
    }
    return at;
  }

  private static int closingQuote(byte[] bytes, int from, int end) {
    int at = from;
    while (at < end) {
      if (bytes[at] != '"') {
        at++;
      } else if (at + 1 < end && bytes[at + 1] == '"') {
        at += 2;
      } else {
        return at + 1;
      }
    }
    return end;
  }

  /** Selects what stands between the quotes; text behind the closing quote is kept as it is. */
  private void unquote(int from, int end) {
    int closing = from;
    while (closing < end && record[closing] != '"') {
      closing++;
    }
    if (closing >= end - 1) {
      offset = from;
      length = closing - from;
      return;
    }
    if (scratch.length < end - from) {
      scratch = new byte[2 * (end - from)];
    }
    boolean open = true;
    int to = 0;
    for (int at = from; at < end; at++) {
      byte b = record[at];
      if (open && b == '"') {
        if (at + 1 < end && record[at + 1] == '"') {
          at++;
        } else {
          open = false;
          continue;
        }
      }
      scratch[to++] = b;
    }
    value = scratch;
    offset = 0;
    length = to;
  }
}
