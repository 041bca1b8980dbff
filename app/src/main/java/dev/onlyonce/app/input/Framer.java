package dev.onlyonce.app.input;

/**
 * Finds the ends of records in an input that arrives piece by piece. Holds what must be remembered
 * between two pieces; one framer serves one input from its beginning to its end.
 */
sealed interface Framer permits LineFramer, CsvFramer {
  /** The framer that cuts an input of this format. */
  static Framer of(Format format) {
    return format == Format.CSV ? new CsvFramer() : new LineFramer();
  }

  /**
   * Looks at the bytes of the batch from {@code scanned} to {@code filled}, and ends each record
   * that ends there. What is left over stays open. May leave the last bytes unscanned, if it takes
   * the bytes after them to say what they are.
   *
   * @param atEnd that the input has no more bytes: the open record, if there is one, ends here
   */
  void frame(RecordBatch batch, boolean atEnd);

  /** Tells that the batch is about to hand out what has been scanned of the open record. */
  void beforeCut(RecordBatch batch);
}
