package dev.onlyonce.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Checks UTF-8 as Unicode defines it (table 3-7): no overlong forms, no surrogates, nothing above
 * U+10FFFF. The JSON parser lets all three pass, and two of them would make different bytes equal.
 */
final class Utf8 {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  private Utf8() {}

  /** Returns the index of the first byte that does not belong to a character, or -1. */
  static int firstInvalid(byte[] bytes, int offset, int length) {
    int end = offset + length;
    int at = offset;
    while (at < end) {
      if (at + Long.BYTES <= end && ((long) LONGS.get(bytes, at) & HIGH_BITS) == 0) {
        at += Long.BYTES;
      } else if (bytes[at] >= 0) {
        at++;
      } else {
        int size = sequence(bytes, at, end);
        if (size == 0) {
          return at;
        }
        at += size;
      }
    }
    return -1;
  }

  /** Returns how many bytes the character has that starts here and is not ASCII; 0 if none does. */
  private static int sequence(byte[] bytes, int at, int end) {
    int lead = bytes[at] & 0xFF;
    int size = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (size == 0 || at + size > end) {
      return 0;
    }
    int second = bytes[at + 1] & 0xFF;
    int least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    int most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (second < least || second > most) {
      return 0;
    }
    for (int i = at + 2; i < at + size; i++) {
      if ((bytes[i] & 0xC0) != 0x80) {
        return 0;
      }
    }
    return size;
  }
}
