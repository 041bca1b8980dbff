package dev.onlyonce.app.input;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Reads gzip data (RFC 1952): one member or several that follow one another, zero bytes as padding
 * behind the last.
 *
 * <p>The JDK's {@code GZIPInputStream} takes a damaged header of a further member for the end of
 * the data, and so drops all that follows without a word (JDK-8322256). This class ends normally
 * only where the stored data ends, behind a member whose length and checksum are right; everything
 * else is a {@link DamagedException}. The decompression itself is the JDK's.
 */
final class GzipStream extends InputStream {
  static final int MAGIC_1 = 0x1F;
  static final int MAGIC_2 = 0x8B;
  static final int DEFLATE = 8;

  private static final int HEADER_CRC = 2;
  private static final int EXTRA = 4;
  private static final int NAME = 8;
  private static final int COMMENT = 16;
  private static final int RESERVED = 0xE0;

  private final InputStream in;
  private final byte[] stored = new byte[64 << 10];
  private int at;
  private int limit;
  private final Inflater inflater = new Inflater(true);
  private final CRC32 checksum = new CRC32();
  private boolean inMember;
  private boolean anyMember;

  GzipStream(InputStream in) {
    this.in = in;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] b, int off, int len) throws IOException {
    if (len == 0) {
      return 0;
    }
    while (inMember || nextMember()) {
      int n = inflate(b, off, len);
      if (n > 0) {
        checksum.update(b, off, n);
        return n;
      }
      if (inflater.finished()) {
        endMember();
      } else if (inflater.needsDictionary()) {
        throw new DamagedException("the gzip data asks for a dictionary");
      } else if (inflater.needsInput()) {
        if (!fill()) {
          throw endsEarly();
        }
        inflater.setInput(stored, at, limit - at);
        at = limit;
      }
    }
    return -1;
  }

  @Override
  public void close() throws IOException {
    inflater.end();
    in.close();
  }

  private int inflate(byte[] b, int off, int len) throws IOException {
    try {
      return inflater.inflate(b, off, len);
    } catch (DataFormatException e) {
      throw new DamagedException("the gzip data is damaged", e);
    }
  }

  /** Reads the header of a member; false if the data ends before it. */
  private boolean nextMember() throws IOException {
    if (at == limit && !fill()) {
      return false;
    }
    int first = next();
    if (first == 0 && anyMember) {
      return skipPadding();
    }
    if (first != MAGIC_1 || next() != MAGIC_2) {
      throw new DamagedException("there are other bytes behind the end of the gzip data");
    }
    int method = next();
    int flags = next();
    if (method != DEFLATE || (flags & RESERVED) != 0) {
      throw new DamagedException("the gzip header is damaged");
    }
    skip(6);
    if ((flags & EXTRA) != 0) {
      skip(next() | next() << 8);
    }
    skipText((flags & NAME) != 0);
    skipText((flags & COMMENT) != 0);
    skip((flags & HEADER_CRC) != 0 ? 2 : 0);
    inflater.reset();
    inflater.setInput(stored, at, limit - at);
    at = limit;
    checksum.reset();
    inMember = true;
    anyMember = true;
    return true;
  }

  private void endMember() throws IOException {
    at = limit - inflater.getRemaining();
    long wantedChecksum = nextInt();
    long wantedLength = nextInt();
    if (wantedChecksum != checksum.getValue()
        || wantedLength != (inflater.getBytesWritten() & 0xFFFF_FFFFL)) {
      throw new DamagedException("the gzip data is damaged: its checksum is wrong");
    }
    inMember = false;
  }

  private boolean skipPadding() throws IOException {
    while (at < limit || fill()) {
      if (stored[at++] != 0) {
        throw new DamagedException("there are other bytes behind the end of the gzip data");
      }
    }
    return false;
  }

  private void skip(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      next();
    }
  }

  private void skipText(boolean present) throws IOException {
    boolean more = present;
    while (more) {
      more = next() != 0;
    }
  }

  private long nextInt() throws IOException {
    long low = next() | next() << 8 | next() << 16;
    return low | (long) next() << 24;
  }

  private int next() throws IOException {
    if (at == limit && !fill()) {
      throw endsEarly();
    }
    return stored[at++] & 0xFF;
  }

  private boolean fill() throws IOException {
    at = 0;
    limit = Math.max(0, in.read(stored, 0, stored.length));
    return limit > 0;
  }

  private static DamagedException endsEarly() {
    return new DamagedException("the gzip data ends too early (was the file cut off?)");
  }
}
