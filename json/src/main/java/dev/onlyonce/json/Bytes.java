package dev.onlyonce.json;

import java.util.Arrays;

/** Bytes that grow at their end. */
final class Bytes {

  private static final int INITIAL = 64;

  byte[] array = new byte[INITIAL];
  int size;

  Bytes put(int value) {
    if (size == array.length) {
      array = Arrays.copyOf(array, size * 2);
    }
    array[size++] = (byte) value;
    return this;
  }

  Bytes put(byte[] values) {
    for (byte value : values) {
      put(value);
    }
    return this;
  }

  Bytes putAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      put(text.charAt(i));
    }
    return this;
  }

  Bytes putZeros(long count) {
    for (long i = 0; i < count; i++) {
      put('0');
    }
    return this;
  }

  /** Appends a character that is not ASCII. */
  Bytes putUtf8(int codePoint) {
    if (codePoint < 0x800) {
      return put(0xC0 | (codePoint >> 6)).putContinuation(codePoint);
    }
    if (codePoint < 0x10000) {
      put(0xE0 | (codePoint >> 12));
    } else {
      put(0xF0 | (codePoint >> 18)).putContinuation(codePoint >> 12);
    }
    return putContinuation(codePoint >> 6).putContinuation(codePoint);
  }

  private Bytes putContinuation(int bits) {
    return put(0x80 | (bits & 0x3F));
  }
}
