package dev.onlyonce.json;

/**
 * The one way to write a number: by its exact decimal value.
 *
 * <p>The layout is that of ECMAScript (and so of RFC 8785), but with every digit of the value where
 * ECMAScript rounds to a double: {@code 1}, {@code 1.0} and {@code 10e-1} are {@code 1}; {@code -0}
 * is {@code 0}; {@code 9007199254740993} keeps its last digit; the point moves by an exponent from
 * 1e21 on and below 1e-6. No number gets more than 21 digits longer, whatever its exponent says.
 */
final class Decimal {

  /** The most digits that an exponent may have, leading zeros not counted. */
  static final int MAX_EXPONENT_DIGITS = 18;

  private static final int LAST_PLAIN_POINT = 21;
  private static final int FIRST_PLAIN_POINT = -5;

  private final char[] text;
  private final int mantissaEnd;
  private int firstDigit = -1;
  private int lastDigit = -1;

  /** How many digits the value has between its first and its last one that is not zero. */
  private int digits;

  /** Where the decimal point is: the value is 0.DIGITS times ten to this power. */
  private long point;

  private Decimal(char[] text, int start, int end) {
    this.text = text;
    int at = start;
    long beforePoint = -1;
    long index = 0;
    for (; at < end && text[at] != 'e' && text[at] != 'E'; at++) {
      if (text[at] == '.') {
        beforePoint = index;
        continue;
      }
      if (text[at] != '0') {
        if (firstDigit < 0) {
          firstDigit = at;
          point = -index;
        }
        lastDigit = at;
        digits = (int) (index + point) + 1;
      }
      index++;
    }
    point += beforePoint < 0 ? index : beforePoint;
    mantissaEnd = at;
  }

  /**
   * Appends the number that is written here, which has the syntax of a JSON number.
   *
   * @return false if its exponent has more than {@link #MAX_EXPONENT_DIGITS} digits
   */
  static boolean append(char[] text, int offset, int length, Bytes out) {
    boolean negative = text[offset] == '-';
    Decimal decimal = new Decimal(text, negative ? offset + 1 : offset, offset + length);
    if (decimal.firstDigit < 0) {
      out.put('0');
      return true;
    }
    if (!decimal.addExponent(offset + length)) {
      return false;
    }
    if (negative) {
      out.put('-');
    }
    decimal.layOut(out);
    return true;
  }

  private boolean addExponent(int end) {
    int at = mantissaEnd + 1;
    boolean negative = at < end && text[at] == '-';
    if (at < end && (negative || text[at] == '+')) {
      at++;
    }
    while (at < end && text[at] == '0') {
      at++;
    }
    if (end - at > MAX_EXPONENT_DIGITS) {
      return false;
    }
    long exponent = 0;
    for (; at < end; at++) {
      exponent = exponent * 10 + (text[at] - '0');
    }
    point += negative ? -exponent : exponent;
    return true;
  }

  private void layOut(Bytes out) {
    if (point >= digits && point <= LAST_PLAIN_POINT) {
      appendDigits(out, -1);
      out.putZeros(point - digits);
    } else if (point > 0 && point <= LAST_PLAIN_POINT) {
      appendDigits(out, point);
    } else if (point <= 0 && point >= FIRST_PLAIN_POINT) {
      out.putAscii("0.").putZeros(-point);
      appendDigits(out, -1);
    } else {
      appendDigits(out, 1);
      out.putAscii(point > 0 ? "e+" : "e").putAscii(Long.toString(point - 1));
    }
  }

  private void appendDigits(Bytes out, long pointBefore) {
    long index = 0;
    for (int at = firstDigit; at <= lastDigit; at++) {
      if (text[at] != '.') {
        if (index++ == pointBefore) {
          out.put('.');
        }
        out.put(text[at]);
      }
    }
  }
}
