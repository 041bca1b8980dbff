package dev.onlyonce.app.input;

/**
 * Which part of a record an entry of a batch is. All records are {@link #WHOLE} but over-long ones,
 * which come in parts that follow one another, so that they need not be held in memory.
 */
public enum Part {
  /** A whole record. */
  WHOLE(0),
  /** The beginning of an over-long record. */
  FIRST(1),
  /** Neither the beginning nor the end of an over-long record. */
  MIDDLE(2),
  /** The end of an over-long record; may be empty. */
  LAST(3);

  private static final Part[] BY_CODE = values();

  private final int code;

  Part(int code) {
    this.code = code;
  }

  /** A small number that stands for this part, from 0. */
  int code() {
    return code;
  }

  /** The part that the number stands for. */
  static Part of(int code) {
    return BY_CODE[code];
  }

  /** True where a record begins. */
  public boolean begins() {
    return this == WHOLE || this == FIRST;
  }

  /** True where a record ends. */
  public boolean ends() {
    return this == WHOLE || this == LAST;
  }
}
