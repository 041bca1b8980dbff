package dev.onlyonce.app.input;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How far reading has come. The reader counts, any other thread may look, for example to draw a
 * progress bar; what it sees may lag behind by one batch. Bytes are counted as they are stored, so
 * before decompression.
 */
public final class Progress {
  private final long totalBytes;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong records = new AtomicLong();

  /**
   * Nothing read yet of this many bytes.
   *
   * @param totalBytes -1 if it is not known how many there are
   */
  Progress(long totalBytes) {
    this.totalBytes = totalBytes;
  }

  /** How many bytes there are to read, or -1 if that is not known. */
  public long totalBytes() {
    return totalBytes;
  }

  /** How many bytes have been read. */
  public long bytes() {
    return bytes.getAcquire();
  }

  /** How many records have been read, in all inputs, headers not counted. */
  public long records() {
    return records.getAcquire();
  }

  /** Counts bytes; one thread only. */
  void addBytes(long more) {
    bytes.setRelease(bytes.getPlain() + more);
  }

  /** Counts records; one thread only. */
  void addRecords(long more) {
    records.setRelease(records.getPlain() + more);
  }
}
