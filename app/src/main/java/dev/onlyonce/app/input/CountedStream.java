package dev.onlyonce.app.input;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts what is read from a stream. */
final class CountedStream extends FilterInputStream {
  private final Progress progress;

  CountedStream(InputStream in, Progress progress) {
    super(in);
    this.progress = progress;
  }

  @Override
  public int read() throws IOException {
    int b = super.read();
    if (b >= 0) {
      progress.addBytes(1);
    }
    return b;
  }

  @Override
  public int read(byte[] b, int off, int len) throws IOException {
    int n = super.read(b, off, len);
    if (n > 0) {
      progress.addBytes(n);
    }
    return n;
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
