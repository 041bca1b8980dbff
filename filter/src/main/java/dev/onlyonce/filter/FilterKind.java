package dev.onlyonce.filter;

/** Which filter a stream holds. */
enum FilterKind {
  FIXED(1),
  SCALABLE(2),
  ROTATING(3);

  /** The number in the format. */
  final int code;

  FilterKind(int code) {
    this.code = code;
  }
}
