package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.Key;

/**
 * Text that is stored for display only: it is cut, and where the database cannot keep all of
 * Unicode, made ASCII. Nothing is ever compared with it.
 *
 * @param isUnicode whether the database keeps all of Unicode
 * @param rawOwner the name that claims show
 */
record Text(boolean isUnicode, String rawOwner) {

  private static final int LONGEST_KEY = 200;
  private static final int LONGEST_OWNER = 128;

  String owner() {
    return fitting(rawOwner, LONGEST_OWNER);
  }

  String fittingOwner(String other) {
    return fitting(other, LONGEST_OWNER);
  }

  String of(Key key) {
    return fitting(key.toString(), LONGEST_KEY);
  }

  private String fitting(String text, int most) {
    StringBuilder fitting = new StringBuilder(Math.min(text.length(), most));
    for (int i = 0; i < text.length() && fitting.length() < most - 1; ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      boolean isPlain = c >= ' ' && (isUnicode ? !isSurrogate(c) : c < 0x7F);
      fitting.appendCodePoint(isPlain ? c : '?');
    }
    return fitting.toString();
  }

  private static boolean isSurrogate(int c) {
    return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
  }
}
