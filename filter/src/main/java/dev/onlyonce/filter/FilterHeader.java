package dev.onlyonce.filter;

/**
 * The beginning of a saved filter: docs/formats/filter.md.
 *
 * @param more 1 if a fixed filter accepts being over-full; the number of a rotating one's
 *     generations
 * @param windowMillis of a rotating filter, else 0
 * @param filters how many follow, each of one slice or more
 */
record FilterHeader(
    FilterKind kind,
    long seed,
    double errorRate,
    long keys,
    long more,
    long windowMillis,
    int filters) {

  static final byte[] MAGIC = {'O', 'n', 'c', 'e', 'F', 'i', 'l', 0};
  static final int FORMAT = 1;

  /** Magic, format, kind, five numbers, how many follow, checksum. */
  static final int BYTES = 8 + 4 + 4 + 5 * 8 + 4 + 4;

  /** Period, slices left, blocks, bits a lane, checksum. */
  static final int SLICE_BYTES = 8 + 4 + 4 + 4 + 4;

  FilterHeader(FilterKind kind, Terms terms, long more, long windowMillis, int filters) {
    this(kind, terms.seed(), terms.errorRate(), terms.keys(), more, windowMillis, filters);
  }

  /** Whether a filter can be so; what was written always can. */
  boolean isSound() {
    return errorRate >= FilterBuilder.MIN_ERROR_RATE
        && errorRate <= FilterBuilder.MAX_ERROR_RATE
        && keys >= 1
        && (kind == FilterKind.ROTATING ? isSoundRotating() : isSoundSingle());
  }

  private boolean isSoundSingle() {
    long most = kind == FilterKind.FIXED ? 1 : 0;
    return filters == 1 && more >= 0 && more <= most && windowMillis == 0;
  }

  private boolean isSoundRotating() {
    return more >= 2
        && more <= FilterBuilder.MAX_GENERATIONS
        && filters >= 1
        && filters <= more
        && windowMillis >= more
        && windowMillis <= FilterBuilder.MAX_WINDOW.toMillis();
  }
}
