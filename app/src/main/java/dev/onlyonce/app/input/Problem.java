package dev.onlyonce.app.input;

/** What is wrong with a record, as far as cutting it out of the input can tell. */
public enum Problem {
  /** Nothing is wrong. */
  NONE("is well formed"),
  /** It has more bytes than allowed, not counting its line end. */
  OVER_LONG("is longer than --max-record allows"),
  /** CSV: a field opens with a quote, and the input ends before the quote is closed. */
  UNCLOSED_QUOTE("has a quoted field that is not closed before the input ends"),
  /** CSV: a quoted field goes on after its closing quote. */
  TEXT_AFTER_QUOTE(
      "has text between the closing quote of a field and the next comma or line end;"
          + " a quote inside a quoted field must be doubled");

  static final Problem[] ALL = values();

  private final String sentence;

  Problem(String sentence) {
    this.sentence = sentence;
  }

  /** The sentence about such a record, without its subject. */
  public String sentence() {
    return sentence;
  }
}
