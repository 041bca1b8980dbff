package dev.onlyonce.app.input;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Arrays;

/** Tells by the first bytes of an input, never by its name, whether and how it is compressed. */
final class Decompression {
  private static final int[] GZIP = {GzipStream.MAGIC_1, GzipStream.MAGIC_2, GzipStream.DEFLATE};
  private static final int[] ZSTD_FRAME = {0x28, 0xB5, 0x2F, 0xFD};

  /** The first byte may also be any up to 0x5F. */
  private static final int[] ZSTD_SKIPPABLE = {0x50, 0x2A, 0x4D, 0x18};

  private Decompression() {}

  /** The content of a stored stream. Takes the stream over: closing the result closes it. */
  static InputStream open(InputStream stored) throws IOException {
    byte[] head = head(stored);
    InputStream whole = new SequenceInputStream(new ByteArrayInputStream(head), stored);
    if (begins(head, GZIP) && head.length >= GZIP.length) {
      return new GzipStream(whole);
    }
    if (mayBeZstd(head) && head.length == ZSTD_FRAME.length) {
      return new ZstdStream(whole);
    }
    return whole;
  }

  /** Reads no more bytes than it takes to say: of a slow stream there may not be more for long. */
  private static byte[] head(InputStream stored) throws IOException {
    byte[] head = stored.readNBytes(1);
    int length = 0;
    while (length < head.length
        && head.length < ZSTD_FRAME.length
        && (begins(head, GZIP) || mayBeZstd(head))) {
      length = head.length;
      byte[] next = stored.readNBytes(1);
      head = Arrays.copyOf(head, length + next.length);
      System.arraycopy(next, 0, head, length, next.length);
    }
    return head;
  }

  private static boolean mayBeZstd(byte[] head) {
    byte[] lowest = head.clone();
    if (lowest.length > 0) {
      lowest[0] &= (byte) 0xF0;
    }
    return begins(head, ZSTD_FRAME) || begins(lowest, ZSTD_SKIPPABLE);
  }

  /** True if the magic number and the bytes are the same as far as both go. */
  private static boolean begins(byte[] head, int[] magic) {
    for (int i = 0; i < Math.min(head.length, magic.length); i++) {
      if ((head[i] & 0xFF) != magic[i]) {
        return false;
      }
    }
    return true;
  }
}
