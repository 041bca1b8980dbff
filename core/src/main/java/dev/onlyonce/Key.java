package dev.onlyonce;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * An idempotency key: the name of the operation that must take effect once, as bytes.
 *
 * <p>A key names the operation in business terms (an order and what happened to it, a payment id),
 * never the broker's message id, which is new for every copy that a producer sends again.
 *
 * <p><b>Equality</b> is that of the bytes. Nothing is folded: not case, not accents, not trailing
 * blanks, not Unicode forms. Different kinds of key never have the same bytes, see below.
 *
 * <p><b>Bytes.</b> Text is its UTF-8, as it is, so that it can be read in a database. Every other
 * kind starts with {@code 0xFF}, which no UTF-8 text contains, and a letter:
 *
 * <pre>
 *   text        UTF-8                           order-4711/paid
 *   composite   FF 'c' (length part)*           length: unsigned LEB128; part: the bytes of a key
 *   digest      FF 'd' SHA-256                  of material that is too long for a key
 *   json        FF 'j' canonical JSON           a number, a boolean, an array or an object
 *   bytes       FF 'b' bytes                    only if the bytes themselves start with FF
 * </pre>
 *
 * <p><b>Text form.</b> {@link #toString()} and {@link #parse(String)} are each other's inverse, for
 * logs and command lines: text stands for itself, the other kinds start with a tilde.
 *
 * <p>Immutable and safe for use by several threads.
 */
public final class Key {

  /** The longest key, in bytes. Longer material is refused, or made a {@link #digestOf digest}. */
  public static final int MAX_BYTES = 1_024;

  static final byte TAG = (byte) 0xFF;
  private static final int SHA_256_BYTES = 32;
  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] bytes;
  private int hash; // zero until it is asked for: a store has its own

  private Key(byte[] bytes) {
    if (bytes.length == 0) {
      throw new IllegalArgumentException("key must be 1 to 1,024 bytes, was empty");
    }
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "key must be 1 to 1,024 bytes, was %,d: use Key.digestOf for longer material",
              bytes.length));
    }
    this.bytes = bytes;
  }

  /**
   * Returns the key whose bytes are the UTF-8 of this text.
   *
   * @throws IllegalArgumentException if the text is blank, has an unpaired surrogate (it has no
   *     UTF-8), or is longer than {@link #MAX_BYTES}
   */
  public static Key of(String text) {
    if (Objects.requireNonNull(text, "key must not be null").isBlank()) {
      throw new IllegalArgumentException("key must not be blank, was '" + text + "'");
    }
    return new Key(utf8(text));
  }

  /**
   * Returns the composite key of these texts: {@code ("a", "bc")} and {@code ("ab", "c")} are two
   * keys, and neither equals any key that is not a composite. Parts may be empty, not all of them.
   *
   * @throws IllegalArgumentException as for {@link #of(String)}, and if all parts are empty
   */
  public static Key of(String first, String second, String... more) {
    Composite composite = new Composite().add(utf8(first)).add(utf8(second));
    for (String part : more) {
      composite.add(utf8(part));
    }
    return composite.toKey();
  }

  /**
   * Returns the composite key of these keys, in this order.
   *
   * @throws IllegalArgumentException if there are none, or together they are too long
   */
  public static Key composite(List<Key> parts) {
    return Composite.of(parts).toKey();
  }

  /**
   * Returns the composite key of these keys if it fits, else the digest of its bytes.
   *
   * @throws IllegalArgumentException if there are none
   */
  public static Key fitting(List<Key> parts) {
    return asIsOrDigest(Composite.of(parts).toBytes());
  }

  /**
   * Returns the key with exactly these bytes, which equals the text key of the same bytes.
   *
   * @throws IllegalArgumentException if there are none or more than {@link #MAX_BYTES}
   */
  public static Key ofBytes(byte[] bytes) {
    return bytes.length > 0 && bytes[0] == TAG ? tagged('b', bytes) : new Key(bytes.clone());
  }

  /** Returns the SHA-256 of this material as a key; it equals no key that is not a digest. */
  public static Key digestOf(byte[] material) {
    return digestOf(material, 0, material.length);
  }

  /** Returns the SHA-256 of a range of these bytes as a key. */
  public static Key digestOf(byte[] material, int offset, int length) {
    MessageDigest sha256 = Fingerprint.sha256();
    sha256.update(material, offset, length);
    return tagged('d', sha256.digest());
  }

  /**
   * Returns the text as a key if it fits, else its digest. Which of the two it is depends on the
   * text alone, so equal texts have equal keys everywhere.
   *
   * @throws IllegalArgumentException if the text is blank or has an unpaired surrogate
   */
  public static Key fitting(String text) {
    if (text.length() > MAX_BYTES / 3 && !text.isBlank()) {
      byte[] utf8 = utf8(text);
      if (utf8.length > MAX_BYTES) {
        return digestOf(utf8);
      }
    }
    return of(text);
  }

  /**
   * Returns the key with exactly these bytes if they fit, else their digest.
   *
   * @throws IllegalArgumentException if there are none
   */
  public static Key fitting(byte[] bytes, int offset, int length) {
    boolean tagged = length > 0 && bytes[offset] == TAG;
    return length > (tagged ? MAX_BYTES - 2 : MAX_BYTES)
        ? digestOf(bytes, offset, length)
        : ofBytes(Arrays.copyOfRange(bytes, offset, offset + length));
  }

  /**
   * Returns the key of a JSON value that is not a string, given as canonical JSON text; a value
   * that is too long becomes the digest of it and its tag. The number {@code 1} and the string
   * {@code "1"} are two keys.
   */
  public static Key json(byte[] canonicalJson) {
    return asIsOrDigest(withTag('j', canonicalJson));
  }

  /**
   * Reads a key from its text form, see {@link #toString()}.
   *
   * @throws IllegalArgumentException if the text is not the text form of a key
   */
  public static Key parse(String text) {
    return text.startsWith("~") ? new Key(KeyText.parse(text)) : of(text);
  }

  /** Reads a key from the bytes that {@link #toBytes()} returned: what a store does. */
  public static Key fromStored(byte[] bytes) {
    return new Key(bytes.clone());
  }

  /** Returns a copy of the bytes. */
  public byte[] toBytes() {
    return bytes.clone();
  }

  /** Returns the number of bytes, 1 to {@link #MAX_BYTES}. */
  public int length() {
    return bytes.length;
  }

  /**
   * Copies the bytes into {@code target} from {@code offset} on; returns the offset behind them.
   */
  public int copyTo(byte[] target, int offset) {
    System.arraycopy(bytes, 0, target, offset, bytes.length);
    return offset + bytes.length;
  }

  /**
   * Returns eight bytes from {@code offset} on as a little-endian number; those behind the end are
   * zero. For hashing without a copy.
   */
  public long wordAt(int offset) {
    if (offset <= bytes.length - Long.BYTES) {
      return (long) WORDS.get(bytes, offset);
    }
    long word = 0;
    for (int i = bytes.length - 1; i >= offset; i--) {
      word = word << 8 | (bytes[i] & 0xFF);
    }
    return word;
  }

  /** Tells whether the key is a digest, so that the material cannot be read from it. */
  public boolean isDigest() {
    return bytes.length == SHA_256_BYTES + 2 && bytes[0] == TAG && bytes[1] == 'd';
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Key key && Arrays.equals(bytes, key.bytes);
  }

  @Override
  public int hashCode() {
    int known = hash;
    if (known == 0) {
      known = Arrays.hashCode(bytes);
      hash = known;
    }
    return known;
  }

  /**
   * Returns the text form: printable text as it is; else {@code ~c:} and the parts with commas
   * between them, {@code ~d:} and hexadecimal digits, {@code ~j:} and JSON, or {@code ~b:} and
   * hexadecimal digits.
   */
  @Override
  public String toString() {
    return KeyText.format(bytes);
  }

  static Key tagged(char kind, byte[] content) {
    return new Key(withTag(kind, content));
  }

  private static byte[] withTag(char kind, byte[] content) {
    byte[] bytes = new byte[content.length + 2];
    bytes[0] = TAG;
    bytes[1] = (byte) kind;
    System.arraycopy(content, 0, bytes, 2, content.length);
    return bytes;
  }

  private static Key asIsOrDigest(byte[] bytes) {
    return bytes.length > MAX_BYTES ? digestOf(bytes) : new Key(bytes);
  }

  private static byte[] utf8(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (Character.isLowSurrogate(text.charAt(i))
            || i + 1 == text.length()
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          throw new IllegalArgumentException(
              "key must be Unicode text, has an unpaired surrogate at index " + i);
        }
        i++;
      }
    }
    return text.getBytes(UTF_8);
  }

  static final class Composite {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private boolean empty = true;

    Composite() {
      bytes.write(TAG);
      bytes.write('c');
    }

    static Composite of(List<Key> parts) {
      Composite composite = new Composite();
      for (Key part : parts) {
        composite.add(part.bytes);
      }
      return composite;
    }

    Composite add(byte[] part) {
      empty &= part.length == 0;
      int length = part.length;
      while (length > 0x7F) {
        bytes.write((length & 0x7F) | 0x80);
        length >>>= 7;
      }
      bytes.write(length);
      bytes.writeBytes(part);
      return this;
    }

    boolean isEmpty() {
      return empty;
    }

    Key toKey() {
      return new Key(toBytes());
    }

    byte[] toBytes() {
      if (empty) {
        throw new IllegalArgumentException("composite key must have a part that is not empty");
      }
      return bytes.toByteArray();
    }
  }
}
