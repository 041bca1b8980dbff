package dev.onlyonce.store.local.internal;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Bytes that grow at their end; numbers are little-endian. Not safe for use by several threads. */
final class Bytes {

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final CRC32C crc = new CRC32C();
  private byte[] array;
  private int end;

  Bytes(int capacity) {
    this.array = new byte[capacity];
  }

  byte[] array() {
    return array;
  }

  int end() {
    return end;
  }

  /** Forgets what comes from this place on. */
  void cut(int from) {
    end = from;
  }

  private void reserve(int more) {
    if (more > array.length - end) {
      array = Arrays.copyOf(array, Math.max(array.length * 2, end + more));
    }
  }

  /** Takes over all that a file has, in place of what was here. */
  void readAll(Disk.Data file) throws IOException {
    end = 0;
    int size = Math.toIntExact(file.size());
    if (size > array.length) {
      array = new byte[size];
    }
    end = file.read(ByteBuffer.wrap(array, 0, size), 0);
  }

  /** Tells whether nothing but zeros comes from this place on. */
  boolean isZero(int from) {
    for (int i = from; i < end; i++) {
      if (array[i] != 0) {
        return false;
      }
    }
    return true;
  }

  Bytes putByte(int value) {
    reserve(1);
    array[end++] = (byte) value;
    return this;
  }

  Bytes putInt(int value) {
    reserve(4);
    INT.set(array, end, value);
    end += 4;
    return this;
  }

  Bytes putLong(long value) {
    reserve(8);
    LONG.set(array, end, value);
    end += 8;
    return this;
  }

  /** A number from zero in 1 to 9 bytes, seven bits each, the lowest first; negative ones in 10. */
  Bytes putVar(long value) {
    reserve(10);
    while ((value & ~0x7FL) != 0) {
      array[end++] = (byte) (value | 0x80);
      value >>>= 7;
    }
    array[end++] = (byte) value;
    return this;
  }

  /** A number of either sign, short if it is near to zero. */
  Bytes putSigned(long value) {
    return putVar(value << 1 ^ value >> 63);
  }

  Bytes put(byte[] bytes) {
    reserve(bytes.length);
    System.arraycopy(bytes, 0, array, end, bytes.length);
    end += bytes.length;
    return this;
  }

  /** Makes room for this many bytes, which the caller fills in; returns where they start. */
  int skip(int count) {
    reserve(count);
    Arrays.fill(array, end, end + count, (byte) 0);
    end += count;
    return end - count;
  }

  /** Adds zeros until the length from this place on is a multiple of eight. */
  void align(int from) {
    skip(-(end - from) & 7);
  }

  void setInt(int at, int value) {
    INT.set(array, at, value);
  }

  void setLong(int at, long value) {
    LONG.set(array, at, value);
  }

  /** Returns the CRC-32C of a range. */
  int crc(int from, int to) {
    return crc(crc, array, from, to);
  }

  static int crc(CRC32C crc, byte[] array, int from, int to) {
    crc.reset();
    crc.update(array, from, to - from);
    return (int) crc.getValue();
  }

  static int getInt(byte[] array, int at) {
    return (int) INT.get(array, at);
  }

  static long getLong(byte[] array, int at) {
    return (long) LONG.get(array, at);
  }
}
