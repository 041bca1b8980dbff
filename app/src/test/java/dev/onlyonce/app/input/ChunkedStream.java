package dev.onlyonce.app.input;

import java.io.InputStream;
import java.util.Random;

/** Gives its bytes in pieces of random size, as a slow pipe does. */
final class ChunkedStream extends InputStream {
  private final byte[] bytes;
  private final Random random;
  private final int largest;
  private int at;

  ChunkedStream(byte[] bytes, Random random, int largest) {
    this.bytes = bytes;
    this.random = random;
    this.largest = largest;
  }

  @Override
  public int read() {
    return at == bytes.length ? -1 : bytes[at++] & 0xFF;
  }

  @Override
  public int read(byte[] b, int off, int len) {
    if (at == bytes.length) {
      return -1;
    }
    int n = Math.min(Math.min(len, bytes.length - at), 1 + random.nextInt(largest));
    System.arraycopy(bytes, at, b, off, n);
    at += n;
    return n;
  }
}
