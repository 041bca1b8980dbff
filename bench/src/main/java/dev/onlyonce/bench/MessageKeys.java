package dev.onlyonce.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * Keys of 20 bytes as they come with messages: {@code msg-} and 16 hexadecimal digits. The n-th key
 * is always the same, no two are, and neighbours have nothing in common.
 */
final class MessageKeys {

  private static final byte[] DIGITS = "0123456789abcdef".getBytes(ISO_8859_1);

  private MessageKeys() {}

  static byte[] get(long n) {
    byte[] key = new byte[20];
    key[0] = 'm';
    key[1] = 's';
    key[2] = 'g';
    key[3] = '-';
    long bits = mix(n);
    for (int i = 4; i < key.length; i++) {
      key[i] = DIGITS[(int) bits & 0xF];
      bits >>>= 4;
    }
    return key;
  }

  static byte[][] range(long from, int count) {
    byte[][] keys = new byte[count][];
    for (int i = 0; i < count; i++) {
      keys[i] = get(from + i);
    }
    return keys;
  }

  /** Returns the key as the text that peers want. */
  static String text(byte[] key) {
    return new String(key, ISO_8859_1);
  }

  /** A bijection that scatters: the finalizer of SplitMix64 (Steele, Lea and Flood, 2014). */
  static long mix(long n) {
    n = (n ^ n >>> 30) * 0xbf58476d1ce4e5b9L;
    n = (n ^ n >>> 27) * 0x94d049bb133111ebL;
    return n ^ n >>> 31;
  }
}
