package dev.onlyonce.app.input;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Looks at eight bytes at a time, as one word whose lowest byte is the first ("SIMD within a
 * register"; H. S. Warren, Hacker's Delight, section 6-1, in the variant that is exact for each
 * byte).
 */
final class Words {
  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long LOW_BITS = 0x7F7F_7F7F_7F7F_7F7FL;

  private Words() {}

  /** The eight bytes from {@code at}. */
  static long at(byte[] bytes, int at) {
    return (long) WORDS.get(bytes, at);
  }

  /** A word that has this byte eight times. */
  static long of(char ascii) {
    return ascii * 0x0101_0101_0101_0101L;
  }

  /** A word that has the highest bit set in each byte in which the two words are equal. */
  static long equalBytes(long word, long other) {
    long different = word ^ other;
    return ~(((different & LOW_BITS) + LOW_BITS) | different | LOW_BITS);
  }

  /** The index, 0 to 7, of the first byte that {@link #equalBytes} marked. */
  static int first(long marks) {
    return Long.numberOfTrailingZeros(marks) >>> 3;
  }
}
