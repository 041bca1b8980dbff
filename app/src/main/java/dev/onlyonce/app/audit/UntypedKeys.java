package dev.onlyonce.app.audit;

import dev.onlyonce.Key;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Takes JSON's numbers and booleans for the text that they are written as, alone or as a part of a
 * composite: columns have no types, so {@code 4711} there is both {@code 4711} and {@code "4711"}
 * here. The bytes of keys are drawn in {@link Key}.
 */
final class UntypedKeys {

  private static final int TAG = 0xFF;
  private static final int TAG_BYTES = 2;

  private UntypedKeys() {}

  static Key of(Key key) {
    if (!(isTagged(key, 'j') || isTagged(key, 'c'))) {
      return key;
    }
    byte[] bytes = key.toBytes();
    return bytes[1] == 'j' ? text(bytes, key) : composite(bytes);
  }

  private static boolean isTagged(Key key, char kind) {
    return key.length() > TAG_BYTES && (key.wordAt(0) & 0xFFFF) == (kind << 8 | TAG);
  }

  private static Key text(byte[] json, Key key) {
    boolean isScalar = json[TAG_BYTES] != '[' && json[TAG_BYTES] != '{';
    return isScalar ? Key.ofBytes(Arrays.copyOfRange(json, TAG_BYTES, json.length)) : key;
  }

  private static Key composite(byte[] bytes) {
    List<Key> parts = new ArrayList<>();
    int at = TAG_BYTES;
    while (at < bytes.length) {
      int length = 0;
      int shift = 0;
      do {
        length |= (bytes[at] & 0x7F) << shift;
        shift += 7;
      } while (bytes[at++] < 0);
      parts.add(of(Key.fromStored(Arrays.copyOfRange(bytes, at, at + length))));
      at += length;
    }
    return Key.fitting(parts);
  }
}
