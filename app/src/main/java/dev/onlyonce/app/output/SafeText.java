package dev.onlyonce.app.output;

/** Text of others, as it may be shown on a terminal. */
public final class SafeText {

  private SafeText() {}

  /**
   * Returns the text with everything escaped that could steer a terminal or hide what is there:
   * control characters, line ends, invisible ones, and what is no character at all. They become
   * {@code \n}, {@code \r}, {@code \t}, or <code>\&#117;</code> and hexadecimal digits in braces.
   */
  public static String of(String text) {
    if (text.codePoints().allMatch(SafeText::isSafe)) {
      return text;
    }
    StringBuilder safe = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              if (isSafe(c)) {
                safe.appendCodePoint(c);
              } else {
                safe.append(escape(c));
              }
            });
    return safe.toString();
  }

  private static String escape(int codePoint) {
    return switch (codePoint) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> String.format("\\u{%x}", codePoint);
    };
  }

  private static boolean isSafe(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
