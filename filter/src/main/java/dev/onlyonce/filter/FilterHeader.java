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
}
