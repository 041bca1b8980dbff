package dev.onlyonce.app.input;

/**
 * Which part of a record an entry of a batch is. All records are {@link #WHOLE} but over-long ones,
 * which come in parts that follow one another, so that they need not be held in memory.
 */
public enum Part {
  /** A whole record. */
  WHOLE,
  /** The beginning of an over-long record. */
  FIRST,
  /** Neither the beginning nor the end of an over-long record. */
  MIDDLE,
  /** The end of an over-long record; may be empty. */
  LAST;

  static final Part[] ALL = values();

  /** True where a record begins. */
  public boolean begins() {
    return this == WHOLE || this == FIRST;
  }

  /** True where a record ends. */
  public boolean ends() {
    return this == WHOLE || this == LAST;
  }
}
