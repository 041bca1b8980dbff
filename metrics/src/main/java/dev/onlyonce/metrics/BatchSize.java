package dev.onlyonce.metrics;

/** The size of a batch as a tag: one value for each power of ten. */
final class BatchSize {

  static final String[] TAGS = {"0", "1", "2-9", "10-99", "100-999", "1000+"};

  private BatchSize() {}

  static String of(int size) {
    if (size <= 1) {
      return TAGS[Math.max(0, size)];
    }
    int digits = String.valueOf(size).length();
    return TAGS[Math.min(digits + 1, TAGS.length - 1)];
  }
}
