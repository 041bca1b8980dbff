package dev.onlyonce.app.input;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;

/** Tells by the first bytes of an input, never by its name, whether and how it is compressed. */
final class Decompression {
  private static final int MAGIC_BYTES = 4;
  private static final int ZSTD_FRAME = 0xFD2FB528;
  private static final int ZSTD_SKIPPABLE = 0x184D2A50;

  private Decompression() {}

  /** The content of a stored stream. Takes the stream over: closing the result closes it. */
  static InputStream open(InputStream stored) throws IOException {
    byte[] magic = stored.readNBytes(MAGIC_BYTES);
    InputStream whole = new SequenceInputStream(new ByteArrayInputStream(magic), stored);
    if (isGzip(magic)) {
      return new GzipStream(whole);
    }
    if (isZstd(magic)) {
      return new ZstdStream(whole);
    }
    return whole;
  }

  private static boolean isGzip(byte[] magic) {
    return magic.length >= 3
        && (magic[0] & 0xFF) == GzipStream.MAGIC_1
        && (magic[1] & 0xFF) == GzipStream.MAGIC_2
        && magic[2] == GzipStream.DEFLATE;
  }

  private static boolean isZstd(byte[] magic) {
    if (magic.length < MAGIC_BYTES) {
      return false;
    }
    int word = 0;
    for (int i = MAGIC_BYTES - 1; i >= 0; i--) {
      word = word << 8 | (magic[i] & 0xFF);
    }
    return word == ZSTD_FRAME || (word & 0xFFFFFFF0) == ZSTD_SKIPPABLE;
  }
}
