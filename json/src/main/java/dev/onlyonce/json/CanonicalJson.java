package dev.onlyonce.json;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Writes JSON in its canonical form: equal values, however they are written, have equal bytes, and
 * different values different ones.
 *
 * <h2>The form</h2>
 *
 * It is RFC 8785 (JCS) but for numbers. Members are sorted at all depths by their names' UTF-16
 * code units, arrays keep their order, there is no white space, strings are UTF-8 with the few
 * escapes that JSON demands. RFC 8785 sends numbers through IEEE doubles and so makes {@code
 * 9007199254740992} and {@code 9007199254740993} one; here a {@link Decimal} keeps every digit.
 * Where a number's shortest form as a double is its own decimal value, the two forms agree. As RFC
 * 8785 and RFC 7493 demand, a name that comes twice in an object is refused, and so is an unpaired
 * surrogate.
 *
 * <h2>How it is written</h2>
 *
 * Tokens are written down in the order of the document, and for each object where its members lie.
 * Sorting happens on the way out, so that every byte is copied once however deep it is nested.
 *
 * <p>One value, one thread. Memory: the canonical text and some 32 bytes a member.
 */
final class CanonicalJson {

  /** An object whose members lie in the text without commas between them. */
  static final class Members {
    private final int start;
    private final List<Member> list = new ArrayList<>();
    private int end;
    private int objectsBehind;

    private Members(int start) {
      this.start = start;
    }
  }

  private record Member(String name, int start, int end, int objectsBefore) {}

  private final Bytes text = new Bytes();
  private final List<Members> objects = new ArrayList<>();
  private int commas;

  /**
   * Appends the value that the parser is at, but for what is left out.
   *
   * @throws JsonException if the value has no canonical form
   */
  CanonicalJson append(JsonParser parser, PointerTree.@Nullable Node leftOut) {
    switch (parser.currentToken()) {
      case START_OBJECT -> object(parser, leftOut);
      case START_ARRAY -> array(parser, leftOut);
      case VALUE_STRING ->
          string(
              parser,
              parser.getStringCharacters(),
              parser.getStringOffset(),
              parser.getStringLength());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser);
      case VALUE_TRUE -> text.putAscii("true");
      case VALUE_FALSE -> text.putAscii("false");
      case VALUE_NULL -> text.putAscii("null");
      default -> throw new IllegalStateException("no value starts with " + parser.currentToken());
    }
    return this;
  }

  /** Starts an object, to be {@link #close closed}. */
  Members open() {
    Members members = new Members(text.size);
    objects.add(members);
    text.put('{');
    return members;
  }

  /** Appends a member whose value the parser is at. */
  void member(Members members, String name, JsonParser parser, PointerTree.@Nullable Node leftOut) {
    int start = text.size;
    int objectsBefore = objects.size();
    string(parser, name.toCharArray(), 0, name.length());
    text.put(':');
    append(parser, leftOut);
    members.list.add(new Member(name, start, text.size, objectsBefore));
  }

  /**
   * Ends an object.
   *
   * @return false if a name came twice
   */
  boolean close(Members members) {
    members.end = text.size;
    members.objectsBehind = objects.size();
    text.put('}');
    commas += Math.max(0, members.list.size() - 1);
    members.list.sort(Comparator.comparing(Member::name));
    for (int i = 1; i < members.list.size(); i++) {
      if (members.list.get(i).name.equals(members.list.get(i - 1).name)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the canonical form. */
  byte[] toBytes() {
    byte[] bytes = new byte[text.size + commas];
    copy(0, text.size, 0, bytes, 0);
    return bytes;
  }

  /** Copies a part of the text in which this object is the first; returns the offset behind it. */
  private int copy(int start, int end, int firstObject, byte[] target, int offset) {
    int at = start;
    int to = offset;
    for (int object = firstObject; object < objects.size(); ) {
      Members members = objects.get(object);
      if (members.start >= end) {
        break;
      }
      to = copy(at, members.start + 1, target, to);
      for (int i = 0; i < members.list.size(); i++) {
        Member member = members.list.get(i);
        if (i > 0) {
          target[to++] = ',';
        }
        to = copy(member.start, member.end, member.objectsBefore, target, to);
      }
      at = members.end;
      object = members.objectsBehind;
    }
    return copy(at, end, target, to);
  }

  private int copy(int start, int end, byte[] target, int offset) {
    System.arraycopy(text.array, start, target, offset, end - start);
    return offset + end - start;
  }

  private void object(JsonParser parser, PointerTree.@Nullable Node leftOut) {
    Members members = open();
    for (String name = parser.nextName(); name != null; name = parser.nextName()) {
      PointerTree.Node node = leftOut == null ? null : leftOut.member(name);
      parser.nextToken();
      if (node != null && node.isPointed()) {
        parser.skipChildren();
      } else {
        member(members, name, parser, node);
      }
    }
    if (!close(members)) {
      throw new JsonException(
          "not decidable: a member name comes twice in the object that ends" + Json.place(parser));
    }
  }

  private void array(JsonParser parser, PointerTree.@Nullable Node leftOut) {
    text.put('[');
    boolean first = true;
    for (long i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
      PointerTree.Node node = leftOut == null ? null : leftOut.element(i);
      if (node != null && node.isPointed()) {
        parser.skipChildren();
        continue;
      }
      if (!first) {
        text.put(',');
      }
      first = false;
      append(parser, node);
    }
    text.put(']');
  }

  private void number(JsonParser parser) {
    if (!Decimal.append(
        parser.getStringCharacters(), parser.getStringOffset(), parser.getStringLength(), text)) {
      throw new JsonException(
          "not readable: exponent of more than "
              + Decimal.MAX_EXPONENT_DIGITS
              + " digits in the number"
              + Json.place(parser));
    }
  }

  private void string(JsonParser parser, char[] chars, int offset, int length) {
    text.put('"');
    for (int i = offset; i < offset + length; i++) {
      char c = chars[i];
      if (c < 0x80) {
        ascii(c);
      } else if (!Character.isSurrogate(c)) {
        text.putUtf8(c);
      } else if (i + 1 < offset + length && Character.isSurrogatePair(c, chars[i + 1])) {
        text.putUtf8(Character.toCodePoint(c, chars[++i]));
      } else {
        throw new JsonException(
            "not Unicode: unpaired surrogate in the string" + Json.place(parser));
      }
    }
    text.put('"');
  }

  private void ascii(char c) {
    switch (c) {
      case '"', '\\' -> text.put('\\').put(c);
      case '\b' -> text.putAscii("\\b");
      case '\t' -> text.putAscii("\\t");
      case '\n' -> text.putAscii("\\n");
      case '\f' -> text.putAscii("\\f");
      case '\r' -> text.putAscii("\\r");
      default -> {
        if (c < ' ') {
          text.putAscii(c < 0x10 ? "\\u000" : "\\u00").putAscii(Integer.toHexString(c));
        } else {
          text.put(c);
        }
      }
    }
  }
}
