package dev.onlyonce.app.input;

/** Ends a record behind each line feed. */
final class LineFramer implements Framer {
  private static final long LINE_FEEDS = Words.of('\n');

  @Override
  public void frame(RecordBatch batch, boolean atEnd) {
    byte[] bytes = batch.bytes();
    int limit = batch.filled;
    int at = batch.scanned;
    for (; at <= limit - Long.BYTES; at += Long.BYTES) {
      long marks = Words.equalBytes(Words.at(bytes, at), LINE_FEEDS);
      for (; marks != 0; marks &= marks - 1) {
        batch.endRecord(at + Words.first(marks) + 1, 1, Problem.NONE);
      }
    }
    for (; at < limit; at++) {
      if (bytes[at] == '\n') {
        batch.endRecord(at + 1, 1, Problem.NONE);
      }
    }
    batch.scanned = limit;
    if (atEnd && (batch.openBytes() > 0 || batch.continuing)) {
      batch.endRecord(limit, 1, Problem.NONE);
    }
  }

  @Override
  public void beforeCut(RecordBatch batch) {}
}
