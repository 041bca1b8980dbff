package dev.onlyonce.json;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads documents with a streaming parser, and says in one sentence what is wrong with one.
 *
 * <p>A document is RFC 8259 to the letter: UTF-8 (a byte order mark may come first), one value,
 * nothing but white space behind it. Any number of threads.
 */
final class Json {

  /** How deep arrays and objects may be nested. */
  static final int MAX_DEPTH = 500;

  /** What is done with a document. The parser stands before its first token. */
  @FunctionalInterface
  interface Reading {
    void read(JsonParser parser);
  }

  // The document is in memory already and numbers stay text, so their lengths need no limit.
  private final JsonFactory factory =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .build();

  /**
   * Has the document read, which must end with its value, and checks that nothing follows.
   *
   * @throws JsonException if it is not JSON, however far behind it is damaged
   */
  void read(byte[] bytes, int offset, int length, Reading reading) {
    requireUtf8(bytes, offset, length);
    try (JsonParser parser =
        factory.createParser(ObjectReadContext.empty(), bytes, offset, length)) {
      if (parser.nextToken() == null) {
        throw new JsonException("not JSON: the document is empty");
      }
      reading.read(parser);
      if (parser.nextToken() != null) {
        throw new JsonException("not one JSON value: another one starts" + place(parser));
      }
    } catch (JacksonException e) {
      throw new JsonException(sentence(e, bytes, offset, length), e);
    }
  }

  /** Returns where the current token starts, as the end of a sentence. */
  static String place(JsonParser parser) {
    return " at byte " + (parser.currentTokenLocation().getByteOffset() + 1);
  }

  private static void requireUtf8(byte[] bytes, int offset, int length) {
    int invalid = Utf8.firstInvalid(bytes, offset, length);
    // A zero among the first four bytes makes the parser guess at UTF-16 or UTF-32.
    for (int i = offset; invalid < 0 && i < offset + Math.min(length, 4); i++) {
      invalid = bytes[i] == 0 ? i : -1;
    }
    if (invalid >= 0) {
      throw new JsonException("not JSON: no UTF-8 at byte " + (invalid - offset + 1));
    }
  }

  private static String sentence(JacksonException e, byte[] bytes, int offset, int length) {
    if (e instanceof StreamConstraintsException) {
      return "not readable: nested deeper than " + MAX_DEPTH + " levels, or names made to collide";
    }
    if (e instanceof UnexpectedEndOfInputException) {
      return "not JSON: ends too early, behind byte " + length;
    }
    @Nullable TokenStreamLocation location = e.getLocation();
    long at = location == null ? -1 : location.getByteOffset();
    if (at < 0 || at >= length) {
      return "not JSON: unreadable near its end, behind byte " + length;
    }
    byte found = bytes[offset + (int) at];
    String near =
        found > ' ' && found < 0x7F ? "'" + (char) found + "'" : "0x%02X".formatted(found);
    return "not JSON: unreadable at byte " + (at + 1) + ", near " + near;
  }
}
