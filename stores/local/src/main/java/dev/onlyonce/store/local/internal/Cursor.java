package dev.onlyonce.store.local.internal;

import java.util.Arrays;

/** Reads what {@link Bytes} wrote, within limits: beyond them is {@link Malformed}. */
final class Cursor {

  /** The bytes are not what they should be. */
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    Malformed(String message) {
      super(message);
    }
  }

  private byte[] array = new byte[0];
  private int limit;
  private int at;

  /** A cursor over nothing. */
  Cursor() {}

  Cursor(byte[] array, int from, int limit) {
    reset(array, from, limit);
  }

  /** Goes to other bytes. */
  void reset(byte[] bytes, int from, int to) {
    array = bytes;
    at = from;
    limit = to;
  }

  /** Goes to another place within the same limits. */
  void moveTo(int place) {
    at = place;
  }

  private int advance(long count) throws Malformed {
    if (count < 0 || count > limit - at) {
      throw new Malformed("ends within a field");
    }
    at += (int) count;
    return at - (int) count;
  }

  /** Passes bytes over; returns where they start. */
  int skip(int count) throws Malformed {
    return advance(count);
  }

  int position() {
    return at;
  }

  int getByte() throws Malformed {
    return array[advance(1)] & 0xFF;
  }

  long getLong() throws Malformed {
    return Bytes.getLong(array, advance(8));
  }

  long getVar() throws Malformed {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      int next = getByte();
      value |= (long) (next & 0x7F) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw new Malformed("has a number that is too long");
  }

  int getSize() throws Malformed {
    long value = getVar();
    if (value < 0 || value > limit - at) {
      throw new Malformed("has a length that goes beyond its end");
    }
    return (int) value;
  }

  long getSigned() throws Malformed {
    long value = getVar();
    return value >>> 1 ^ -(value & 1);
  }

  byte[] get(int count) throws Malformed {
    int from = advance(count);
    return Arrays.copyOfRange(array, from, from + count);
  }
}
