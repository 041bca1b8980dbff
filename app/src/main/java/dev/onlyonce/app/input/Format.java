package dev.onlyonce.app.input;

/** How the bytes of an input are cut into records. */
public enum Format {
  /** One JSON value a line. */
  JSONL(0),
  /** Comma-separated, RFC 4180: quoted fields may hold commas, line ends and doubled quotes. */
  CSV(','),
  /** Tab-separated, one record a line. There is no quoting: a quote is a character like others. */
  TSV('\t'),
  /** Plain lines. */
  LINES(0);

  private final byte delimiter;

  Format(int delimiter) {
    this.delimiter = (byte) delimiter;
  }

  /** True for the formats that have columns, and so a header line. */
  public boolean hasColumns() {
    return delimiter != 0;
  }

  /** The byte between two fields. */
  byte delimiter() {
    return delimiter;
  }
}
