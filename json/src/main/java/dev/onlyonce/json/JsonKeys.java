package dev.onlyonce.json;

import dev.onlyonce.Key;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.KeyExtractor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Finds the idempotency key of a JSON document by JSON Pointers (RFC 6901), as in {@code
 * JsonKeys.at("/event/eventID")}; several pointers make a composite key in their order.
 *
 * <p><b>Equality.</b> Strings are equal if their text is, escapes resolved: {@code "\/"} is {@code
 * "/"}. Nothing else is folded, not case and not Unicode forms. Numbers are equal if their exact
 * decimal value is, so {@code 1}, {@code 1.0} and {@code 1e0} are one key, {@code -0} is {@code 0},
 * and {@code 9007199254740993} keeps all its digits. The number {@code 1} and the string {@code
 * "1"} are two keys, and so are {@code true} and {@code "true"}. Arrays and objects are equal if
 * their {@link JsonFingerprint#canonical canonical form} is. What is too long for a key is replaced
 * by its digest.
 *
 * <p><b>No key.</b> There is none, and the reason says why, if one of the pointers leads to nothing
 * (an array index that is out of range or is none leads to nothing), to null, or to a string that
 * is empty or blank or an array or object that is empty. The first such pointer is named. The
 * document is undecodable if
 *
 * <ul>
 *   <li>it is not one JSON value in UTF-8 (RFC 8259), a byte order mark before it aside;
 *   <li>a member name comes twice on the way to a pointed value, or inside a pointed value: which
 *       of the two is meant would be left to chance. Elsewhere names may repeat;
 *   <li>it is nested deeper than 500 levels, or a pointed value or any member name has an unpaired
 *       surrogate, or a pointed value a number whose exponent has more than 18 digits.
 * </ul>
 *
 * <p><b>The whole document is read</b>, also when the key comes early: a document that is damaged
 * behind its key never passes for a good one, and neither does a name that comes again. One pass
 * finds all pointers; what they do not lead to is checked and skipped.
 *
 * <p>Immutable; any number of threads. Never throws for what is in a document.
 */
public final class JsonKeys implements KeyExtractor {

  private final Json json = new Json();
  private final PointerTree tree;
  private final Extracted[] missing;

  private JsonKeys(PointerTree tree) {
    this.tree = tree;
    this.missing = new Extracted[tree.pointers().size()];
    Arrays.setAll(missing, i -> unkeyed(Reason.MISSING, i, "there is nothing"));
  }

  /**
   * Returns the extractor of the key at these places. The pointer {@code ""} is the whole document.
   *
   * @throws IllegalArgumentException if there is no pointer, one of them is not RFC 6901 (the
   *     message says what to write instead of {@code .event.eventID}), or one includes another one
   */
  public static JsonKeys at(String... pointers) {
    return new JsonKeys(new PointerTree(List.of(pointers)));
  }

  /** Returns the key in the body. */
  @Override
  public Extracted extract(Delivery delivery) {
    return extract(delivery.body(), 0, delivery.body().length);
  }

  /**
   * Returns the key of the document that these bytes are. Nothing is copied but the key; details
   * count bytes from 1 at the offset.
   *
   * @throws IndexOutOfBoundsException if there are no such bytes
   */
  public Extracted extract(byte[] bytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    Extracted[] found = missing.clone();
    try {
      json.read(
          bytes, offset, length, parser -> tree.visit(parser, (i, at) -> found[i] = value(i, at)));
    } catch (JsonException e) {
      return new Unkeyed(Reason.UNDECODABLE, Objects.requireNonNull(e.getMessage()));
    }
    return found.length == 1 ? found[0] : composite(found);
  }

  private Extracted value(int pointer, JsonParser parser) {
    JsonToken token = parser.currentToken();
    if (token == JsonToken.VALUE_STRING) {
      return text(pointer, parser.getString());
    }
    if (token == JsonToken.VALUE_NULL) {
      return unkeyed(Reason.NULL, pointer, "null");
    }
    byte[] canonical = new CanonicalJson().append(parser, null).toBytes();
    if (canonical.length == "[]".length() && token.isStructStart()) {
      return unkeyed(Reason.EMPTY, pointer, token == JsonToken.START_ARRAY ? "[]" : "{}");
    }
    return new Keyed(Key.json(canonical));
  }

  private Extracted text(int pointer, String text) {
    if (text.isBlank()) {
      return unkeyed(Reason.EMPTY, pointer, text.isEmpty() ? "empty text" : "blank text");
    }
    try {
      return new Keyed(Key.fitting(text));
    } catch (IllegalArgumentException e) {
      return unkeyed(Reason.UNDECODABLE, pointer, "text with an unpaired surrogate");
    }
  }

  private Unkeyed unkeyed(Reason reason, int pointer, String what) {
    String place = tree.pointers().get(pointer);
    return new Unkeyed(reason, what + " at " + (place.isEmpty() ? "the top" : place));
  }

  private static Extracted composite(Extracted[] found) {
    List<Key> parts = new ArrayList<>(found.length);
    for (Extracted part : found) {
      if (part instanceof Keyed keyed) {
        parts.add(keyed.key());
      } else {
        return part;
      }
    }
    return new Keyed(Key.fitting(parts));
  }
}
