package dev.onlyonce;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The text form of a key, both ways; see {@link Key#toString()}. */
final class KeyText {

  private static final HexFormat HEX = HexFormat.of();

  private static final String FORMS =
      "; the forms are ~c: and the parts with commas between them, ~j: and JSON, ~d: and the"
          + " hexadecimal digits of a SHA-256, ~b: and those of other bytes, also of a text that"
          + " starts with ~";

  private KeyText() {}

  static String format(byte[] key) {
    if (key[0] != Key.TAG) {
      String text = printable(key);
      return text == null || text.startsWith("~") ? "~b:" + HEX.formatHex(key) : text;
    }
    byte[] content = key.length < 2 ? key : Arrays.copyOfRange(key, 2, key.length);
    String text =
        switch (key.length < 2 ? 0 : key[1]) {
          case 'b' -> content.length > 0 && content[0] == Key.TAG ? "~b:" + hex(content) : null;
          case 'd' -> "~d:" + hex(content);
          case 'j' -> printable(content) == null ? null : "~j:" + printable(content);
          case 'c' -> composite(key, content);
          default -> null;
        };
    return text == null ? "~x:" + hex(key) : text;
  }

  /** Returns the bytes of the key whose text form this is; it starts with a tilde. */
  static byte[] parse(String text) {
    String content = text.length() < 3 ? "" : text.substring(3);
    return switch (text.length() < 3 || text.charAt(2) != ':' ? 0 : text.charAt(1)) {
      case 'b' -> Key.ofBytes(bytes(text, content)).toBytes();
      case 'x' -> bytes(text, content);
      case 'd' -> Key.tagged('d', bytes(text, content)).toBytes();
      case 'j' -> Key.tagged('j', content.getBytes(UTF_8)).toBytes();
      case 'c' -> parseComposite(content);
      default ->
          throw new IllegalArgumentException("not the text form of a key: '" + text + "'" + FORMS);
    };
  }

  /** Returns null if the bytes are not those that a composite of these parts has. */
  private static @Nullable String composite(byte[] key, byte[] content) {
    Key.Composite again = new Key.Composite();
    List<String> parts = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(content);
    while (in.hasRemaining()) {
      int length = readLength(in);
      if (length < 0 || length > in.remaining()) {
        return null;
      }
      byte[] part = new byte[length];
      in.get(part);
      again.add(part);
      String text = length == 0 ? "" : format(part);
      parts.add(text.replace("\\", "\\\\").replace(",", "\\,"));
    }
    boolean same = !again.isEmpty() && Arrays.equals(again.toBytes(), key);
    return same ? "~c:" + String.join(",", parts) : null;
  }

  private static int readLength(ByteBuffer in) {
    int length = 0;
    for (int shift = 0; shift < 21 && in.hasRemaining(); shift += 7) {
      byte next = in.get();
      length |= (next & 0x7F) << shift;
      if (next >= 0) {
        return length;
      }
    }
    return -1;
  }

  private static byte[] parseComposite(String content) {
    Key.Composite composite = new Key.Composite();
    StringBuilder part = new StringBuilder();
    for (int i = 0; i < content.length(); i++) {
      char c = content.charAt(i);
      if (c == ',') {
        composite.add(partBytes(part.toString()));
        part.setLength(0);
      } else {
        part.append(c == '\\' && i + 1 < content.length() ? content.charAt(++i) : c);
      }
    }
    return composite.add(partBytes(part.toString())).toKey().toBytes();
  }

  private static byte[] partBytes(String part) {
    return part.startsWith("~") ? parse(part) : part.getBytes(UTF_8);
  }

  private static byte[] bytes(String text, String hex) {
    try {
      return HEX.parseHex(hex);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "not the text form of a key: '"
              + text
              + "' must have pairs of hexadecimal digits"
              + FORMS,
          e);
    }
  }

  private static String hex(byte[] bytes) {
    return HEX.formatHex(bytes);
  }

  private static @Nullable String printable(byte[] utf8) {
    String text;
    try {
      text = UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
    return text.isBlank() || !text.codePoints().allMatch(KeyText::isPrintable) ? null : text;
  }

  private static boolean isPrintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
