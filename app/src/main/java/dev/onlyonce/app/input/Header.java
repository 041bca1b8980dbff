package dev.onlyonce.app.input;

import dev.onlyonce.app.Failure;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The header line of delimited input: the names of its columns, and its bytes as they came. */
public final class Header {
  private static final int MAX_COLUMNS = 1_000_000;

  private final byte[] bytes;
  private final boolean bom;
  private final String place;
  private final List<String> columns;

  private Header(byte[] bytes, boolean bom, String place, List<String> columns) {
    this.bytes = bytes;
    this.bom = bom;
    this.place = place;
    this.columns = columns;
  }

  /** Reads the first entry of a batch as the header of its input. */
  static Header of(RecordBatch batch, Format format) {
    String place = batch.place(0);
    if (!batch.isPlain(0)) {
      throw Failure.badInput(place + ": the header line " + batch.problem(0).sentence());
    }
    if (batch.isBlank(0, format)) {
      throw Failure.badInput(place + ": there should be a header line, but the line is blank");
    }
    int start = batch.start(0);
    int contentEnd = batch.contentEnd(0);
    try {
      StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(batch.bytes(), start, contentEnd - start));
    } catch (CharacterCodingException e) {
      throw Failure.badInput(
          place + ": the header line is not valid UTF-8; convert the file with iconv", e);
    }
    byte[] bytes = new byte[batch.end(0) - start];
    System.arraycopy(batch.bytes(), start, bytes, 0, bytes.length);
    List<String> columns = columns(format, batch.bytes(), start, contentEnd, MAX_COLUMNS);
    return new Header(bytes, batch.followsByteOrderMark(0), place, columns);
  }

  static List<String> columns(Format format, byte[] bytes, int start, int end, int max) {
    DelimitedFields fields = new DelimitedFields(format);
    int count = fields.split(bytes, start, end, max);
    List<String> columns = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      fields.select(i);
      columns.add(
          new String(fields.bytes(), fields.offset(), fields.length(), StandardCharsets.UTF_8));
    }
    return columns;
  }

  /** The header as it came, its line end included, without a byte order mark. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** True if a byte order mark stood before it. */
  public boolean followsByteOrderMark() {
    return bom;
  }

  /** The names of the columns, without quotes. */
  public List<String> columns() {
    return List.copyOf(columns);
  }

  /**
   * The column that an expression means: a name, exactly as in the header, else a number from 1.
   *
   * @return the number of the column from 0, as {@link DelimitedFields} counts
   * @throws Failure if there is no such column, or more than one of that name
   */
  public int column(String expression) {
    int first = columns.indexOf(expression);
    if (first >= 0) {
      if (columns.lastIndexOf(expression) != first) {
        throw Failure.usage(
            place
                + ": the header has more than one column \""
                + expression
                + "\"; give the number of the column that is meant");
      }
      return first;
    }
    if (expression.matches("[1-9][0-9]{0,8}")) {
      int number = Integer.parseInt(expression);
      if (number <= columns.size()) {
        return number - 1;
      }
    }
    throw Failure.usage(
        place
            + ": there is no column \""
            + expression
            + "\"; the columns are "
            + String.join(", ", shown()));
  }

  /** Refuses the header of a further input if its columns are others. */
  void checkSame(Header later) {
    if (!columns.equals(later.columns)) {
      throw Failure.badInput(
          later.place
              + ": the header has other columns ("
              + String.join(", ", later.shown())
              + ") than that of "
              + place
              + " ("
              + String.join(", ", shown())
              + "); run files with different columns one by one");
    }
  }

  private List<String> shown() {
    int most = 20;
    if (columns.size() <= most) {
      return columns;
    }
    List<String> shown = new ArrayList<>(columns.subList(0, most));
    shown.add("and " + (columns.size() - most) + " more");
    return shown;
  }
}
