package dev.onlyonce.internal;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.spi.StoreException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * One line of the log, as {@code name=value} pairs with blanks between them. A value that is not
 * plain is quoted, so that nothing which came from outside can end the line or add a pair to it.
 * Not safe for use by several threads.
 */
final class LogLine {

  private static final Pattern PLAIN = Pattern.compile("[\\p{Alnum}._:/+,;@~$#*()<>-]+");
  private static final int LONGEST_VALUE = 1_000;
  private static final int DIGEST_DIGITS = 16;

  private final StringBuilder line = new StringBuilder();
  private final boolean showsData;

  /**
   * Begins a line.
   *
   * @param showsData whether keys and what failures say are written as they are
   */
  LogLine(String event, String scope, boolean showsData) {
    this.showsData = showsData;
    with("event", event).with("scope", scope);
  }

  LogLine with(String name, Object value) {
    if (line.length() > 0) {
      line.append(' ');
    }
    line.append(name).append('=');
    String text = shortened(String.valueOf(value));
    if (PLAIN.matcher(text).matches()) {
      line.append(text);
    } else {
      quote(text);
    }
    return this;
  }

  /** Adds the key, or the beginning of its SHA-256, by which its lines are found together. */
  LogLine with(Key key) {
    return showsData ? with("key", key) : with("key_digest", digest(key));
  }

  LogLine with(Claim claim) {
    return with(claim.key()).with("token", claim.token()).with("attempt", claim.attempt());
  }

  /** Adds words that may come from a user's code or data, if those are shown. */
  LogLine withWords(String name, String words) {
    return showsData ? with(name, words) : this;
  }

  /** Adds what failed: its class, and what it says if that is shown. */
  LogLine with(Throwable cause) {
    return showsData
        ? with("cause", Events.text(cause))
        : with("cause", cause.getClass().getName());
  }

  /** Adds how a store failed: for its exception, which is always of one class, what threw it. */
  LogLine with(StoreException cause) {
    with("kind", cause.kind());
    return showsData
        ? with("cause", String.valueOf(cause.getMessage()))
        : with("cause", (cause.getCause() == null ? cause : cause.getCause()).getClass().getName());
  }

  private static String digest(Key key) {
    return Fingerprint.sha256(key.toBytes()).toString().substring(0, DIGEST_DIGITS);
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "...";
  }

  private void quote(String text) {
    line.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        line.append('\\').append(c);
      } else if (isInvisible(c)) {
        line.append("\\u").append(HexFormat.of().toHexDigits(c));
      } else {
        line.append(c);
      }
    }
    line.append('"');
  }

  private static boolean isInvisible(char c) {
    return c != ' '
        && switch (Character.getType(c)) {
          case Character.CONTROL,
              Character.FORMAT,
              Character.LINE_SEPARATOR,
              Character.PARAGRAPH_SEPARATOR,
              Character.SPACE_SEPARATOR ->
              true;
          default -> false;
        };
  }

  @Override
  public String toString() {
    return line.toString();
  }
}
