package dev.onlyonce.app.input;

/** What is wrong with a record, as far as cutting it out of the input can tell. */
public enum Problem {
  /** Nothing is wrong. */
  NONE(0, "is well formed"),
  /** It has more bytes than allowed, not counting its line end. */
  OVER_LONG(1, "is longer than --max-record allows"),
  /** CSV: a field opens with a quote, and the input ends before the quote is closed. */
  UNCLOSED_QUOTE(2, "has a quoted field that is not closed before the input ends"),
  /** CSV: a quoted field goes on after its closing quote. */
  TEXT_AFTER_QUOTE(
      3,
      "has text between the closing quote of a field and the next comma or line end;"
          + " a quote inside a quoted field must be doubled");

  private static final Problem[] BY_CODE = values();

  private final int code;
  private final String sentence;

  Problem(int code, String sentence) {
    this.code = code;
    this.sentence = sentence;
  }

  /** A small number that stands for this problem, from 0. */
  int code() {
    return code;
  }

  /** The problem that the number stands for. */
  static Problem of(int code) {
    return BY_CODE[code];
  }

  /** The sentence about such a record, without its subject. */
  public String sentence() {
    return sentence;
  }
}
