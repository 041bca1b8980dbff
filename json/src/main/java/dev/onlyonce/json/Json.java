package dev.onlyonce.json;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.core.io.IOContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.UTF8StreamJsonParser;
import tools.jackson.core.sym.ByteQuadsCanonicalizer;

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

  private final JsonFactory factory = new Utf8Factory();

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
    if (invalid >= 0) {
      throw new JsonException("not JSON: no UTF-8 at byte " + (invalid - offset + 1));
    }
  }

  private static String sentence(JacksonException e, byte[] bytes, int offset, int length) {
    if (e instanceof StreamConstraintsException) {
      return "not readable: nested deeper than " + MAX_DEPTH + " levels";
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

  private static int byteOrderMark(byte[] bytes, int offset, int length) {
    boolean marked =
        length >= 3
            && bytes[offset] == (byte) 0xEF
            && bytes[offset + 1] == (byte) 0xBB
            && bytes[offset + 2] == (byte) 0xBF;
    return marked ? 3 : 0;
  }

  /**
   * Makes parsers that do not guess at other encodings than UTF-8 and share no table of names: a
   * new name would cost a copy of that table, so that documents with ids for names would be read
   * forty times slower, and names could be made to collide in it. The price is a fifth of the speed
   * on documents that all have the same names.
   */
  private static final class Utf8Factory extends JsonFactory {

    private static final long serialVersionUID = 1L;
    private static final ByteQuadsCanonicalizer NO_TABLE =
        ByteQuadsCanonicalizer.createRoot().makeChildOrPlaceholder(0);

    Utf8Factory() {
      // The document is in memory already and numbers stay text: their lengths need no limit.
      super(
          JsonFactory.builder()
              .streamReadConstraints(
                  StreamReadConstraints.builder()
                      .maxNestingDepth(MAX_DEPTH)
                      .maxNumberLength(Integer.MAX_VALUE)
                      .maxStringLength(Integer.MAX_VALUE)
                      .maxNameLength(Integer.MAX_VALUE)
                      .build()));
    }

    @Override
    protected JsonParser _createParser(
        ObjectReadContext context, IOContext io, byte[] bytes, int offset, int length) {
      int mark = byteOrderMark(bytes, offset, length);
      return new UTF8StreamJsonParser(
          context,
          io,
          context.getStreamReadFeatures(_streamReadFeatures),
          context.getFormatReadFeatures(_formatReadFeatures),
          null,
          NO_TABLE,
          bytes,
          offset + mark,
          offset + length,
          mark,
          false);
    }
  }
}
