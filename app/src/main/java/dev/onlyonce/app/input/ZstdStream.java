package dev.onlyonce.app.input;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reads zstd data (RFC 8878): one frame or several that follow one another. Says in plain words
 * what the library reports as damaged.
 */
final class ZstdStream extends FilterInputStream {
  ZstdStream(InputStream stored) throws IOException {
    super(library(stored));
  }

  private static InputStream library(InputStream stored) throws IOException {
    try {
      return new ZstdInputStreamNoFinalizer(stored);
    } catch (LinkageError e) {
      throw new IOException(
          "its zstd data cannot be unpacked here, since the native zstd library does not load ("
              + e.getMessage()
              + "); unpack it with the zstd program and pipe it in",
          e);
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] b, int off, int len) throws IOException {
    try {
      return super.read(b, off, len);
    } catch (ZstdIOException e) {
      throw new DamagedException(sentence(e), e);
    }
  }

  private static String sentence(ZstdIOException e) {
    if (e.getErrorCode() == Zstd.errFrameParameterWindowTooLarge()) {
      return "the zstd data was packed with a window above 128 MiB; unpack it with"
          + " zstd --long=31 and pipe it in";
    }
    if (e.getErrorCode() == Zstd.errPrefixUnknown()) {
      return "there are other bytes behind the end of the zstd data";
    }
    return "the zstd data is damaged or ends too early: " + e.getMessage();
  }
}
