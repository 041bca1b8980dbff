package dev.onlyonce.app.input;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Tells the format of an input by its first bytes. Empty lines at the beginning are passed over,
 * then the first rule that applies decides:
 *
 * <ol>
 *   <li><b>jsonl</b>: it begins like a JSON object or like an array of objects, arrays or strings,
 *       that is, with <code>{</code> before <code>"</code> or <code>}</code>, or with {@code [}
 *       before <code>{</code>, {@code [}, {@code "} or {@code ]}, blanks between them aside;
 *   <li><b>jsonl</b>: a key is a JSON Pointer, which no other format has;
 *   <li><b>tsv</b> if the first line has a tab, then <b>csv</b>: all keys are columns of the first
 *       line, by name, or by number if it has the delimiter;
 *   <li><b>lines</b> if there are no keys: the whole record counts, and the first one is one;
 *   <li><b>tsv</b>, then <b>csv</b>: the first line has the delimiter and reads like column names
 *       (each begins with a letter or underscore, none is empty, blank at an end or there twice),
 *       and the record behind it, if there is one, has as many fields;
 *   <li><b>lines</b> otherwise.
 * </ol>
 *
 * So text with commas, log lines and headerless numbers are lines, and whoever means something else
 * says so with {@code --format}.
 */
final class FormatDetector {
  /** More than this is not looked at; what has no line end until then is one line. */
  static final int MAX_BYTES = 64 << 10;

  private static final int MAX_COLUMNS = 10_000;

  private final byte[] bytes;
  private final int length;
  private final boolean isAll;
  private final List<String> keys;
  private final int start;
  private final int lineEnd;

  private FormatDetector(byte[] bytes, int length, boolean isAll, List<String> keys) {
    this.bytes = bytes;
    this.length = length;
    this.isAll = isAll || length >= MAX_BYTES;
    this.keys = keys;
    this.start = pastEmptyLines();
    this.lineEnd = lineEnd(start);
  }

  /**
   * The format of an input, or empty if it takes more bytes to say.
   *
   * @param bytes holds the first bytes of the input in its first {@code length} bytes, without a
   *     byte order mark
   * @param isAll that there are no more bytes than these
   * @param keys the keys asked for, as the command line gives them
   */
  static Optional<Format> detect(byte[] bytes, int length, boolean isAll, List<String> keys) {
    return new FormatDetector(bytes, length, isAll, keys).detect();
  }

  private Optional<Format> detect() {
    if (lineEnd < 0 && !isAll) {
      return Optional.empty();
    }
    if (looksLikeJson() || keys.stream().anyMatch(key -> key.startsWith("/"))) {
      return Optional.of(Format.JSONL);
    }
    if (keys.isEmpty()) {
      return Optional.of(Format.LINES);
    }
    int headerEnd = lineEnd < 0 ? length : lineEnd;
    for (Format format : List.of(Format.TSV, Format.CSV)) {
      List<String> columns = columns(format, start, headerEnd);
      if ((format == Format.CSV || columns.size() > 1) && hasAllKeys(columns)) {
        return Optional.of(format);
      }
    }
    for (Format format : List.of(Format.TSV, Format.CSV)) {
      List<String> columns = columns(format, start, headerEnd);
      if (columns.size() > 1 && columns.stream().allMatch(FormatDetector::isColumnName)) {
        int second = lineEnd < 0 ? length : lineEnd + 1;
        int secondEnd = lineEnd(second);
        if (secondEnd < 0 && !isAll) {
          return Optional.empty();
        }
        if (isDistinct(columns) && agrees(format, columns.size(), second, secondEnd)) {
          return Optional.of(format);
        }
      }
    }
    return Optional.of(Format.LINES);
  }

  private boolean looksLikeJson() {
    int first = pastBlanks(start);
    if (first == length || (bytes[first] != '{' && bytes[first] != '[')) {
      return false;
    }
    int second = pastBlanks(first + 1);
    String wanted = bytes[first] == '{' ? "\"}" : "{[\"]";
    return second < length && wanted.indexOf(bytes[second]) >= 0;
  }

  private boolean hasAllKeys(List<String> columns) {
    Set<String> names = new HashSet<>(columns);
    return keys.stream().allMatch(key -> names.contains(key) || isNumberOf(columns, key));
  }

  private static boolean isNumberOf(List<String> columns, String key) {
    return columns.size() > 1
        && key.matches("[1-9][0-9]{0,5}")
        && Integer.parseInt(key) <= columns.size();
  }

  private static boolean isDistinct(List<String> columns) {
    return new HashSet<>(columns).size() == columns.size();
  }

  private static boolean isColumnName(String name) {
    if (name.isEmpty() || !name.equals(name.strip())) {
      return false;
    }
    int first = name.codePointAt(0);
    return (Character.isLetter(first) || first == '_')
        && name.codePoints().noneMatch(Character::isISOControl);
  }

  /** True if the record there has so many fields, or cannot be seen whole. */
  private boolean agrees(Format format, int count, int from, int end) {
    if (from >= length || end < 0) {
      return true;
    }
    boolean opensQuote = format == Format.CSV && countQuotes(from, end) % 2 != 0;
    return opensQuote || columns(format, from, end).size() == count;
  }

  private int countQuotes(int from, int end) {
    int quotes = 0;
    for (int at = from; at < end; at++) {
      quotes += bytes[at] == '"' ? 1 : 0;
    }
    return quotes;
  }

  private List<String> columns(Format format, int from, int lineEnd) {
    int end = lineEnd > from && bytes[lineEnd - 1] == '\r' ? lineEnd - 1 : lineEnd;
    return Header.columns(format, bytes, from, end, MAX_COLUMNS);
  }

  private int lineEnd(int from) {
    for (int at = from; at < length; at++) {
      if (bytes[at] == '\n') {
        return at;
      }
    }
    return -1;
  }

  private int pastEmptyLines() {
    int at = 0;
    while (at < length && (bytes[at] == '\n' || bytes[at] == '\r')) {
      at++;
    }
    return at;
  }

  private int pastBlanks(int from) {
    int at = from;
    while (at < length && " \t\r\n".indexOf(bytes[at]) >= 0) {
      at++;
    }
    return at;
  }
}
