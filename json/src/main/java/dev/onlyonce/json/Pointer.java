package dev.onlyonce.json;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The syntax of JSON Pointer (RFC 6901), and what to write instead of what looks like jq. */
final class Pointer {

  private static final Pattern STEP =
      Pattern.compile(
          """
          \\.?(?<name>[^\\s.\\[\\]"'|,(){}*?:]+)\
          |\\.?\\[(?<index>\\d+)]\
          |\\.?\\[?"(?<quoted>[^"\\\\]+)"]?\
          |\\.?\\['(?<single>[^'\\\\]+)']""");

  private Pointer() {}

  /**
   * Returns the reference tokens, unescaped.
   *
   * @throws IllegalArgumentException if it is not a pointer; says what to write
   */
  static List<String> parse(String pointer) {
    if (!pointer.isEmpty() && pointer.charAt(0) != '/') {
      String instead = translate(pointer);
      throw new IllegalArgumentException(
          "not a JSON Pointer: '%s'; %s"
              .formatted(
                  pointer,
                  instead == null
                      ? "write the names on the way with a / before each, as in /event/eventID"
                      : instead.isEmpty()
                          ? "write '' (nothing) for the whole document"
                          : "write " + instead));
    }
    List<String> tokens = new ArrayList<>();
    for (int start = 1; start <= pointer.length(); ) {
      int slash = pointer.indexOf('/', start);
      int end = slash < 0 ? pointer.length() : slash;
      tokens.add(unescape(pointer, pointer.substring(start, end)));
      start = end + 1;
    }
    return tokens;
  }

  /** Returns the element of an array that this reference token names, or -1 if it names none. */
  static long arrayIndex(String token) {
    boolean digits = !token.isEmpty() && token.length() <= 10;
    for (int i = 0; i < token.length(); i++) {
      digits &= token.charAt(i) >= '0' && token.charAt(i) <= '9';
    }
    boolean plain = digits && (token.length() == 1 || token.charAt(0) != '0');
    return plain ? Long.parseLong(token) : -1;
  }

  private static String unescape(String pointer, String token) {
    for (int at = token.indexOf('~'); at >= 0; at = token.indexOf('~', at + 1)) {
      if (at + 1 == token.length()
          || (token.charAt(at + 1) != '0' && token.charAt(at + 1) != '1')) {
        throw new IllegalArgumentException(
            "not a JSON Pointer: '" + pointer + "'; in a name write ~0 for ~ and ~1 for /");
      }
    }
    return token.replace("~1", "/").replace("~0", "~");
  }

  /** Returns the pointer that somebody meant who wrote this, or null if that is not clear. */
  private static @Nullable String translate(String text) {
    if (text.startsWith("#")) {
      return text.length() == 1 || text.charAt(1) == '/' ? percentDecoded(text.substring(1)) : null;
    }
    boolean path = text.startsWith("$") || text.startsWith(".") || text.startsWith("[");
    if (!path && text.indexOf('/') >= 0) {
      return "/" + text;
    }
    String steps = text.startsWith("$") ? text.substring(1) : text;
    if (steps.isEmpty() || steps.equals(".")) {
      return "";
    }
    StringBuilder pointer = new StringBuilder();
    Matcher step = STEP.matcher(steps);
    int at = 0;
    for (; at < steps.length() && step.find(at) && step.start() == at; at = step.end()) {
      pointer.append('/').append(escape(token(step)));
    }
    return at == steps.length() ? pointer.toString() : null;
  }

  private static String token(Matcher step) {
    for (String group : List.of("name", "index", "quoted", "single")) {
      String token = step.group(group);
      if (token != null) {
        return token;
      }
    }
    throw new IllegalStateException("every alternative has a group");
  }

  private static String escape(String token) {
    return token.replace("~", "~0").replace("/", "~1");
  }

  private static @Nullable String percentDecoded(String fragment) {
    try {
      return URLDecoder.decode(fragment.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
