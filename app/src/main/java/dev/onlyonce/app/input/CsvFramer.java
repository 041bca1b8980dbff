package dev.onlyonce.app.input;

/**
 * Ends a record behind each line feed that is not inside a quoted field (RFC 4180).
 *
 * <p>A quote opens a quoted field only where a field begins; elsewhere it is a character like
 * others, so a stray inch mark does not swallow the rest of a file. Inside a quoted field two
 * quotes stand for one. A carriage return counts as a line end only before a line feed.
 *
 * <p>Why not a library: the CSV readers looked at (FastCSV is the best of them) decode to strings
 * and do not tell where the bytes of a record begin and end, so records could not be passed on byte
 * for byte. The tests hold this class against FastCSV.
 */
final class CsvFramer implements Framer {
  private static final long LINE_FEEDS = Words.of('\n');
  private static final long QUOTES = Words.of('"');

  private boolean quoted;
  private int lineFeeds;
  private Problem problem = Problem.NONE;

  /** The byte before the open part of the record; a comma stands for none. */
  private byte before = ',';

  @Override
  public void frame(RecordBatch batch, boolean atEnd) {
    byte[] bytes = batch.bytes();
    int limit = batch.filled;
    int at = batch.scanned;
    while ((at = nextSpecial(bytes, at, limit)) < limit) {
      if (bytes[at] == '\n') {
        at++;
        lineFeeds++;
        if (!quoted) {
          end(batch, at);
        }
      } else if (!quoted) {
        quoted = (at > batch.open ? bytes[at - 1] : before) == ',';
        at++;
      } else if (isUndecided(bytes, at, limit) && !atEnd) {
        break;
      } else if (at + 1 < limit && bytes[at + 1] == '"') {
        at += 2;
      } else {
        quoted = false;
        at++;
        if (!fieldEnds(bytes, at, limit)) {
          problem = Problem.TEXT_AFTER_QUOTE;
        }
      }
    }
    batch.scanned = at;
    if (atEnd && (batch.openBytes() > 0 || batch.continuing)) {
      problem = quoted ? Problem.UNCLOSED_QUOTE : problem;
      lineFeeds++;
      end(batch, limit);
    }
  }

  @Override
  public void beforeCut(RecordBatch batch) {
    before = batch.bytes()[batch.scanned - 1];
  }

  private void end(RecordBatch batch, int end) {
    batch.endRecord(end, lineFeeds, problem);
    quoted = false;
    lineFeeds = 0;
    problem = Problem.NONE;
    before = ',';
  }

  /** True if it takes more bytes to say whether the quote closes its field, and how. */
  private static boolean isUndecided(byte[] bytes, int quote, int limit) {
    return quote + 1 == limit || (quote + 2 == limit && bytes[quote + 1] == '\r');
  }

  private static boolean fieldEnds(byte[] bytes, int at, int limit) {
    if (at == limit || bytes[at] == ',' || bytes[at] == '\n') {
      return true;
    }
    return bytes[at] == '\r' && (at + 1 == limit || bytes[at + 1] == '\n');
  }

  /** The position of the next quote or line feed, or the limit. */
  private static int nextSpecial(byte[] bytes, int from, int limit) {
    int at = from;
    for (; at <= limit - Long.BYTES; at += Long.BYTES) {
      long word = Words.at(bytes, at);
      long marks = Words.equalBytes(word, LINE_FEEDS) | Words.equalBytes(word, QUOTES);
      if (marks != 0) {
        return at + Words.first(marks);
      }
    }
    while (at < limit && bytes[at] != '\n' && bytes[at] != '"') {
      at++;
    }
    return at;
  }
}
